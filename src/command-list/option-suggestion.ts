// What an unknown option was meant to be: options that other programs call otherwise, and options of other commands.
import { nearest } from '../contract/nearest.ts';
import type { CommandOption, CommandSpec } from './command-spec.ts';
import { GLOBAL_OPTIONS } from './global-options.ts';
import type { CommandWords } from './index.ts';
import { OPTION_OF_PARAMETER } from './shared-options.ts';

/** Forms of the output that other programs call otherwise. */
const FORM_OF_NAME: Readonly<Record<string, string>> = {
  jsonl: 'ndjson',
  jsonlines: 'ndjson',
  'json-lines': 'ndjson',
  text: 'tsv',
  plain: 'tsv',
  sha256sum: 'sums',
};

const FORM_OPTIONS = new Set(['--format', '--fmt', '--out-format', '--output-format', '--type', '-f', '-F']);

/** Options of other programs for the folder or the database of an archive. */
const ARCHIVE_OPTIONS = ['--db', '--archive', '--data-dir', '--datadir'];

/** Options of other programs, and those of arx that do the same: the first one that the command takes is proposed. */
export const OPTIONS_OF_OTHERS: readonly (readonly [others: readonly string[], ours: readonly string[]])[] = [
  [['--csv'], ['-o csv']],
  [['--tsv', '--plain', '--text', '--no-headers', '--noheader', '--no-header'], ['-o tsv']],
  [['--ndjson', '--jsonl', '--json-lines', '--stream'], ['-o ndjson']],
  [['--table', '--pretty'], ['-o table']],
  [
    ['-n', '-L', '--max-results', '--max-count', '--head', '--top', '--per-page', '--page-size'],
    ['--limit', '--dry-run', '--max-rows'],
  ],
  [['--limit', '--max'], ['--max-rows']],
  [['--page', '--offset', '--skip', '--cursor', '--start', '--page-token'], ['--after']],
  [['--all-pages', '--paginate', '-a', '--everything', '--no-limit'], ['--all']],
  [
    ['-y', '--assume-yes', '--confirm', '--no-confirm', '--non-interactive'],
    ['--yes', '--no-input'],
  ],
  [['--dryrun', '--simulate', '--just-print', '--plan', '--check'], ['--dry-run']],
  [['-f'], ['--yes', '--force']],
  [['--overwrite', '--clobber', '--replace'], ['--force']],
  [['--silent', '-s', '--no-notices'], ['--quiet']],
  [['--debug', '-d', '--trace', '--log-level', '--loglevel'], ['--verbose']],
  [['--url', '--host', '--server', '--endpoint', '--api-url', '--remote', '-u'], ['--base-url']],
  [['--token', '--api-key', '--access-token', '--password', '--bearer'], ['--token-file']],
  [
    [
      '--out',
      '--output-dir',
      '--dest',
      '--destination',
      '--dir',
      '--directory',
      '--target',
      '-O',
      '-C',
      '--output-file',
      '--outfile',
    ],
    ['--to', '--freeze', '--html'],
  ],
  [['--from-date', '--start-date', '--date-from', '--newer-than', '--from', '--start'], ['--since']],
  [
    ['--to-date', '--end-date', '--date-to', '--older-than', '--end', '--until'],
    ['--until', '--before'],
  ],
  [['--date', '--day'], ['--on']],
  [['--order-by', '--sort-by', '--order', '--reverse', '-r', '--desc'], ['--sort']],
  [['--columns', '--cols', '--select', '--field', '-c'], ['--fields']],
  [
    ['--query', '--filter', '--where', '--search', '--grep', '--match'],
    ['--matching', '--subject', '--jq'],
  ],
  [
    ['--conversation', '--thread'],
    ['--conversation', '--matching conversation:ID'],
  ],
  [['--expr', '--jmespath'], ['--jq']],
  [['--parallel', '--jobs', '-j', '--threads', '--transfers', '--workers', '-P'], ['--concurrency']],
  [['--bwlimit', '--limit-rate', '--rate'], ['--max-rate']],
  [['--wait', '-m', '--deadline'], ['--max-time']],
  [['--retry', '--tries', '--max-retries'], ['--retries']],
  [['--colour', '--colors'], ['--color']],
  [['--no-colour', '--no-colors', '--monochrome', '-M'], ['--no-color']],
  [['--timezone', '--tz', '--gmt'], ['--utc']],
  [['--no-progress', '--noprogress', '--no-progress-bar'], ['--progress none']],
  [['--no-interactive', '--batch', '--no-prompt'], ['--no-input']],
  [['--no-network', '--local-only'], ['--offline']],
  [ARCHIVE_OPTIONS, ['--database', 'ARX_DATA_DIR=FOLDER']],
  [['--config', '--config-dir', '--config-file'], ['ARX_CONFIG_DIR=FOLDER']],
];

/** Lists without `--limit`, which print rows in every form of the output. */
const UNLIMITED_LISTS: ReadonlySet<string> = new Set<CommandWords>([
  'attachments cities',
  'attachments types',
  'attachments sources',
  'attachments senders',
  'sequence watch',
  'events types',
  'about api',
  'archive ls',
  'tokens ls',
  'config ls',
  'profile ls',
]);

/** Options with which a command writes files. */
const WRITING_OPTIONS = ['--to', '--save', '--html', '--report'];

