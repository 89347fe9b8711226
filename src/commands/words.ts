// What a command is: its words as plain data, and a body that is loaded when it runs.
import type * as z from 'zod';
import type { App } from '../app.ts';

/** One command line. Declarations are data, so that help, completions and README are made from the same source. */
export type Words = {
  /** The words typed, e.g. `attachments ls`. */
  words: string;
  summary: string;
  /** Commander's argument syntax (`<id>`, `[paths...]`), a description, and values worth proposing. */
  arguments?: [syntax: string, description: string, proposals?: readonly string[]][];
  /** Commander's option syntax (`--city <city>`), a description, and the closed set of values where there is one. */
  options?: [syntax: string, description: string, choices?: readonly string[]][];
  examples: string[];
  /** Runs where the settings are wrong too, to explain or mend them; `--profile` may name one that is not there yet. */
  lenient?: true;
  load: () => Promise<Body>;
};

/** `Input` reads arguments (by name) and options as commander gives them; `run` does the work or throws a Fault. */
export type Body = {
  Input: z.ZodType;
  run: (input: never, app: App) => Promise<void>;
};

export const GLOBAL_OPTIONS: [syntax: string, description: string, choices?: readonly string[]][] = [
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
