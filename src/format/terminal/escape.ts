// Escapes text from an archive for a terminal: control, bidi and invisible characters become visible.
import { isUtf8 } from 'node:buffer';
import { lazy } from '../../lazy.ts';

/**
 * Characters that must not reach a screen: category C (controls, format characters, surrogates, private and unassigned
 * ones), line and paragraph separators, invisible characters, a combining mark without a base, and the seventh mark on one
 * base. The first alternative is kept: an emoji with its variation selector.
 */
const unsafe = lazy(
  () =>
    /(?![0-9#*])\p{Emoji}\u{fe0f}|[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|^\p{M}|(?<=\p{M}{6})\p{M}/gu,
);
const PLAIN = /^[ -~]*$/;
const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns the text as one line. Characters that are not printable become `\n`, `\r`, `\t` or `\u{hex}`; none is dropped. */
export function escapeText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(unsafe(), (found) => keptEmoji(found) ?? escapeOf(found));
}

/** Controls (C0 without tab and LF, DEL, C1), CR that does not end a line, and marks that change the direction of text. */
const controls = lazy(() => /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/u);

/** Returns whether a terminal would do something else with these bytes than show them. Bytes that are not UTF-8 are read as Latin-1. */
export function controlsTerminal(bytes: Uint8Array): boolean {
  return controls().test(Buffer.from(bytes).toString(isUtf8(bytes) ? 'utf8' : 'latin1'));
}

/** As {@link escapeText} for one value of a line: backslashes are doubled, so that the text can be restored. */
export function escapeValue(text: string): string {
  return escapeText(text.replaceAll('\\', '\\\\'));
}

/** Characters of a text whose lines are escaped at once. */
const BLOCK_PIECE_LENGTH = 65_536;

/** As {@link escapeText}, but keeps line ends (LF, CR LF) and expands tabs to multiples of eight columns. */
export function escapeBlock(text: string): string {
  let shown = '';
  // In pieces: a hostile mail has millions of lines, and all of them in one array take ten times its memory.
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at + BLOCK_PIECE_LENGTH) + 1 || text.length;
    shown += escapeLines(text.slice(at, end));
    at = end;
  }
  return shown;
}

function escapeLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => (line.includes('\t') ? expandTabs(line.split('\t').map(escapeText)) : escapeText(line)))
    .join('\n');
}

/** Returns the same JSON value with unsafe characters written as `\uXXXX`. */
export function escapeJson(json: string): string {
  const escaped = (line: string): string =>
    PLAIN.test(line) ? line : line.replace(unsafe(), (found) => keptEmoji(found) ?? unitsOf(found));
  return json.split('\n').map(escaped).join('\n');
}

function keptEmoji(found: string): string | undefined {
  return found.length > 1 && found.endsWith('\u{fe0f}') ? found : undefined;
}

function escapeOf(found: string): string {
  return SHORT[found] ?? `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`;
}

function unitsOf(found: string): string {
  return found
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Returns the parts between tabs with spaces up to the next multiple of eight columns. */
function expandTabs(parts: readonly string[]): string {
  const padded = parts.map((part) => part + ' '.repeat(8 - (textWidth(part) % 8)));
  return padded.slice(0, -1).join('') + (parts.at(-1) ?? '');
}

const wide = lazy(
  () =>
    /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|(?!\p{Regional_Indicator})\p{Emoji_Presentation}/u,
);
const noWidth = lazy(() => /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]/u);

/** Returns the columns that escaped text takes: two for wide East Asian characters and emoji, none for combining marks. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  let last = 0;
  for (const character of text) {
    // The emoji form of a narrow character takes two columns in current terminals.
    if (character === '\u{fe0f}') columns += 2 - last;
    else if (!noWidth().test(character)) columns += last = wide().test(character) ? 2 : 1;
  }
  return columns;
}

let segmenter: Intl.Segmenter | undefined;

/** Returns escaped text no wider than `columns`: where it is too long, its first whole graphemes and `…`. */
export function truncate(text: string, columns: number): string {
  if (columns < 1) return '';
  // Escaped text has at most sixteen code units for a column, so a very long line need not be measured to its end.
  if (text.length <= columns * 16 && textWidth(text) <= columns) return text;
  if (PLAIN.test(text.slice(0, columns))) return `${text.slice(0, columns - 1)}…`;
  segmenter ??= new Intl.Segmenter();
  let start = '';
  let room = columns - 1;
  for (const { segment } of segmenter.segment(text)) {
    room -= textWidth(segment);
    if (room < 0) break;
    start += segment;
  }
  return `${start}…`;
}

/** Returns the end of escaped text, no wider than `columns`. */
export function lastColumns(text: string, columns: number): string {
  const characters = Array.from(text);
  let width = textWidth(text);
  let from = 0;
  while (width > columns && from < characters.length) {
    width -= textWidth(characters[from] ?? '');
    from += 1;
  }
  return characters.slice(from).join('');
}
