// Options that every command takes.
import { OUTPUTS } from '../config/setting-keys.ts';
import type { CommandOption } from './command-spec.ts';

/** Options of the root: they may stand before or after the words of a command. */
export const GLOBAL_OPTIONS: readonly CommandOption[] = [
  ['-o, --output <form>', 'form of the output (default: table on a terminal, else tsv)', OUTPUTS],
  ['--json', 'the same as -o json'],
  ['--csv-safe', 'with -o csv or tsv: values that look like formulas begin with an apostrophe'],
  ['--summary', 'with -o ndjson: a last record that says whether these are all rows'],
  ['--max-rows <count>', 'print at most this many rows of a list; exit 3 where there are more'],
  ['--template <text>', 'print each record as this text, e.g. "{{id}}"'],
  ['--jq <program>', 'run this jq program over the JSON; with -o ndjson over each record'],
  ['--fields [names]', 'only these fields, comma-separated; without names: list the fields'],
  ['--profile <name>', 'use the settings and the token of this profile'],
  ['--base-url <url>', 'address of the archive service (default: the local archive)'],
  ['--local', 'use the local archive, although a base URL is set'],
  ['--asset-url <url>', 'address of its files'],
  ['--timeout <seconds>', 'longest wait for one answer (default: 20)'],
  ['--connect-timeout <seconds>', 'longest wait for a connection (default: 10)'],
  ['--max-time <seconds>', 'longest time of the whole run (default: none)'],
  ['--retries <count>', 'retries after a temporary failure (default: 4)'],
  ['--token-file <file>', 'read the token from FILE, - for standard input; do not store it'],
  ['--proxy <url>', 'send requests through this proxy; proxy variables are ignored'],
  ['--allow-asset-host <hosts>', 'also trust these hosts for files, comma-separated'],
  ['--insecure-http', 'allow plain http to another machine'],
  ['--offline', 'send nothing over the network; only the local archive answers'],
  ['--record <file>', 'record the HTTP exchanges of the run in FILE.warc.gz, without tokens'],
  ['--force', 'replace existing files that have other content'],
  [
    '--strict',
    'also fail for withheld, missing, late or contradictory rows, and where nothing matches (exit 3, 6, 8, 11)',
  ],
  ['--color <when>', 'when to print in colour (default: auto)', ['auto', 'always', 'never']],
  ['--no-color', 'the same as --color never'],
  ['--utc', 'show dates in UTC (default: your time zone)'],
  ['--relative', 'show dates as distances from now, such as 3 days ago'],
  ['--no-pager', 'do not show long output in a pager'],
  ['--no-input', 'never ask questions'],
  [
    '--progress <form>',
    'progress on standard error: a line on a terminal, JSON records, or none (default: auto)',
    ['auto', 'json', 'none'],
  ],
  [
    '-q, --quiet',
    'print no notices, progress, summary or report of a change; -o prints that report all the same',
  ],
  ['-v, --verbose', 'print diagnostics on standard error; -vv: each request as a curl command'],
];
