// Finds quotations and the signature in the text of a message, and folds long quotations.

/** A line of a message. */
export type TextLine = {
  text: string;
  /** How often it was quoted; 0 for the author's own words. */
  depth: number;
  isSignature: boolean;
  /** Of a line that stands for folded ones: how many. */
  folded?: number;
};

/** More lines than this after `-- ` are no signature but text. */
const MAX_SIGNATURE_LINES = 15;

/** The signs of quotation at the start of a line: `>`, each after at most one blank. */
const QUOTE_MARKS = /^(?: ?>)+/;

/** Returns the signs of quotation at the start of a line, with the blank after them. */
export function quotePrefix(line: string): string {
  const [marks = ''] = QUOTE_MARKS.exec(line) ?? [];
  return marks !== '' && line[marks.length] === ' ' ? `${marks} ` : marks;
}

/** Returns the lines of a text, without empty lines at its end. */
export function textLines(text: string): TextLine[] {
  const lines = text.split(/\r?\n/);
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  // The first delimiter near the end: a list may add a second signature to that of the author.
  const from = Math.max(0, lines.length - MAX_SIGNATURE_LINES - 1);
  const near = lines.slice(from).findIndex((line) => line === '-- ' || line === '--');
  const signature = near < 0 ? lines.length : from + near;
  return lines.map((line, index) => ({
    text: line,
    depth: QUOTE_MARKS.exec(line)?.[0].replaceAll(' ', '').length ?? 0,
    isSignature: index >= signature,
  }));
}

/** Lines of a quotation that stay when it is folded, and the lines from which on it is folded. */
const KEPT_LINES = 3;
const MIN_FOLDED_LINES = 4;

/** Returns the lines with all but the first lines of each long quotation replaced by one line that counts them. */
export function foldQuotations(lines: readonly TextLine[]): TextLine[] {
  const out: TextLine[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && lines[end]!.depth > 0) end += 1;
    const folded = end - at - KEPT_LINES;
    if (folded >= MIN_FOLDED_LINES) {
      out.push(...lines.slice(at, at + KEPT_LINES));
      out.push({ text: '', depth: lines[at]!.depth, isSignature: false, folded });
    } else for (let line = at; line < end; line += 1) out.push(lines[line]!);
    if (end < lines.length) out.push(lines[end]!);
    at = end + 1;
  }
  return out;
}
