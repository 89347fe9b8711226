// Lines of tab-separated and comma-separated values.
import { escapeText, escapeValue } from './terminal/escape.ts';

/** How values become text that other programs read. */
export type SeparatedForm = {
  /** Returns the values as one line with its line end. */
  line(values: readonly string[]): string;
  /** Whether the names of the columns are the first line, and a single record is a line too. */
  hasHeader: boolean;
};

/** `isSafe`: values that a spreadsheet would run as formulas begin with an apostrophe. `isTTY`: the lines are for a screen. */
type Options = { isSafe: boolean; isTTY: boolean };

/** Returns the form of `-o tsv`: tabs, line ends and backslashes in values are escaped, so that every value can be restored. */
export function tabSeparated({ isSafe }: Pick<Options, 'isSafe'>): SeparatedForm {
  const value = (text: string): string => escapeValue(isSafe ? withoutFormula(text, PART_OF_TSV) : text);
  return { line: (values) => `${values.map(value).join('\t')}\n`, hasHeader: false };
}

/**
 * Returns the form of `-o csv`, which follows RFC 4180: CR LF ends each line, and quotes enclose a value that needs them.
 * Values keep their line ends and control characters; only on a screen they are escaped.
 */
export function commaSeparated({ isSafe, isTTY }: Options): SeparatedForm {
  const value = (text: string): string => {
    const safe = isSafe ? withoutFormula(text, PART_OF_CSV) : text;
    return quoted(isTTY ? escapeText(safe) : safe);
  };
  return {
    // A line of one empty value would be an empty line, which many programs skip.
    line: (values) =>
      values.length === 1 && values[0] === '' ? '""\r\n' : `${values.map(value).join(',')}\r\n`,
    hasHeader: true,
  };
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Quotes count too: tab-separated values are not enclosed in quotes, and some programs take the first one of a value for such. */
const FORMULA = /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;
/** A part that is a cell for a program that separates at semicolons or tabs: it does not see that quotes enclose the value. */
const PART_OF_CSV = /([;\t\r\n][ "]*)([=+\-@\uff1d\uff0b\uff0d\uff20])/gu;
/** The same without quotes around the value, which separates at commas, too. */
const PART_OF_TSV = /([;,\t\r\n][ "]*)([=+\-@\uff1d\uff0b\uff0d\uff20])/gu;

/** After an apostrophe a value is text. Full-width forms count too: some spreadsheets convert them. So does a `part` that is a cell. */
function withoutFormula(text: string, part: RegExp): string {
  const isFormula = FORMULA.test(text) && !/^[+-]?\d+(?:\.\d+)?$/.test(text);
  const safe = text.replaceAll(part, "$1'$2");
  return isFormula ? `'${safe}` : safe;
}
