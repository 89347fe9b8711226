// Prints the output of commands in every form: data on stdout, notices on stderr.
import { exactJsonText } from '../contract/exact-json.ts';
import { Fault } from '../faults.ts';
import type { Sink } from '../world.ts';
import { createCheckedFields, type TemplateFields } from './checked-fields.ts';
import { parseFieldSelection, type SelectedField } from './field-selection.ts';
import { jsonDocument, jsonRecord, type EncodeJson, type Envelope } from './json-output.ts';
import type { Output } from './outputs.ts';
import {
  colorPaint,
  linkPaint,
  truncateLine,
  NO_PAINT,
  paintLine,
  plainText,
  type Line,
  type Paint,
} from './terminal/styled-line.ts';
import { cutList } from './cut-list.ts';
import { readAhead } from './read-ahead.ts';
import { writeToSink } from './sink-writer.ts';
import type { CompleteRecord } from './record-shape.ts';
import { mapRows, pagesOf, textOfRows, type Rows } from './rows.ts';
import { summaryLine } from './summary-line.ts';
import { summaryRecord } from './summary-record.ts';
import type { Canvas } from './terminal/capabilities.ts';
import { drawTable } from './terminal/table.ts';
import { escapeBlock, escapeJson, escapeText } from './terminal/escape.ts';
import { wrapMessage, wrapParts } from './terminal/wrap.ts';
import { wrapLine } from './terminal/wrap-line.ts';
import { commaSeparated, tabSeparated, type SeparatedForm } from './separated-values.ts';
import { isDecided, viewForRows } from './views/columns-for-rows.ts';
import { cellText, keyLines, type Column, type View } from './views/view.ts';

/** Shows one output in a pager if it is longer than the screen. */
type Paging = {
  show(write: (sink: Sink) => Promise<void>): Promise<void>;
  isClosedEarly(): boolean;
};

/** `color`, `unicode` and `columns` are those of stdout (terminal/capabilities.ts). */
export type PrinterOptions = Canvas & {
  stdout: Sink;
  stderr: Sink;
  output: Output;
  /** Only these fields of the wire become columns and fields of JSON objects. */
  fields?: readonly SelectedField[] | undefined;
  /** Checks the fields that a template names and the schema lacks, with the first records, before one is printed. */
  templateFields?: TemplateFields | undefined;
  /** Fields that a template or a jq program names: records have them, also those that they have only if they are selected. */
  named?: ReadonlySet<string> | undefined;
  color: boolean;
  /** Returns whether an address can be opened; absent where the terminal has no links. */
  links?: ((address: string) => boolean) | undefined;
  /** The pager for what is longer than the screen; absent where there is none. */
  paging?: Paging | undefined;
  quiet: boolean;
  /** Is told of each report, also where it is not printed. */
  onReport?: ((wire: object) => void) | undefined;
  /** Lists, records and reports are not printed: they only tell what was changed, and nobody asked for that. */
  isSilent?: boolean;
  /** Values that a spreadsheet would run as formulas begin with an apostrophe, in the forms tsv and csv. */
  csvSafe?: boolean;
  /** Gives a record of ndjson every key of its schema, undefined where its rows may have any. */
  complete?: CompleteRecord | undefined;
  /** Longest list, and what is called where one has more rows. */
  cut?: { maxRows: number; onCut: () => void } | undefined;
  /** With ndjson: the last record says whether these are all rows. */
  withSummary?: boolean;
  /** A program reads the output (`--jq`), so that nobody sees the summary of a document. */
  isForProgram?: boolean;
};

