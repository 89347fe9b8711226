// Answers the completion scripts: `arx __complete SHELL KINDS -- …`. A bundle of its own, so that it starts as fast as it can.
import { directoriesOf, type DirectoryInputs } from '../config/directories.ts';
import { loadSettings } from '../config/settings.ts';
import { readSettingsFile } from '../config/settings-file.ts';
import { escapeText } from '../format/terminal/escape.ts';
import { archiveKey, isProposable, readSeenValues, type SeenKind, type SeenValue } from './seen-values.ts';
import type { Shell } from './scripts.ts';
import { bashReply, readBashLine, withoutOption } from './typed-line.ts';
import type { ValueKind } from './value-kinds.ts';

/** What is asked: what was typed up to the cursor, without quotes. */
type Question = { shell: Shell; words: readonly string[]; current: string; outside: Outside };
type Outside = DirectoryInputs & { uid: number | undefined };

/** Settings are only read here: nobody is told of a mode that would be changed. */
const READER = { uid: undefined, notice: () => {} };

/**
 * Returns the proposals as lines for the script. `argv`: the shell, the kinds of values with commas between them, `--`, the
 * part of the word that the shell replaces (PowerShell: after `=`), and the words before it (bash: the line up to the
 * cursor). Sends no request, changes nothing and never throws.
 */
export async function complete(argv: readonly string[], outside: Outside): Promise<string> {
  const [shell, kinds = '', , part = '', ...words] = argv as readonly [Shell, ...string[]];
  try {
    const line = shell === 'bash' ? readBashLine(words[0] ?? '') : undefined;
    const current = withoutOption(
      line?.current ?? (shell === 'powershell' ? part.replace(/^=['"‘’‚‛“”„]?/, '') : part),
    );
    const question = { shell, words: line?.words ?? words, current, outside };
    const lists = kinds.split(',').map(async (kind) => valuesOf(kind as ValueKind, question));
    const found = (await Promise.all(lists)).flat();
    // zsh and fish compare with what was typed in their own ways, for example in any case of letters.
    const isFiltered = shell === 'bash' || shell === 'powershell';
    return found
      .filter(([value]) => isProposable(value) && (!isFiltered || value.startsWith(current)))
      .map(([value, label]) =>
        line === undefined
          ? WRITTEN[shell as OtherShell](value, escapeText(label))
          : bashReply(value, line, part),
      )
      .join('\n');
  } catch {
    return '';
  }
}

type OtherShell = Exclude<Shell, 'bash'>;

/** How a proposal is written for the other shells. */
const WRITTEN: Record<OtherShell, (value: string, label: string) => string> = {
  // As _describe reads it.
  zsh: (value, label) => `${value.replaceAll(/[\\:]/g, '\\$&')}${label === '' ? '' : `:${label}`}`,
  fish: (value, label) => `${value}\t${label}`,
  powershell: (value, label) => `${powershellWord(value)}\t${value}\t${label === '' ? value : label}`,
};

/** PowerShell takes typographic quotes for straight ones. */
function powershellWord(value: string): string {
  return /^\w[\w./:-]*$/.test(value) ? value : `'${value.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}

async function valuesOf(kind: ValueKind, question: Question): Promise<readonly SeenValue[]> {
  switch (kind) {
    case 'profiles':
      return profilesOf(question.outside);
    case 'addresses':
      return addressesOf(question.outside);
    case 'fields':
      return fieldsOf(question);
    case 'queries':
      return queriesOf(question);
    default:
      return seenValues(kind, question);
  }
}

function profilesOf(outside: DirectoryInputs): SeenValue[] {
  const { profiles } = readSettingsFile(directoriesOf(outside).config, READER);
  return [...new Set(['default', ...profiles.keys()])].map((name) => {
    const address = profiles.get(name)?.['base_url'];
    return [name, typeof address === 'string' ? address : ''];
  });
}

function addressesOf(outside: DirectoryInputs): SeenValue[] {
  const { values, profiles } = readSettingsFile(directoriesOf(outside).config, READER);
  const named = [...profiles].map(([name, own]): [unknown, string] => [own['base_url'], `profile ${name}`]);
  const addresses = new Map([...named, [values['base_url'], ''] as const]);
  return [...addresses].flatMap(([url, label]): SeenValue[] =>
    typeof url === 'string' ? [[url, label]] : [],
  );
}

/** The fields of the command that the words name, after those that are typed before the last comma. */
async function fieldsOf({ shell, words, current }: Question): Promise<SeenValue[]> {
  const { default: names } = await import('./field-names.json');
  const isCommand = (text: string): text is keyof typeof names => Object.hasOwn(names, text);
  const command = words.flatMap((word, at) => [`${word} ${words[at + 1] ?? ''}`, word]).find(isCommand);
  if (command === undefined) return [];
  const typed = current.split(',').slice(0, -1);
  // zsh completes only what stands after the last comma.
  const before = shell === 'zsh' ? '' : typed.map((name) => `${name},`).join('');
  return names[command].filter((name) => !typed.includes(name)).map((name) => [before + name, '']);
}

/** The fields of a query whose values are kept. */
const KIND_OF_QUERY_FIELD = {
  city: 'cities',
  type: 'types',
  source: 'sources',
  from: 'senders',
  file: 'names',
  conversation: 'conversations',
} as const;

/** The query that is typed, with each value of the field that its last word names: `glass type:` becomes `glass type:image/png`. */
function queriesOf(question: Question): SeenValue[] {
  // fish gives the word with the quotation mark that is still open.
  const current = question.shell === 'fish' ? question.current.replace(/^['"]/, '') : question.current;
  const word = current.split(/[\s()]/).at(-1) ?? '';
  const name = /^-?([a-z]+):/.exec(word)?.[1] ?? '';
  if (!Object.hasOwn(KIND_OF_QUERY_FIELD, name)) return [];
  const kind = KIND_OF_QUERY_FIELD[name as keyof typeof KIND_OF_QUERY_FIELD];
  const before = current.slice(0, current.length - word.length + word.indexOf(':') + 1);
  return seenValues(kind, question).flatMap(([value, label]): SeenValue[] => {
    // A query cannot express a quotation mark.
    if (value.includes('"')) return [];
    const isWord = /^[^\s()]+$/.test(value) && !word.includes(':"');
    return [[before + (isWord ? value : `"${value}"`), label]];
  });
}

function seenValues(kind: SeenKind, { words, outside }: Question): readonly SeenValue[] {
  const flags = { profile: optionOf('--profile', words), baseUrl: optionOf('--base-url', words) };
  const { settings, directories } = loadSettings(flags, outside, READER, { lenient: true });
  const place = { cache: directories.cache, archive: archiveKey(settings), uid: outside.uid };
  return readSeenValues(place)[kind] ?? [];
}

/** The last value of an option, in the next word or after `=`. */
function optionOf(name: string, words: readonly string[]): string | undefined {
  return words
    .flatMap((word, at) =>
      word === name ? (words[at + 1] ?? []) : word.startsWith(`${name}=`) ? word.slice(name.length + 1) : [],
    )
    .at(-1);
}
