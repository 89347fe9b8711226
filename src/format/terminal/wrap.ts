// Breaks long lines at blanks, so that they fit a terminal.
import { textWidth } from './escape.ts';

let segmenter: Intl.Segmenter | undefined;

/**
 * Returns escaped text as lines of at most `columns` columns, at least one line. Lines break at blanks; a word that is too long is
 * broken between two graphemes. A grapheme that is wider than a line has one to itself. Takes time linear in the text.
 */
export function wrapText(text: string, columns: number): string[] {
  const width = Math.max(columns, 2);
  // Only a text without wide characters is known to fit by its length.
  if (text.length <= width / 2 || textWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const piece of piecesOf(text)) {
    const size = textWidth(piece);
    if (used + size <= width) {
      line += piece;
      used += size;
      continue;
    }
    const isBlank = withoutBlanks(line) === '';
    if (!isBlank) lines.push(line);
    const word = isBlank ? line + piece : withoutBlanks(piece);
    [line, used] = ['', 0];
    for (const chunk of textWidth(word) <= width ? [word] : chunksOf(word, width)) {
      if (line !== '') lines.push(line);
      [line, used] = [chunk, textWidth(chunk)];
    }
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}

/**
 * Returns escaped text whose parts are separated by ` · ` as lines of at most `columns` columns. Lines break between parts,
 * after the separator where it fits; a part that is too long is broken as {@link wrapText} does. Without a width the text is one line.
 */
export function wrapParts(text: string, columns: number | undefined): string[] {
  if (columns === undefined || textWidth(text) <= columns) return [text];
  const [first = '', ...parts] = text.split(SEPARATOR);
  const lines = [first];
  for (const part of parts) {
    const joined = `${lines.at(-1) ?? ''}${SEPARATOR}${part}`;
    // The separator after this part needs room, too.
    if (textWidth(joined) + 2 <= columns) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.flatMap((line, index) => {
    const hasSeparator = index < lines.length - 1 && textWidth(line) + 2 <= columns;
    return wrapText(hasSeparator ? `${line} ·` : line, columns);
  });
}

/**
 * Returns an escaped line of a message as lines that break at blanks; all but the first are indented. A command is left whole, as it
 * is pasted as one line, and so is a long word: the terminal breaks them. Without a width the text is one line.
 */
export function wrapMessage(text: string, columns: number | undefined): string[] {
  if (columns === undefined || textWidth(text) <= columns) return [text];
  const indent = `${/^ */.exec(text)?.[0] ?? ''}  `;
  const lines: string[] = [];
  let line = '';
  for (const piece of wholePieces(piecesOf(text))) {
    if (line === '' || textWidth(line + piece) <= columns) line += piece;
    else {
      lines.push(line);
      line = indent + withoutBlanks(piece);
    }
  }
  return [...lines, line];
}

/** What is left whole: how its first word begins or is, and how its last word ends. */
const WHOLE = [
  // A command with the variables before it, up to the punctuation after it.
  { variable: /^\(?[A-Z_]+=/, first: /^\(?arx$/, last: /[;),]$/ },
  // What an error is: [usage, exit 2].
  { variable: undefined, first: /^\[\w+,$/, last: /\]$/ },
];

/** Yields the words, each with the blanks before it, but what is left {@link WHOLE} as one. */
function* wholePieces(words: Iterable<string>): Generator<string> {
  let held = '';
  let end: RegExp | undefined;
  for (const piece of words) {
    const word = withoutBlanks(piece);
    const isVariable = end === undefined && WHOLE.some(({ variable }) => variable?.test(word));
    const begun = end ?? WHOLE.find(({ first }) => first.test(word))?.last;
    const belongs = begun !== undefined || isVariable;
    if (!belongs && held !== '') yield held;
    held = belongs ? held + piece : piece;
    end = begun?.test(word) === true ? undefined : begun;
    if (end !== undefined || isVariable) continue;
    yield held;
    held = '';
  }
  if (held !== '') yield held;
}

/** Stands between the parts of a summary. */
export const SEPARATOR = ' · ';

/** Returns the text after the blanks that it begins with. Lines break at no other white space, so that is kept. */
export function withoutBlanks(text: string): string {
  return text.replace(/^ +/, '');
}

/** Yields the words, each with the blanks before it, and at last the blanks at the end. */
export function* piecesOf(text: string): Generator<string> {
  let blanks = '';
  for (const run of text.match(/ +|[^ ]+/g) ?? []) {
    if (run.startsWith(' ')) blanks = run;
    else {
      yield blanks + run;
      blanks = '';
    }
  }
  if (blanks !== '') yield blanks;
}

/** Segmenting takes time quadratic in a string, so a word is segmented in blocks. */
const BLOCK_LENGTH = 512;

/** Returns a word as pieces no wider than `width`. */
function chunksOf(word: string, width: number): string[] {
  if (/^[ -~]*$/.test(word))
    return Array.from({ length: Math.ceil(word.length / width) }, (_, at) =>
      word.slice(at * width, (at + 1) * width),
    );
  const chunks: string[] = [];
  let chunk = '';
  let used = 0;
  for (const grapheme of graphemes(word)) {
    const size = textWidth(grapheme);
    if (used + size > width && chunk !== '') {
      chunks.push(chunk);
      [chunk, used] = ['', 0];
    }
    chunk += grapheme;
    used += size;
  }
  chunks.push(chunk);
  return chunks;
}

function* graphemes(word: string): Generator<string> {
  segmenter ??= new Intl.Segmenter();
  for (let at = 0; at < word.length;) {
    const block = word.slice(at, at + BLOCK_LENGTH);
    const found = Array.from(segmenter.segment(block), ({ segment }) => segment);
    // The last grapheme of a block may go on in the next one.
    if (at + BLOCK_LENGTH < word.length && found.length > 1) found.pop();
    for (const grapheme of found) {
      yield grapheme;
      at += grapheme.length;
    }
  }
}
