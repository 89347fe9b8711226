// Tests of rows that no service is asked to make: names, words, dates and sizes, as the columns of a list show them.
import type { App } from '../../app.ts';
import { instantOf } from '../../contract/instant-forms.ts';
import { dateExamples, parsePeriod, type Period } from '../../contract/search/dates.ts';
import { nearest } from '../../contract/nearest.ts';
import { findTerm } from '../../contract/search/match.ts';
import { QueryError, type TextField } from '../../contract/search/expression.ts';
import { parseTerm } from '../../contract/search/tokens.ts';
import { wordsOf } from '../../contract/search/words.ts';
import { Fault } from '../../faults.ts';
import { formatCount, plural } from '../../format/numbers.ts';
import { viewForRows } from '../../format/views/columns-for-rows.ts';
import type { Cell, View } from '../../format/views/view.ts';
import { checkDateRange, type DateBounds } from './date-range.ts';
import { globMatcher } from './glob.ts';

/** One test. `column`: what it looks at, for people. */
export type RowTest<Row> = {
  column: string;
  /** Returns whether a row matches; undefined where the row does not show what is looked at. */
  matches(row: Row): boolean | undefined;
  /** The words of the command that lists the rows which do not show it. */
  command?: string;
  /** Rows that do not match may match: not all that is looked at could be read, which is said elsewhere. */
  isUnsure?: boolean;
  /** Returns, after the last row, the words that no row has together, and what was probably meant; undefined where rows have them. */
  missing?(): MissingWords | undefined;
};

/** Words of an option that no row of a list has. `near`: the value of the option that was probably meant. */
export type MissingWords = { option: TextField; text: string; near: string | undefined };

/** Returns a value of a row; undefined where the row does not show one. */
export type ValueOf<Row> = (row: Row) => string | number | undefined;

/** All tests of a list. Rows that do not show what is looked at do not match; they are counted. */
export class RowTests<Row> {
  readonly #tests: readonly RowTest<Row>[];
  /** Rows of which it could not be told whether they match, by column. */
  readonly #hidden = new Map<string, number>();
  /** Columns that some row showed. */
  readonly #shown = new Set<string>();

  constructor(tests: readonly RowTest<Row>[]) {
    this.#tests = tests;
  }

  get isEmpty(): boolean {
    return this.#tests.length === 0;
  }

  /** Returns whether a row matches, without counting it. */
  surelyMatches(row: Row): boolean {
    return this.#tests.every((test) => test.matches(row) === true);
  }

  /** Returns whether a row matches. Call it once for each row. */
  matches(row: Row): boolean {
    if (this.isEmpty) return true;
    const verdicts = this.#tests.map((test) => ({ column: test.column, isMatch: test.matches(row) }));
    for (const { column, isMatch } of verdicts) if (isMatch !== undefined) this.#shown.add(column);
    if (verdicts.some(({ isMatch }) => isMatch === false)) return false;
    const hidden = new Set(
      verdicts.filter(({ isMatch }) => isMatch === undefined).map(({ column }) => column),
    );
    for (const column of hidden) this.#hidden.set(column, (this.#hidden.get(column) ?? 0) + 1);
    return hidden.size === 0;
  }

  /** Returns, after the last row, the words that were asked for and that no row has. */
  missing(): MissingWords[] {
    return this.#tests.flatMap((test) => test.missing?.() ?? []);
  }