/** Options that every command takes, and of which commands each is proposed. */
const PROPOSED_FOR: Readonly<Record<string, (spec: CommandSpec) => boolean>> = {
  '--max-rows': ({ words, options = [] }) => UNLIMITED_LISTS.has(words) || takes(options, '--limit'),
  '--force': ({ options = [] }) => WRITING_OPTIONS.some((name) => takes(options, name)),
};

/**
 * Returns what an unknown option was meant to be, in words for a hint; undefined where nothing is known. `typed` may have its value
 * (`--format=csv`, `-n10`), else `value` is the word after it. `spec`: the command, where it is known.
 */
export function optionSuggestion(
  typed: string,
  value: string | undefined,
  { spec, commands }: { spec: CommandSpec | undefined; commands: readonly CommandSpec[] },
): string | undefined {
  const [, name = typed, given = value] =
    /^(--[^=]*)=(.*)$/s.exec(typed) ?? /^(-[A-Za-z])(.+)$/s.exec(typed) ?? [];
  const example = databaseArgument(name, spec);
  if (example !== undefined) return `the database is an argument: ${example}`;
  const known = formMeant(name, given) ?? parameterMeant(name, spec) ?? otherMeant(name, spec);
  const owners = commands.filter((command) => takes(command.options ?? [], name)).slice(0, 2);
  const meant = known ?? (owners.length === 0 ? misspelt(name, spec) : undefined);
  if (meant !== undefined) return `did you mean: ${meant}`;
  if (owners.length === 0) return undefined;
  return `${name} is an option of ${owners.map(({ words }) => `arx ${words}`).join(' and ')}`;
}

/** Returns the form of the output that a name means, also one of other programs. */
export function formOf(name: string): string | undefined {
  const forms = GLOBAL_OPTIONS.find(([syntax]) => syntax.includes('--output '))?.[2] ?? [];
  const word = name.toLowerCase();
  if (Object.hasOwn(FORM_OF_NAME, word)) return FORM_OF_NAME[word];
  return forms.find((form) => form === word);
}

/** Returns the choice that was meant, also by the name of the field that it is of: `messages` by `message_count`. */
export function choiceMeant(typed: string, choices: readonly string[]): string | undefined {
  const sign = typed.startsWith('-') ? '-' : '';
  const parts = typed.slice(sign.length).split('_');
  return [typed, ...parts.map((part) => `${sign}${part}`)]
    .map((word) => nearest(word, choices))
    .find((choice) => choice !== undefined);
}

function formMeant(name: string, value: string | undefined): string | undefined {
  if (!FORM_OPTIONS.has(name) || value === undefined) return undefined;
  const form = formOf(value);
  return form === undefined ? undefined : `-o ${form}`;
}

/** An option that is called as the parameter of the interface which it sets. */
function parameterMeant(name: string, spec: CommandSpec | undefined): string | undefined {
  const parameter = name.slice(2).replaceAll('-', '_');
  const meant = Object.hasOwn(OPTION_OF_PARAMETER, parameter) ? OPTION_OF_PARAMETER[parameter] : undefined;
  return meant !== undefined && takes(spec?.options ?? [], meant) ? meant : undefined;
}

/** Returns an example of a command that takes its databases as arguments, if the option names a database. */
function databaseArgument(name: string, spec: CommandSpec | undefined): string | undefined {
  const isDatabase = name === '--database' || ARCHIVE_OPTIONS.includes(name);
  const [, description = ''] = spec?.arguments?.[0] ?? [];
  return isDatabase && description.includes('postgres://') ? spec?.examples.at(-1) : undefined;
}

function otherMeant(name: string, spec: CommandSpec | undefined): string | undefined {
  const options = [...(spec?.options ?? []), ...GLOBAL_OPTIONS];
  for (const [others, ours] of OPTIONS_OF_OTHERS) {
    if (!others.includes(name)) continue;
    const meant = ours.find(
      (our) =>
        our.startsWith('ARX_') ||
        (takes(options, our.split(' ')[0]!) && (spec === undefined || isProposedFor(our, spec))),
    );
    if (meant !== undefined) return meant;
  }
  return undefined;
}

function isProposedFor(option: string, spec: CommandSpec): boolean {
  return !Object.hasOwn(PROPOSED_FOR, option) || PROPOSED_FOR[option]!(spec);
}

function misspelt(name: string, spec: CommandSpec | undefined): string | undefined {
  if (!name.startsWith('--')) return undefined;
  const names = [...(spec?.options ?? []), ...GLOBAL_OPTIONS]
    .flatMap(([syntax]) => namesOf(syntax))
    .flatMap((option) => (option.startsWith('--') ? [option.slice(2)] : []));
  // Without the signs, which would count as letters that are right.
  const meant = nearest(name.slice(2), names);
  return meant === undefined ? undefined : `--${meant}`;
}

/** Returns whether one of the options has this name. */
export function takes(options: readonly CommandOption[], name: string): boolean {
  return options.some(([syntax]) => namesOf(syntax).includes(name));
}

/** Returns the names in the syntax of an option: `-o, --output <form>` has two. */
function namesOf(syntax: string): string[] {
  return syntax
    .split(' ')
    .filter((word) => word.startsWith('-'))
    .map((word) => word.replace(/,$/, ''));
}
