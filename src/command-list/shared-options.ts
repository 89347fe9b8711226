// Options that several commands share.
import { PAGE_LIMIT } from '../contract/scalars.ts';
import type { CommandOption } from './command-spec.ts';

const limitOption = (defaults: string) =>
  [
    '--limit <count>',
    `rows of one page, ${PAGE_LIMIT.minimum} to ${PAGE_LIMIT.maximum} (default: ${defaults})`,
  ] as const satisfies CommandOption;
const OF_THE_SERVICE = `the service's, ${PAGE_LIMIT.default} with arx serve`;

const CURSOR_OPTIONS = [
  ['--after <id>', 'only rows after this one'],
  ['--before <id>', 'only rows before this one'],
] as const satisfies readonly CommandOption[];

/** One page of a list. */
export const PAGE_OPTIONS = [
  limitOption(OF_THE_SERVICE),
  ...CURSOR_OPTIONS,
] as const satisfies readonly CommandOption[];

/** All pages of a list. */
export const ALL_OPTION = [
  '--all',
  'every row, not one page; exit 3 if some may be missing. --limit is then the rows of each request',
] as const satisfies CommandOption;

/** How many rows of a list match. */
export const COUNT_OPTION = [
  '--count',
  'only the number of rows that match, from the whole list',
] as const satisfies CommandOption;

/** Which rows of a list are shown, by date. `--before` is a cursor there. */
export const DATE_OPTIONS = [
  ['--since <date>', 'only rows from this date on, e.g. 2021, 2021-03-04, 3m'],
  ['--until <date>', 'only rows before this date, as --before of arx search'],
  ['--on <date>', 'only rows of this day, month or year, e.g. 2021-03'],
] as const satisfies readonly CommandOption[];

/** Returns `--sort` by one of these columns. */
export function sortOption(...columns: readonly string[]): CommandOption {
  const choices = columns.flatMap((column) => [column, `-${column}`]);
  return ['--sort <column>', 'the first rows of this order; with - the greatest or newest first', choices];
}

/** Options of commands, by the query parameter of the interface that they set. */
export const OPTION_OF_PARAMETER: Readonly<Record<string, string>> = {
  origin_city: '--city',
  content_type: '--type',
  source: '--source',
  message_id: '--message',
  redacted: '--redacted',
  conversation: '--conversation',
  conversation_id: '--conversation',
  starting_after: '--after',
  ending_before: '--before',
};

const OPTIONS_OF_WALKS = [
  ['--concurrency <count>', 'requests at once, 1 to 16 (default: 6)'],
  ['--confidence <share>', 'how sure the order of all rows must be, 0.5 to 0.999999 (default: 0.999)'],
  [
    '--max-requests <count>',
    'stop after this many requests, besides about ten that find out what the service can do',
  ],
  ['--freeze <dir>', 'also keep the rows in DIR, to go on later (--resume), to verify and to compare'],
  ['--resume', 'with --freeze: go on where a walk into this folder ended'],
  ['--report <file>', 'write the verdict and its figures to FILE; - prints them in place of the rows'],
  [
    '--fail-on-drift <share>',
    'exit 8 if the service reports more drift than this, or more reads disagree; 0 to 1',
  ],
] as const satisfies readonly CommandOption[];

/** A walk of a whole list. */
export const WALK_OPTIONS = [
  limitOption('100'),
  ...CURSOR_OPTIONS,
  ...OPTIONS_OF_WALKS,
] as const satisfies readonly CommandOption[];

/** One page of a list, or with --walk a walk. */
export const PAGE_OR_WALK_OPTIONS = [
  limitOption(`${OF_THE_SERVICE}; 100 with --walk`),
  ...CURSOR_OPTIONS,
  ...OPTIONS_OF_WALKS,
] as const satisfies readonly CommandOption[];

/** Limits of what is downloaded; sizes as `--min-bytes` takes them. */
export const LIMIT_OPTIONS = [
  ['--max-rate <size>', 'download at most this many bytes a second, all files together, e.g. 500kB'],
  ['--max-bytes <size>', 'begin no further file after this many bytes; exit 3 if files are left out'],
] as const satisfies readonly CommandOption[];

/** A command that changes or deletes something asks first. */
export const CONFIRM_OPTIONS = [
  ['--dry-run', 'show what would be changed; change nothing'],
  ['--yes', 'do not ask; needed where there is no terminal to ask on'],
] as const satisfies readonly CommandOption[];

/** Which archive a command opens on this machine. */
export const DATABASE_OPTIONS = [
  ['--database <url>', 'sqlite:FOLDER or postgres://… (default: the local archive)'],
  [
    '--blobs <place>',
    'with PostgreSQL: files are in this folder or bucket (s3://BUCKET/PREFIX), not in the database',
  ],
] as const satisfies readonly CommandOption[];