  /** Returns, after the last row, the Fault of a column that no row showed. */
  fault(): Fault | undefined {
    const column = [...this.#hidden.keys()].find((each) => !this.#shown.has(each));
    return column === undefined ? undefined : noneShows(column);
  }

  /** Returns whether some row could not be judged. */
  get isUndecided(): boolean {
    return this.#hidden.size > 0 || this.#tests.some(({ isUnsure }) => isUnsure);
  }

  /** Says, after the last row, how many rows could not be judged; under `--strict` that is a Fault of the run. */
  sayHidden(app: Pick<App, 'strict' | 'notice' | 'addFault'>): void {
    for (const [column, count] of this.#hidden) {
      if (!this.#shown.has(column)) continue;
      const command = this.#tests.find((test) => test.column === column)?.command;
      const has = count === 1 ? '1 row has' : `${formatCount(count)} rows have`;
      const message = `${has} no ${column}, or the service does not show it: left out`;
      sayLeftOut({ message, count, command }, app);
    }
  }
}

/** Returns the Fault of a list whose rows are selected by a column that none of them shows. */
export function noneShows(column: string): Fault {
  return new Fault('partial', `no row shows ${column}, so none can be selected by it`);
}

/** Rows of which it cannot be told whether they match. `command`: the words of the command that lists them. */
export type LeftOut = { message: string; count: number; command: string | undefined };

/** Says that rows are left out because it cannot be told whether they match; under `--strict` that is a Fault of the run. */
export function sayLeftOut(
  { message, count, command }: LeftOut,
  app: Pick<App, 'strict' | 'notice' | 'addFault'>,
): void {
  if (app.strict)
    app.addFault(
      new Fault('partial', message, command === undefined ? {} : { hint: ({ arx }) => `${arx} ${command}` }),
    );
  else
    app.notice(
      command === undefined
        ? message
        : ({ arx }) => `${message}; ${arx} ${command} lists ${count === 1 ? 'it' : 'them'}`,
    );
}

/** Returns what a column of a list shows of a row, also where the service gives the field another name. */
export function valueOfColumn<Row extends object>(view: View<Row>, name: string): ValueOf<Row> {
  const column = view.columns.find((each) => each.name === name);
  if (column === undefined) throw new Error(`there is no column ${name}`);
  const shown = (cell: Cell): string | number | undefined =>
    typeof cell === 'number' || (typeof cell === 'string' && cell !== '') ? cell : undefined;
  return (row) =>
    shown(column.of(row)) ?? shown(viewForRows({ columns: [column] }, [row]).columns[0]!.of(row));
}

/** Returns the instant that a column shows, in milliseconds since 1970. A date without a zone is taken to be in UTC. */
export function instantOfColumn<Row extends object>(
  view: View<Row>,
  name: string,
): (row: Row) => number | undefined {
  const valueOf = valueOfColumn(view, name);
  return (row) => instantOf(valueOf(row));
}

/** Returns the test of `--name`: the whole name matches a shell pattern. */
export function nameTest<Row>(pattern: string, column: string, valueOf: ValueOf<Row>): RowTest<Row> {
  const matches = globMatcher(pattern);
  return testOf(column, valueOf, (value) => matches(String(value)));
}

/** Returns the test of `--from` and `--subject`: the words of `arx search`, one after the other. Throws Fault `usage` where there is none. */
export function wordsTest<Row>(text: string, field: TextField, valueOf: ValueOf<Row>): RowTest<Row> {
  try {
    const term = parseTerm(text, field);
    const known = new Set<string>();
    let isFound = false;
    const test = testOf(field, valueOf, (value) => {
      const words = wordsOf(String(value));
      const isMatch = findTerm(term, words).next().done === false;
      isFound ||= isMatch;
      if (!isFound && known.size < MAX_KNOWN_WORDS) for (const word of words) known.add(word);
      return isMatch;
    });
    return {
      ...test,
      missing: () => (isFound ? undefined : { option: field, text, near: nearWords(term.words, known) }),
    };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new Fault('usage', `--${field}: ${error.message}`);
  }
}

/** Words of rows among which a mistyped one is looked for. */
const MAX_KNOWN_WORDS = 10_000;

/** Returns the words with the known ones that are nearest to the others; undefined where one is near none, or all are known. */
function nearWords(words: readonly string[], known: ReadonlySet<string>): string | undefined {
  const near = words.map((word) => (known.has(word) ? word : nearest(word, [...known])));
  return near.includes(undefined) || words.every((word) => known.has(word)) ? undefined : near.join(' ');
}

/** Returns the test of `--min-bytes`. */
export function sizeTest<Row>(least: number, column: string, valueOf: ValueOf<Row>): RowTest<Row> {
  return testOf(column, valueOf, (value) => Number(value) >= least);
}

/**
 * `since`: the first instant that matches is the beginning of this date. `until`: its beginning is the first that does not. `on`: the
 * instants of this day, month or year match.
 */
export type Dates = { since?: string | undefined; until?: string | undefined; on?: string | undefined };

/**
 * Returns the tests of `--since`, `--until` and `--on`. Throws Fault `usage` for a wrong date, and where one column is compared with dates
 * that exclude each other, before anything is sent.
 */
export function dateTests<Row>(
  { since, until, on }: Dates,
  columns: { since: string; until: string },
  instantIn: (column: string) => (row: Row) => number | undefined,
  now: number,
): RowTest<Row>[] {
  const from = (start: number) => testOf(columns.since, instantIn(columns.since), (at) => at >= start);
  const upTo = (end: number) => testOf(columns.until, instantIn(columns.until), (at) => at < end);
  const bounds: DateBounds[] = [];
  if (since !== undefined)
    bounds.push({ written: `--since ${since}`, start: periodOf('--since', since, now).start });
  if (until !== undefined)
    bounds.push({ written: `--until ${until}`, end: periodOf('--until', until, now).start });
  if (on !== undefined) bounds.push({ written: `--on ${on}`, ...periodOf('--on', on, now) });
  if (columns.since === columns.until)
    checkDateRange(bounds, '--until is the first date left out: --since 2020 --until 2021, --on 2020');
  return bounds.flatMap(({ start, end }) => [
    ...(start === undefined ? [] : [from(start)]),
    ...(end === undefined ? [] : [upTo(end)]),
  ]);
}

/** Returns the period that the value of an option names. Throws Fault `usage` for a wrong date. */
export function periodOf(option: string, text: string, now: number): Period {
  const period = parsePeriod(text, now);
  if (typeof period !== 'string') return period;
  throw new Fault('usage', `${option}: ${period}`, { hint: dateExamples(`${option} `) });
}

function testOf<Row, Value>(
  column: string,
  valueOf: (row: Row) => Value | undefined,
  matches: (value: Value) => boolean,
): RowTest<Row> {
  return {
    column,
    matches(row) {
      const value = valueOf(row);
      return value === undefined ? undefined : matches(value);
    },
  };
}

/** Returns the words of a notice about the rows of a list that are shown of those that match. */
export function shownOf(shown: number, total: number): string {
  return `${formatCount(shown)} of ${plural(total, 'row')}`;
}
