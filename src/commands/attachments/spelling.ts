// How the archive writes a city, type or source that was asked for in another spelling: `São Paulo` may be `sao_paulo` there.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { IN_READABLE } from '../../contract/tier.ts';
import { Fault, hintText, type Hint } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { attachmentView } from '../../format/views/index.ts';
import { lowerCase, nearValue, typeOfWord } from '../lists/near-value.ts';
import { noneShows, valueOfColumn } from '../lists/row-tests.ts';
import { isWithheld } from '../lists/withheld-rows.ts';
import { withProgress } from '../lists/with-progress.ts';
import { wholeCatalogue } from './catalogue.ts';
import { isPattern, NONE, type ExactValues } from './filter.ts';

/** Returns a name without case, accents, spaces and signs, so that spellings of one city are equal. */
export function foldedCity(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Values that are compared as a whole: `fold` makes their spellings equal, `plural` is the command that lists them. */
const COLUMNS = {
  city: { fold: foldedCity, plural: 'cities' },
  type: { fold: lowerCase, plural: 'types' },
  source: { fold: lowerCase, plural: 'sources' },
} as const;
type Column = keyof typeof COLUMNS;

const filenameOf = valueOfColumn(attachmentView, 'filename');

/**
 * Yields the rows that `read` gives, and where there are none, those of the values as the archive writes them. `onUnknown`: as for
 * {@link filterAsWritten}.
 */
export async function* rowsAsWritten<Rows>(
  input: ExactValues,
  app: App,
  read: (input: ExactValues) => Promise<AsyncIterable<Rows>>,
  onUnknown?: () => void,
): AsyncGenerator<Rows> {
  let isFound = false;
  for await (const rows of await read(input)) {
    isFound = true;
    yield rows;
  }
  const written = isFound ? undefined : await filterAsWritten(input, app, onUnknown);
  if (written !== undefined) yield* await read({ ...input, ...written });
}

/** Values of a column, and for each extension of a file name the types of such files. `hidden`: withheld rows that do not show their value. */
type Known = { values: Set<string>; byExtension: Map<string, Set<string>>; hidden: number };

/**
 * Returns the city, type and source that differ from those of `asked` in their spelling only (a city in case, accents, spaces and signs,
 * the others in case), after no row had those of `asked`; undefined where no value does. Reads the whole list. Says in a notice which
 * they are; where there is none, or more than one, says that, calls `onUnknown`, and fails the run under `--strict`: as partial where a
 * withheld row may have the value. Where every row is withheld and none shows a value, nothing can be said: that fails the run.
 */
export async function filterAsWritten(
  asked: ExactValues,
  app: App,
  onUnknown?: () => void,
): Promise<ExactValues | undefined> {
  const columns = (Object.keys(COLUMNS) as Column[]).flatMap((column) => {
    const value = asked[column];
    if (value === undefined || value === NONE || (column === 'type' && isPattern(value))) return [];
    const known: Known = { values: new Set(), byExtension: new Map(), hidden: 0 };
    return [{ column, value, valueOf: valueOfColumn(attachmentView, column), known }];
  });
  const [first] = columns;
  if (first === undefined) return undefined;
  const { rows } = await wholeCatalogue(app);
  let read = 0;
  for await (const row of withProgress(rows, `looking for the ${first.column} in`, 'rows', app)) {
    read += 1;
    for (const { column, valueOf, known } of columns) addValue(known, valueOf(row), column, row);
  }
  const unshown = columns.filter(({ known }) => known.hidden === read).map(({ column }) => column);
  if (read > 0 && unshown.length > 0) {
    app.addFault(noneShows(unshown.join(' and ')));
    return undefined;
  }
  const written: ExactValues = {};
  for (const { column, value, known } of columns) {
    // Its files were left out by other filters.
    if (known.values.has(value)) continue;
    const found = asWritten(column, value, known, app);
    if (found === undefined) onUnknown?.();
    else written[column] = found;
  }
  return Object.keys(written).length === 0 ? undefined : written;
}

function addValue(known: Known, value: string | number | undefined, column: Column, row: Attachment): void {
  if (typeof value !== 'string') {
    if (isWithheld(row)) known.hidden += 1;
    return;
  }
  known.values.add(value);
  const extension = column === 'type' ? extensionOf(filenameOf(row)) : undefined;
  if (extension === undefined) return;
  const types = known.byExtension.get(extension) ?? new Set();
  known.byExtension.set(extension, types.add(value));
}

function extensionOf(name: string | number | undefined): string | undefined {
  if (typeof name !== 'string' || !name.includes('.')) return undefined;
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

function asWritten(column: Column, asked: string, known: Known, app: App): string | undefined {
  const { fold, plural: list } = COLUMNS[column];
  const values = [...known.values].toSorted();
  const same = values.filter((value) => fold(value) === fold(asked));
  if (same.length === 1) {
    app.notice(`the ${column} "${asked}" is written ${same[0]} here`);
    return same[0];
  }
  const guess =
    (column === 'type' ? typeOf(asked, values, known) : undefined) ?? nearValue(asked, values, fold);
  const message =
    same.length > 1
      ? `the ${column} "${asked}" is written in ${plural(same.length, 'way')} here: ${same.join(', ')}`
      : `no ${column} "${asked}"${known.hidden > 0 ? IN_READABLE : ''}`;
  const hint: Hint = ({ arx }) => {
    if (guess !== undefined) return `did you mean ${guess}?`;
    return values.length === 0 ? `no row names a ${column}` : `${arx} attachments ${list} lists them`;
  };
  const kind = known.hidden > 0 && same.length === 0 ? 'partial' : 'not_found';
  if (app.strict) app.addFault(new Fault(kind, message, same.length > 1 ? {} : { hint }));
  else app.notice(same.length > 1 ? message : (names) => `${message}; ${hintText(hint, names)}`);
  return undefined;
}

/** Returns the types that a word without a slash stands for: `pdf`, `image`, or the extension of files, such as `txt`. */
function typeOf(asked: string, values: readonly string[], { byExtension }: Known): string | undefined {
  const meant = typeOfWord(asked, values);
  if (meant !== undefined || asked.includes('/')) return meant;
  const types = byExtension.get(lowerCase(asked.replace(/^\./, '')));
  return types === undefined ? undefined : [...types].toSorted().join(' or ');
}
