// Reads the beginning of a bash command line as bash does, and quotes values for the place where the cursor is.

/** A quotation mark that is not closed at the cursor. */
type OpenQuote = '"' | "'";

/** The beginning of a command line, up to the cursor. */
export type TypedLine = {
  /** The whole words before the one at the cursor, without their quotes. */
  words: string[];
  /** The word at the cursor as it was typed, and what it means. */
  raw: string;
  current: string;
  open: OpenQuote | undefined;
  /** Where the text after the open quote begins in `raw`. */
  openAt: number;
};

/** Reads a line. Nothing in it is expanded: `$(…)` and `$HOME` stay as they are. */
export function readBashLine(line: string): TypedLine {
  const words: string[] = [];
  let start = 0;
  let current = '';
  let open: OpenQuote | undefined;
  let openAt = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    const next = line.charAt(at + 1);
    if (open === "'") {
      if (character === "'") open = undefined;
      else current += character;
    } else if (character === '\\' && (open === undefined || '$`"\\'.includes(next))) {
      current += next;
      at += 1;
    } else if (open === '"') {
      if (character === '"') open = undefined;
      else current += character;
    } else if (character === '"' || character === "'") {
      open = character;
      openAt = at + 1 - start;
    } else if (character === ' ' || character === '\t' || character === '\n') {
      if (at > start) words.push(current);
      start = at + 1;
      current = '';
    } else current += character;
  }
  return { words, raw: line.slice(start), current, open, openAt };
}

/**
 * Returns what bash puts in the place of the last part of the word at the cursor, so that the word means `value`. `part` is
 * that part as bash sees it: it breaks words at `:`, `=` and `@`.
 */
export function bashReply(value: string, typed: TypedLine, part: string): string {
  const { raw, open, openAt } = typed;
  const partAt = raw.endsWith(part) ? raw.length - part.length : 0;
  const before = readBashLine(raw.slice(0, open === undefined ? partAt : openAt - 1)).current;
  const rest = value.slice(withoutOption(before).length);
  if (open === "'") return rest.replaceAll("'", `'\\''`);
  // A ! between double quotes would be an event of the history, whatever stands before it.
  if (open === '"') return rest.replaceAll(/[$`"\\]/g, '\\$&').replaceAll('!', '"\\!"');
  return rest.replaceAll(/[^\w./,:=@%+\-\u{80}-\u{10ffff}]/gu, '\\$&');
}

/** Returns the value in a word that may be `--option=value`. */
export function withoutOption(word: string): string {
  return word.replace(/^--[\w-]+=/, '');
}
