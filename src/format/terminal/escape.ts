// Text from an archive as a terminal may show it: every control, bidi or invisible mark becomes a visible escape.

/**
 * What must not reach a screen: controls, format marks, surrogates, private and unassigned characters (category C),
 * line and paragraph separators, everything that renders as nothing, a mark without a base, and the seventh mark on
 * one base. The first alternative is what stays: an emoji with the one invisible mark that makes it colourful.
 */
const HAZARD =
  /(?![0-9#*])\p{Emoji}\u{fe0f}|[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|^\p{M}|(?<=\p{M}{6})\p{M}/gu;
const PLAIN = /^[ -~]*$/;
const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One line: printable characters only, the rest as `\n`, `\r`, `\t` or `\u{hex}`. Nothing is swallowed. */
export function escapeText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HAZARD, (found) => keptEmoji(found) ?? escapeOf(found));
}

/** Many lines: as {@link escapeText}, but LF and CR LF end a line and a tab fills up to the next eighth column. */
export function escapeBlock(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(escapeText).reduce(tabbed))
    .join('\n');
}

/** The same JSON value without a character that acts on a screen: those are written as `\uXXXX`. */
export function escapeJson(json: string): string {
  const escaped = (line: string): string =>
    PLAIN.test(line) ? line : line.replace(HAZARD, (found) => keptEmoji(found) ?? unitsOf(found));
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

function tabbed(before: string, after: string): string {
  return before + ' '.repeat(8 - (textWidth(before) % 8)) + after;
}

const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|(?!\p{Regional_Indicator})\p{Emoji_Presentation}/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]/u;

/** Columns that text without hazards takes on a terminal (East Asian wide and emoji two, combining marks none). */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  let last = 0;
  for (const character of text) {
    // The emoji form of a character that is narrow by itself takes two columns in terminals of today.
    if (character === '\u{fe0f}') columns += 2 - last;
    else if (!NO_WIDTH.test(character)) columns += last = WIDE.test(character) ? 2 : 1;
  }
  return columns;
}

let segmenter: Intl.Segmenter | undefined;

/** Shown text (see {@link escapeText}) where it fits, else its start up to a whole grapheme and `…`; never wider than `columns`. */
export function truncate(text: string, columns: number): string {
  if (columns < 1) return '';
  // Shown text has at most sixteen units a column, so a line of a megabyte is not measured to its end.
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
