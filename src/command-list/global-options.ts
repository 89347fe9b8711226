// Options that every command takes.
import type { CommandOption } from './command-spec.ts';

/** Options of the root: they may stand before or after the words of a command. */
export const GLOBAL_OPTIONS: readonly CommandOption[] = [
  [
    '-o, --output <form>',
    'form of the output (default: table on a terminal, else tsv)',
    ['table', 'tsv', 'csv', 'json', 'ndjson', 'sums'],
  ],
  ['--json', 'the same as -o json'],
  ['--csv-safe', 'with -o csv or tsv: values that look like formulas begin with an apostrophe'],
  ['--jq <program>', 'run this jq program over the JSON; with -o ndjson over each record'],
  ['--fields [names]', 'only these fields, comma-separated; without names: list the fields'],
  ['--profile <name>', 'use the settings and the token of this profile'],
  ['--base-url <url>', 'address of the archive service (default: the local archive)'],
  ['--asset-url <url>', 'address of its files'],
  ['--timeout <seconds>', 'longest wait for one answer (default: 20)'],
  ['--connect-timeout <seconds>', 'longest wait for a connection (default: 10)'],
  ['--max-time <seconds>', 'longest time of the whole run (default: none)'],
  ['--retries <count>', 'retries after a failure that may pass (default: 4)'],
  ['--token-file <file>', 'read the token from FILE, - for standard input; do not store it'],
  ['--proxy <url>', 'send requests through this proxy; proxy variables are ignored'],
  ['--allow-asset-host <hosts>', 'also trust these hosts for files, comma-separated'],
  ['--insecure-http', 'allow plain http to another machine'],
  ['--offline', 'send nothing over the network; only the local archive answers'],
  ['--record <file>', 'record the HTTP exchanges of the run in FILE.warc.gz, without tokens'],
  ['--force', 'replace existing files that have other content'],
  ['--strict', 'exit 3 if something was withheld or a list is incomplete'],
  ['--color <when>', 'when to print in colour (default: auto)', ['auto', 'always', 'never']],
  ['--no-color', 'the same as --color never'],
  ['--utc', 'show dates in UTC (default: your time zone)'],
  ['--relative', 'show dates as distances from now, such as 3 days ago'],
  ['--no-pager', 'do not show long output in a pager'],
  ['--no-input', 'never ask questions'],
  ['-q, --quiet', 'print no notices, progress or summary'],
  ['-v, --verbose', 'print diagnostics on standard error; -vv: each request as a curl command'],
];
