// Commands that report on an archive, the service, this installation and the interface.
import type { CommandSpec } from './command-spec.ts';

/** Names, arguments, options and examples of `report`, `health`, `doctor`, `about api` and `api`. */
export const DIAGNOSTICS_COMMANDS = [
  {
    words: 'report',
    summary: 'count everything in an archive, and say what may be missing',
    effect: 'none',
    options: [
      ['--html <file>', 'also write the report as a page, one file without scripts; - is standard output'],
      ['--verify <dir>', 'also verify the files of this folder, as arx attachments verify does'],
    ],
    examples: [
      'arx report',
      'arx report --html archive.html',
      'arx report --verify lisbon --html lisbon.html',
      'arx report --json',
    ],
    topics: ['evidence'],
  },
  {
    words: 'health',
    summary: 'show the health of the service',
    effect: 'none',
    examples: ['arx health'],
  },
  {
    words: 'doctor',
    summary: 'check this installation and find out what a remote service can do',
    effect: 'none',
    examples: [
      'arx doctor',
      'arx doctor --base-url https://archive.example',
      `arx doctor --base-url https://archive.example --json | jq '.lists.conversations.cursors'`,
    ],
    topics: ['drift'],
    lenient: true,
  },
  {
    words: 'about api',
    summary: 'list which facts of the interface are documented and which are assumed',
    effect: 'none',
    examples: ['arx about api', `arx about api --json | jq '.data[] | select(.origin == "assumption")'`],
  },
  {
    words: 'api',
    summary: 'send a GET request with the stored token; print the body as received',
    effect: 'none',
    arguments: [['<path>', 'path and query, e.g. /v1/attachments?limit=2']],
    examples: ['arx api /api/health'],
  },
] as const satisfies readonly CommandSpec[];
