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

/** Yields the lines of a text, without empty lines at its end. They are made one at a time: a hostile mail has millions. */
export function* textLines(text: string): Generator<TextLine> {
  const written = text.trimEnd().length;
  if (written === 0) return;
  const signature = signatureAt(text, written);
  for (let at = 0; at < written;) {
    const line = lineAt(text, at);
    yield {
      text: line.text,
      depth: QUOTE_MARKS.exec(line.text)?.[0].replaceAll(' ', '').length ?? 0,
      isSignature: at >= signature,
    };
    at = line.next;
  }
}

/** Returns where the signature of a text with so many characters begins; Infinity where there is none. */
function signatureAt(text: string, written: number): number {
  // The first delimiter near the end: a list may add a second signature to that of the author.
  let at = written;
  for (let line = 0; line <= MAX_SIGNATURE_LINES && at > 0; line += 1) at = text.lastIndexOf('\n', at - 1);
  for (at = Math.max(0, at); at < written;) {
    const line = lineAt(text, at);
    if (line.text === '-- ' || line.text === '--') return at;
    at = line.next;
  }
  return Infinity;
}

/** Returns the line that begins at `at`, without its line end, and where the next one begins. */
function lineAt(text: string, at: number): { text: string; next: number } {
  const end = text.indexOf('\n', at);
  if (end < 0) return { text: text.slice(at), next: text.length };
  return { text: text.slice(at, text[end - 1] === '\r' && end > at ? end - 1 : end), next: end + 1 };
}

/** Lines of a quotation that stay when it is folded, and the lines from which on it is folded. */
const KEPT_LINES = 3;
const MIN_FOLDED_LINES = 4;

/** Yields the lines with all but the first lines of each long quotation replaced by one line that counts them. */
export function* foldQuotations(lines: Iterable<TextLine>): Generator<TextLine> {
  /** The first lines of a quotation, and how many it has so far. */
  let first: TextLine[] = [];
  let quoted = 0;
  function* quotation(): Generator<TextLine> {
    const folded = quoted - KEPT_LINES;
    if (folded < MIN_FOLDED_LINES) yield* first;
    else {
      yield* first.slice(0, KEPT_LINES);
      yield { text: '', depth: first[0]!.depth, isSignature: false, folded };
    }
    [first, quoted] = [[], 0];
  }
  for (const line of lines) {
    if (line.depth > 0) {
      quoted += 1;
      if (quoted < KEPT_LINES + MIN_FOLDED_LINES) first.push(line);
    } else {
      yield* quotation();
      yield line;
    }
  }
  yield* quotation();
}
