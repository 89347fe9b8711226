// Commands for the token: login, logout, whoami, token.
import type { CommandSpec } from './command-spec.ts';

export const SESSION_COMMANDS = [
  {
    words: 'login',
    summary: 'obtain and store a token for this service and profile',
    options: [
      ['--client-id <id>', 'who asks'],
      ['--observer-tier <tier>', 'the tier you observe from, e.g. internal'],
      ['--requested-tier <tier>', 'the tier you ask for, e.g. internal'],
    ],
    examples: [
      'arx login --observer-tier external',
      'arx login --base-url https://archive.example --client-id me --observer-tier internal --requested-tier internal',
    ],
  },
  {
    words: 'logout',
    summary: 'forget the stored token',
    examples: ['arx logout'],
  },
  {
    words: 'whoami',
    summary: 'tier, scopes, expiry and source integrity of the token in use',
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