/** Each method resolves when the streams have taken the text, and throws what they throw. */
export type Printer = {
  readonly output: Output;
  /** Whether each line is one row (tsv, csv, ndjson), so that a report prints its rows, not its document. */
  readonly isOneRowPerLine: boolean;
  /** Whether fields were selected. */
  readonly hasFields: boolean;
  /** Returns whether records are printed with this field: with every field, unless some were selected. */
  shows(field: string): boolean;
  /** Returns whether this field was selected by its name, or is named by the template or the jq program. */
  selects(field: string): boolean;
  /** Prints a list: a JSON document, one record in each line, separated values (csv with a header), or a table. */
  list<T extends object>(view: View<T>, list: Envelope<T>): Promise<void>;
  /** Returns how many rows of the last list were read so far, undefined where none was begun. */
  rowsRead(): number | undefined;
  /** Returns whether a notice must say that rows may be missing: not where a JSON document says it. */
  mustSayDoubts(): boolean;
  /** Returns whether a notice must name the next page: as {@link Printer.mustSayDoubts}, and not after rows that `--max-rows` cut. */
  mustNameNext(): boolean;
  /** Prints a record: the wire record as JSON, csv as a list of one row, else `key value` lines (tsv: `key<TAB>value`). */
  record<T extends object>(view: View<T>, wire: T): Promise<void>;
  /** Prints a report: its wire form as JSON, its fields as one row of csv, else `lines`. `sums` are those of `-o sums`. */
  report(
    wire: object,
    lines: (canvas: Canvas) => Iterable<Line>,
    sums?: () => Iterable<string>,
  ): Promise<void>;
  /** Prints a picture beside other output. Only the form `table` has it. */
  picture(lines: (canvas: Canvas) => Iterable<Line>): Promise<void>;
  /** Prints a plot that was asked for in place of rows, without styles in other forms than `table`. */
  plot(lines: (canvas: Canvas) => Iterable<Line>): Promise<void>;
  /** Prints lines for people while they arrive, whole and with styles only in a table. */
  lines(lines: Rows<Line>): Promise<void>;
  /** Prints text from the archive, escaped, with a final newline. */
  text(text: string): Promise<void>;
  /** Prints bytes unchanged. */
  bytes(bytes: Uint8Array): Promise<void>;
  /** Prints a notice on stderr unless quiet. */
  note(text: string): Promise<void>;
  /** Prints `arx: warning: …` on stderr, quiet or not. */
  warn(text: string): Promise<void>;
  /** Warns of selected fields that no printed record had. To be called after everything is printed. */
  warnOfFields(): Promise<void>;
};

/** Longer lines are truncated for people. The other forms have them whole. */
const MAX_LINE_COLUMNS = 4000;

