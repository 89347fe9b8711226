// Which findings of `events reconcile` need somebody.
import type { Finding } from './reconcile.ts';

/** Findings that need somebody: an event is missing, refused, not applied, or has two bodies. The others are usual after a failure. */
export const PROBLEMS: ReadonlySet<Finding> = new Set([
  'not_indexed',
  'unacknowledged',
  'refused',
  'dead',
  'other_body',
]);
