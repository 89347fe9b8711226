// All checks of commands against other services, and the few that every quick test run makes against all of them.
import type { Check } from './check.ts';
import { FILE_CHECKS } from './files.ts';
import { LIST_CHECKS } from './lists.ts';
import { LOCAL_CHECK, SESSION_CHECKS } from './session.ts';
import { WALK_CHECKS } from './walks.ts';

/** Every check, each with a name of its own. */
export const CHECKS: readonly Check[] = [
  ...SESSION_CHECKS,
  LOCAL_CHECK,
  ...FILE_CHECKS,
  ...LIST_CHECKS,
  ...WALK_CHECKS,
];

export { LOCAL_CHECK };

const MAIN = new Set([
  'login: then whoami, token, a list and logout',
  'attachments ls: every row --city lisbon',
  'content get: the raw view',
  'conversations walk: the exact list',
  'sequence show: every entry',
  'events send: one, and the same once more',
]);

/** One check of each: `login`, `attachments ls`, `content get`, `conversations walk`, `sequence show`, `events send`. */
export const MAIN_CHECKS: readonly Check[] = CHECKS.filter(({ name }) => MAIN.has(name));
