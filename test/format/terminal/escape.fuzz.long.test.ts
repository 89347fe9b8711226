// Fuzzing of the sanitiser: no text acts on a terminal, and a tab-separated value can be restored.
import { test } from 'vitest';
import {
  controlsTerminal,
  escapeBlock,
  escapeJson,
  escapeText,
  escapeValue,
  textWidth,
  truncate,
} from '../../../src/format/terminal/escape.ts';
import { wrapText } from '../../../src/format/terminal/wrap.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';
import { textsOf, type Draw } from '../../support/fuzz-inputs.ts';

/** UTF-16, unlike the texts of other targets: the sanitiser gets decoded text. */
const TOKENS = [
  '\u{9b}2J',
  '\u{1b}[2J',
  '\u{1b}]0;x\u{7}',
  '\u{202e}gpj.exe',
  '\u{2066}',
  '\u{200b}',
  '\u{200d}',
  '\u{feff}',
  '\u{61c}',
  '\u{2028}',
  '\u{ad}',
  '\ud800',
  '\udc00',
  '\ud83d',
  '👍',
  '👩\u{200d}👩\u{200d}👧',
  '\u{fe0f}',
  '❤\u{fe0f}',
  '🇩🇪',
  'e\u{301}',
  '日本',
  '한',
  '\u{1160}',
  '\u{e0001}',
  '\u{fff9}',
  '\t',
  '\\t',
  '\\',
  '\\u{9b}',
  '\\n',
  '\n',
  '\r\n',
  '\r',
  'word ',
  '   ',
  '{"a":"',
  '"}',
  '\u{7f}',
  '\u{85}',
  '\u{0}',
  '\u{180e}',
  '\u{115f}',
  '\u{3000}',
];
const texts = textsOf({
  corpus: [
    'plain text',
    'name\tvalue\n',
    '{"subject":"a\\u001b"}',
    'a\rb',
    '\\t',
    'Grüße \u{202e}abc\u{202c}',
  ],
  tokens: TOKENS,
  maxBytes: 100,
});

/** What no terminal may get: controls, marks of direction, invisible characters. */
const ACTIVE = /(?!\n)[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff]/u;
const CONTROLS = /(?![\n\t])(?!\r\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

test('no text acts on a terminal', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: (draw: Draw) => texts(draw),
    check(text) {
      const json = JSON.stringify(text);
      const line = escapeText(text);
      const value = escapeValue(text);
      const safeJson = escapeJson(json);
      const block = escapeBlock(text);
      for (const shown of [line, value, safeJson, block])
        if (ACTIVE.test(shown)) throw new Error(`shows ${JSON.stringify(shown)}`);
      if (line.includes('\n') || value.includes('\n')) throw new Error('breaks a line');
      if (JSON.parse(safeJson) !== text) throw new Error('JSON is changed');
      if (restored(value) !== text) throw new Error(`cannot be restored from ${JSON.stringify(value)}`);
      // A tab becomes at most eight blanks, a unit at most `\u{10ffff}`.
      if (Math.max(block.length, line.length) > 12 * text.length)
        throw new Error('is much longer than the text');
      const bytes = Buffer.from(text);
      if (!controlsTerminal(bytes) && CONTROLS.test(bytes.toString()))
        throw new Error('bytes control a terminal');
    },
  }),
);

test('no wrapped or cut text is too wide or loses a character', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: (draw: Draw) => [escapeText(texts(draw)), 2 + draw.below(30)] as const,
    check([line, columns]) {
      if (textWidth(truncate(line, columns)) > columns) throw new Error('is wider than asked for');
      const rows = wrapText(line, columns);
      if (rows.join('').replaceAll(' ', '') !== line.replaceAll(' ', ''))
        throw new Error('wrapping loses characters');
    },
    // Finding graphemes takes most of the time.
    inputs: 300_000,
  }),
);

/** Reads a tab-separated value as its description in `arx help output` says. */
function restored(value: string): string {
  if (!value.includes('\\')) return value;
  const SHORT: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  return value.replaceAll(/\\(?:u\{([0-9a-f]+)\}|(.))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (SHORT[letter] ?? '?') : String.fromCodePoint(parseInt(hex, 16)),
  );
}