/** Returns the printer of a run. */
export function createPrinter(options: PrinterOptions): Printer {
  const { stdout, stderr, output, isSilent = false, onReport } = options;
  const note = async (text: string): Promise<void> => {
    if (options.quiet) return;
    const lines = wrapParts(escapeText(text), stderr.columns);
    await stderr.write(lines.map((line) => `${line}\n`).join(''));
  };
  const fields = createCheckedFields(options.fields, options.templateFields, note);
  const viewOf = <T extends object>(view: View<T>): View<T> => fields.selection()?.view ?? view;
  const listed = <T extends object>(view: View<T>): View<T> => ({
    columns: viewOf(view).columns.filter((column) => column.detail !== true),
  });
  /** Reads ahead until it is known which columns these rows have. */
  const forRows = async <T extends object>(view: View<T>, rows: Rows<T>): Promise<[View<T>, Rows<T>]> => {
    const columns = listed(view);
    const { first, all } = await readAhead(
      rows,
      (seen) => isDecided(columns, seen),
      // On a terminal rows are shown when they come. In other forms the columns must not depend on the time.
      { untilPause: output === 'table' },
    );
    return [viewForRows(columns, first), all];
  };
  const pick = (record: object): object => fields.selection()?.pick(record) ?? record;
  const pretty = stdout.isTTY;
  const encode: EncodeJson = (value, depth) =>
    pretty
      ? escapeJson(exactJsonText(value, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`))
      : exactJsonText(value);
  const encodeLine = (value: object): string =>
    pretty ? escapeJson(exactJsonText(value)) : exactJsonText(value);

  // The colour library is loaded for the first line for people, and never for machines.
  let paint: Promise<Paint> | undefined;
  const painting = (): Promise<Paint> =>
    (paint ??= output === 'table' ? openPaint(options) : Promise.resolve(NO_PAINT));
  const { paging } = options;
  let isCut = false;
  let lastSummary: Envelope<unknown>['summary'] | undefined;
  const show = (write: (sink: Sink) => Promise<void>): Promise<void> => paging?.show(write) ?? write(stdout);
  const writeText = (pieces: AsyncIterable<string>): Promise<void> =>
    show((sink) => writeToSink(pieces, sink));
  /** Returns a line for people, as several lines where it is too long for the terminal. */
  const fitted = (line: Line, paintWith: Paint): string => {
    const isLimited = output === 'table' && options.columns !== undefined;
    const lines = isLimited ? wrapLine(line, options.columns!) : [line];
    return lines.map((each) => paintLine(each, paintWith)).join('\n');
  };
  const writeLines = async (lines: Iterable<Line>): Promise<void> => {
    const paintWith = await painting();
    const render = (line: Line): string => fitted(truncateLine(line, MAX_LINE_COLUMNS), paintWith);
    await writeText(textLines(lines, output === 'table' ? render : plainText));
  };
  /** Rows that the user no longer wants to see are not read. */
  const writeList = async (
    pieces: AsyncIterable<string>,
    { isLive = false }: { isLive?: boolean },
  ): Promise<void> => {
    if (isLive) return writeToSink(pieces, stdout);
    await writeText(pieces);
    if (paging?.isClosedEarly() === true)
      throw new Fault('interrupted', 'the pager was closed', { signal: 'SIGPIPE' });
  };

  const writeListLines = async <T>(
    linesOf: NonNullable<View<T>['listLines']>,
    list: Envelope<T>,
  ): Promise<void> => {
    const paintWith = await painting();
    const width = Math.min(options.columns ?? MAX_LINE_COLUMNS, MAX_LINE_COLUMNS);
    const render = (row: T): string =>
      Array.from(linesOf(row, options), (line) => paintLine(truncateLine(line, width), paintWith)).join('\n');
    await writeList(textLines(list.rows, render), list);
  };

  const separation = { isSafe: options.csvSafe === true, isTTY: stdout.isTTY };
  const separated = output === 'csv' ? commaSeparated(separation) : tabSeparated(separation);
  const mustSayDoubts = (): boolean => output !== 'json' || options.isForProgram === true;
  const warn = (text: string): Promise<void> =>
    stderr.write(`${wrapMessage(`arx: warning: ${escapeText(text)}`, stderr.columns).join('\n')}\n`);

  const printer: Printer = {
    output,
    isOneRowPerLine: output === 'tsv' || output === 'csv' || output === 'ndjson',
    hasFields: options.fields !== undefined,
    shows: (field) => fields.paths()?.some((path) => path === field || path.startsWith(`${field}.`)) ?? true,
    selects: (field) => fields.paths()?.includes(field) ?? options.named?.has(field) ?? false,
    mustSayDoubts,
    mustNameNext: () => !isCut && mustSayDoubts(),
    rowsRead: () => {
      const rows = lastSummary?.()['rows'];
      return typeof rows === 'number' ? rows : undefined;
    },
    async list(view, whole) {
      const { cut } = options;
      const checked = await fields.checkList(whole);
      const onCut = (): void => {
        isCut = true;
        cut?.onCut();
      };
      const list = withOnPrinted(cut === undefined ? checked : cutList(checked, cut.maxRows, onCut));
      lastSummary = list.summary;
      if (isSilent) {
        // What is done is done while the rows are read.
        for await (const page of pagesOf(list.rows)) for (const _ of page);
        return;
      }
      switch (output) {
        case 'json':
          await writeList(jsonDocument(list, pick, { encode, pretty }), list);
          break;
        case 'ndjson':
          await writeList(ndjsonRows(list), list);
          break;
        case 'tsv':
        case 'csv': {
          const [{ columns }, rows] = await forRows(view, list.rows);
          await writeList(separatedLines(columns, rows, separated), list);
          break;
        }
        case 'table': {
          if (view.listLines !== undefined && options.fields === undefined) {
            await writeListLines(view.listLines, list);
            await note(summaryLine(list));
            break;
          }
          const [columns, rows] = await forRows(view, list.rows);
          await writeList(drawTable(columns, rows, options, await painting()), list);
          await note(summaryLine(list));
          break;
        }
        case 'sums':
          throw noSums();
      }
      if (output !== 'table' && list.isAll === true && stderr.isTTY && !stdout.isTTY)
        await note(`arx: ${summaryLine(list)}`);
    },
    async record(view, wire) {
      if (isSilent) return;
      if (output === 'sums') throw noSums();
      await fields.check([wire]);
      if (output === 'json' || output === 'ndjson') await writeJson(wire);
      else await writeRecord(viewForRows(viewOf(view), [wire]), wire);
    },
    async report(wire, lines, sums) {
      onReport?.(wire);
      if (isSilent) return;
      await fields.check([wire]);
      if (output === 'sums') {
        if (sums === undefined) throw noSums();
        await writeText(textLines(sums(), (line) => (stdout.isTTY ? escapeText(line) : line)));
      } else if (output === 'json' || output === 'ndjson') await writeJson(wire);
      else if (options.fields !== undefined || output === 'csv')
        await writeRecord(viewOf(allFields(wire)), wire);
      else await writeLines(lines(options));
    },
    plot: (lines) => writeLines(lines(options)),
    async picture(lines) {
      if (output === 'table') await writeLines(lines(options));
    },
    async lines(lines) {
      const paintWith = await painting();
      await writeText(textLines(lines, (line) => fitted(line, paintWith)));
    },
    async text(text) {
      const shown = escapeBlock(text);
      await show((sink) => sink.write(shown.endsWith('\n') ? shown : `${shown}\n`));
    },
    bytes: (bytes) => stdout.write(bytes),
    note,
    warn,
    async warnOfFields() {
      for (const { name } of fields.selection()?.unseen() ?? [])
        await warn(`no record has the field ${name}`);
    },
  };
  return printer;

  async function writeRecord<T>(view: View<T>, wire: T): Promise<void> {
    if (output === 'table')
      return writeLines(view.lines?.(wire, options) ?? keyLines(view.columns, wire, options));
    if (output === 'csv') return writeText(separatedLines(view.columns, [wire], separated));
    const lines = view.columns.map(({ name, of }) => separated.line([name, cellText(of(wire))]));
    await show((sink) => sink.write(lines.join('')));
  }

  async function writeJson(wire: object): Promise<void> {
    if (output === 'json') return writeText(jsonRecord(pick(wire), { encode, pretty }));
    const { complete } = wire as { complete?: unknown };
    const summary = (): Record<string, unknown> => (complete === undefined ? {} : { complete });
    return writeText(ndjsonRows({ rows: [wire], summary }));
  }

  /** Yields each row with the same keys, and with `--summary` the record about all of them, also where a later row throws. */
  async function* ndjsonRows<T extends object>(list: Envelope<T>): AsyncGenerator<string> {
    const complete = options.fields === undefined ? options.complete : undefined;
    let rows = 0;
    const summary = (isWhole: boolean): string => `${encodeLine(summaryRecord(list, rows, isWhole))}\n`;
    const line = (row: T): string => {
      const text = encodeLine(complete?.(row) ?? pick(row));
      rows += 1;
      return `${text}\n`;
    };
    try {
      yield* textOfRows(list.rows, line);
    } catch (error) {
      if (options.withSummary === true && rows > 0) yield summary(false);
      throw error;
    }
    if (options.withSummary === true) yield summary(true);
  }
}

/** Returns the list with rows that are passed to its `onPrinted`. */
function withOnPrinted<T>(list: Envelope<T>): Envelope<T> {
  const { onPrinted, rows } = list;
  if (onPrinted === undefined) return list;
  const pass = (row: T): T => {
    onPrinted(row);
    return row;
  };
  return { ...list, rows: mapRows(rows, pass) };
}

async function openPaint({ color, links }: PrinterOptions): Promise<Paint> {
  const paint = color ? await colorPaint() : NO_PAINT;
  return links === undefined ? paint : linkPaint(paint, links);
}

/** Returns the fields of a record as columns. */
function allFields(record: object): View<object> {
  return parseFieldSelection(Object.keys(record).map((name) => ({ name, path: name, isKnown: true }))).view;
}

/** Yields each row as a line. */
function textLines<T>(rows: Rows<T>, encode: (row: T) => string): AsyncGenerator<string> {
  return textOfRows(rows, (row) => `${encode(row)}\n`);
}

/** Yields the lines of rows in a form of separated values. A header comes with the first row, or alone where there is none. */
async function* separatedLines<T>(
  columns: readonly Column<T>[],
  rows: Rows<T>,
  form: SeparatedForm,
): AsyncGenerator<string> {
  let header = form.hasHeader ? form.line(columns.map(({ name }) => name)) : '';
  yield* textOfRows(rows, (row) => {
    const text = header + form.line(columns.map((column) => cellText(column.of(row))));
    header = '';
    return text;
  });
  if (header !== '') yield header;
}

/** Returns the Fault of a command without a report of files. */
export function noSums(): Fault {
  return new Fault('usage', 'this command has no output form sums', {
    hint: 'arx attachments verify DIR -o sums has it; others: -o table, tsv, csv, json or ndjson',
  });
}
