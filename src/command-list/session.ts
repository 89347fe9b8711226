// Commands for the token: login, logout, whoami, token.
import type { CommandSpec } from './command-spec.ts';
import { CONFIRM_OPTIONS } from './shared-options.ts';

/** Names, arguments, options and examples of `login`, `logout`, `whoami` and `token`. */
export const SESSION_COMMANDS = [
  {
    words: 'login',
    summary: 'log in: get a token from the archive in use or --base-url, and store it',
    effect: 'change',
    options: [
      ['--client-id <id>', 'name to log in under, yours or that of a program (default: asked for)'],
      [
        '--observer-tier <tier>',
        'your tier, how much you may read: external, internal or mirror (default: asked for)',
      ],
      ['--requested-tier <tier>', 'a lower tier for this token alone (default: the observer tier)'],
      ['--use', 'read the service of --base-url with every command from now on'],
    ],
    examples: [
      'arx login --observer-tier external',
      'arx login --base-url https://archive.example --client-id me --observer-tier internal --use',
    ],
    topics: ['first-look', 'glossary'],
  },
  {
    words: 'logout',
    summary: 'delete the stored token of this service and profile, or all',
    effect: 'change',
    options: [['--all', 'delete the tokens of all services and profiles'], ...CONFIRM_OPTIONS],
    examples: ['arx logout', 'arx logout --all --dry-run'],
  },
  {
    words: 'whoami',
    summary: 'show the tier, scopes, expiry and source integrity of your token',
    effect: 'none',
    examples: ['arx whoami', 'arx whoami --json | jq -r .access_tier'],
  },
  {
    words: 'token',
    summary: 'print the token alone, for pipes',
    effect: 'none',
    examples: [
      `printf 'Authorization: Bearer %s' "$(arx token)" | curl -H @- http://127.0.0.1:4747/v1/attachments`,
    ],
  },
] as const satisfies readonly CommandSpec[];
