// Commands that report on the service, this installation and the interface.
import type { CommandSpec } from './command-spec.ts';

export const DIAGNOSTICS_COMMANDS = [
  {
    words: 'health',
    summary: "the service's health",
    examples: ['arx health'],
  },
  {
    words: 'doctor',
    summary: "this installation's health, as checks with a verdict",
    examples: ['arx doctor'],
    lenient: true,
  },
  {
    words: 'about api',
    summary: 'which facts of the interface are documented, which are our assumption',
    examples: ['arx about api', `arx about api --json | jq '.data[] | select(.origin == "assumption")'`],
  },
  {
    words: 'api',
    summary: 'any GET of the interface with the stored token, body as received',
    arguments: [['<path>', 'path and query, e.g. /v1/attachments?limit=2']],
    examples: ['arx api /api/health'],
  },
] as const satisfies readonly CommandSpec[];
