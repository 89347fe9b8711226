// Options that every command takes.
import type { CommandOption } from './command-spec.ts';

export const GLOBAL_OPTIONS: readonly CommandOption[] = [
  ['-o, --output <form>', 'form of the output', ['table', 'tsv', 'json', 'ndjson', 'sums']],
  ['--json', 'the same as -o json'],
  ['--fields <names>', 'only these wire fields, comma-separated'],
  ['--profile <name>', 'settings and token of this profile'],
  ['--base-url <url>', 'address of the archive service (default: the local archive)'],
  ['--asset-url <url>', 'address its files are served from'],
  ['--timeout <seconds>', 'longest wait for one answer'],
  ['--retries <count>', 'tries again after a fault that may pass'],
  ['--token-file <file>', 'read the token from FILE, or - for standard input; it is not stored'],
  ['--proxy <url>', 'the only way to a proxy; proxy variables are ignored'],
  ['--allow-asset-host <hosts>', 'trust one more origin for files, or several, comma-separated'],
  ['--insecure-http', 'allow plain http to another machine'],
  ['--record <file>', 'write the HTTP exchanges of the run to FILE.warc.gz, without tokens'],
  ['--force', 'replace a file that has other content'],
  ['--strict', 'exit 3 where something was withheld or cut'],
  ['--no-color', 'no colour'],
  ['--no-input', 'never ask'],
  ['-q, --quiet', 'no notices, progress or summary'],
  ['-v, --verbose', 'diagnostic log on standard error'],
];
