// Commands for the token: login, logout, whoami, token.
import type { CommandSpec } from './command-spec.ts';
import { CONFIRM_OPTIONS } from './shared-options.ts';

/** Names, arguments, options and examples of `login`, `logout`, `whoami` and `token`. */
export const SESSION_COMMANDS = [
  {
    words: 'login',
    summary: 'obtain a token for this service and profile, and store it',
    options: [
      ['--client-id <id>', 'name of this client (default: asked for)'],
      ['--observer-tier <tier>', 'tier you look from, e.g. internal (default: asked for)'],
      ['--requested-tier <tier>', 'tier you ask for (default on a terminal: the observer tier)'],
    ],
    examples: [
      'arx login --observer-tier external',
      'arx login --base-url https://archive.example --client-id me --observer-tier internal --requested-tier internal',
    ],
    topics: ['environment'],
  },
  {
    words: 'logout',
    summary: 'delete the stored token of this service and profile, or all',
    options: [['--all', 'delete the tokens of all services and profiles'], ...CONFIRM_OPTIONS],
    examples: ['arx logout', 'arx logout --all --dry-run'],
  },
  {
    words: 'whoami',
    summary: 'show the tier, scopes, expiry and source integrity of your token',
    examples: ['arx whoami', 'arx whoami --json | jq -r .access_tier'],
  },
  {
    words: 'token',
    summary: 'print the token alone, for pipes',
    examples: [
      `printf 'Authorization: Bearer %s' "$(arx token)" | curl -H @- http://127.0.0.1:4747/v1/attachments`,
    ],
  },
] as const satisfies readonly CommandSpec[];
