import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  truncate,
  escapeBlock,
  escapeJson,
  escapeText,
  textWidth,
} from '../../../src/format/terminal/escape.ts';

const text = fc.string({ unit: 'binary', maxLength: 60 });
/** Any UTF-16 units, so lone surrogates too, with the interesting ones often. */
const units = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(
        0,
        9,
        10,
        13,
        27,
        127,
        0x85,
        0x9b,
        0xad,
        0x200b,
        0x200d,
        0x202e,
        0x2028,
        0x2066,
        0xfe0f,
        0xfeff,
        0x301,
        0xd83d,
        0xde00,
      ),
    ),
    { maxLength: 60 },
  )
  .map((codes) => String.fromCharCode(...codes));
const printable = /^(?:[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{Emoji}\u{fe0f})*$/u;

describe('showText', () => {
  test.each([
    ['F1 clear and home', '\u001b[2J\u001b[H', '\\u{1b}[2J\\u{1b}[H'],
    ['F1 overwrite', 'safe\revil', 'safe\\revil'],
    [
      'F2 title and clipboard',
      '\u001b]0;t\u0007\u001b]52;c;eA==\u001b\\',
      '\\u{1b}]0;t\\u{7}\\u{1b}]52;c;eA==\\u{1b}\\',
    ],
    ['F5 bell, backspace, tab', '\u0007\b\t', '\\u{7}\\u{8}\\t'],
    ['C1 and DEL', '\u009b2J\u0085\u007f', '\\u{9b}2J\\u{85}\\u{7f}'],
    ['bidi', 'a\u202eb\u2066c\u2069\u200f\u061c', 'a\\u{202e}b\\u{2066}c\\u{2069}\\u{200f}\\u{61c}'],
    [
      'zero width',
      'a\u200bb\u200d\u2060\ufeff\u00ad\u034f\u3164',
      'a\\u{200b}b\\u{200d}\\u{2060}\\u{feff}\\u{ad}\\u{34f}\\u{3164}',
    ],
    ['tags and variation selectors', 'x\u{e0041}\u{e0100}', 'x\\u{e0041}\\u{e0100}'],
    ['separators', 'a\u2028b\u2029c\nd', 'a\\u{2028}b\\u{2029}c\\nd'],
    ['B17 lone surrogates', '\ud800x\udc00', '\\u{d800}x\\u{dc00}'],
    ['private use and unassigned', '\ue000\u{10ffff}\u0378', '\\u{e000}\\u{10ffff}\\u{378}'],
    ['a mark without base', '\u0301a\u0301', '\\u{301}a\u0301'],
    ['a tower of marks', `a${'\u0301'.repeat(8)}`, `a${'\u0301'.repeat(6)}\\u{301}\\u{301}`],
    ['ordinary text', 'naïve 漢字 שלום ❤️ 👍🏽 🇩🇪 no\u00a0break', 'naïve 漢字 שלום ❤️ 👍🏽 🇩🇪 no\u00a0break'],
    ['an invisible mark on a digit', '1\ufe0f', '1\\u{fe0f}'],
  ])('%s', (_, given, shown) => expect(escapeText(given)).toBe(shown));

  test('yields printable characters only', () => {
    fc.assert(
      fc.property(fc.oneof(text, units), (given) => printable.test(escapeText(given))),
      { numRuns: 2000 },
    );
  });

  test('swallows nothing: printable characters stay, in order', () => {
    fc.assert(
      fc.property(fc.oneof(text, units), (given) => {
        const kept = Array.from(given).filter((character) =>
          /[^\p{C}\p{Zl}\p{Zp}\p{M}\p{Default_Ignorable_Code_Point}]/u.test(character),
        );
        let at = 0;
        const shown = escapeText(given);
        for (const character of kept) at = shown.indexOf(character, at) + character.length;
        expect(at).toBeLessThanOrEqual(shown.length);
        expect(shown.length).toBeGreaterThanOrEqual(given.length);
      }),
    );
  });
});

describe('showBlock', () => {
  test('keeps lines, fills tabs, escapes the rest', () => {
    expect(escapeBlock('a\tb\r\n漢\tc\n\u001b[1mx\ry\n')).toBe('a       b\n漢      c\n\\u{1b}[1mx\\ry\n');
  });
  test('yields printable lines only', () => {
    fc.assert(
      fc.property(units, (given) =>
        escapeBlock(given)
          .split('\n')
          .every((line) => printable.test(line)),
      ),
    );
  });
});

test('showJson keeps the value and shows no hazard', () => {
  fc.assert(
    fc.property(fc.record({ a: units, b: fc.array(text) }), (value) => {
      const shown = escapeJson(JSON.stringify(value, null, 2));
      expect(JSON.parse(shown)).toEqual(value);
      return shown.split('\n').every((line) => printable.test(line));
    }),
  );
});

describe('width and cut', () => {
  test.each([
    ['abc', 3],
    ['漢字', 4],
    ['カナ', 4],
    ['ｶﾅ', 2],
    ['각', 2],
    ['e\u0301', 1],
    ['❤️', 2],
    ['❤', 1],
    ['😀', 2],
    ['🇩🇪', 2],
    ['क्षा', 3],
    ['', 0],
  ])('%s takes %i columns', (given, columns) => expect(textWidth(given)).toBe(columns));

  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['漢字漢字', 4, '漢…'],
    ['漢字漢字', 5, '漢字…'],
    ['ab❤️cd', 4, 'ab…'],
    ['ne\u0301e\u0301e\u0301', 3, 'ne\u0301…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['abc', -3, ''],
    ['a', 1, 'a'],
  ])('%s cut to %i', (given, columns, shown) => expect(truncate(given, columns)).toBe(shown));

  test('is never wider than asked, and a start of the text', () => {
    fc.assert(
      fc.property(fc.oneof(text, units), fc.integer({ min: 0, max: 40 }), (given, columns) => {
        const shown = escapeText(given);
        const short = truncate(shown, columns);
        expect(textWidth(short)).toBeLessThanOrEqual(columns);
        expect(shown.startsWith(short.replace(/…$/, ''))).toBe(true);
        if (textWidth(shown) <= columns) expect(short).toBe(shown);
      }),
      { numRuns: 1000 },
    );
  });

  test('F5: a line of a megabyte is cut without measuring it', () => {
    expect(truncate(escapeText(`漢${'x'.repeat(1_000_000)}`), 10)).toBe('漢xxxxxxx…');
  });
});

test('F1, F2: on a real screen hostile text shows as text', ({ skip }) => {
  if (spawnSync('tmux', ['-V']).error !== undefined) skip('tmux is not here');
  const hostile = [
    '\u001b[2J\u001b[H',
    'safe\revil',
    '\u001b]0;title\u0007',
    '\u009b2J',
    'up\u001b[3A\u001b[2Kgone',
    'a\u202eb',
    'bs\b\b\b\b',
  ];
  const shown = hostile.map(escapeText);
  const script = `printf '%s\\n' ${shown.map((line) => `'${line}'`).join(' ')}; tmux wait-for -S drawn; cat`;
  const server = ['-L', `arx-probe-${process.pid}`, '-f', '/dev/null'];
  const run = (...words: string[]): string =>
    spawnSync('tmux', [...server, ...words], { encoding: 'utf8', timeout: 10_000 }).stdout;
  try {
    run('new-session', '-d', '-x', '100', '-y', '20', script);
    run('wait-for', 'drawn');
    expect(run('capture-pane', '-p').trimEnd().split('\n')).toStrictEqual(shown);
    expect(run('display-message', '-p', '#{pane_title}')).not.toContain('title');
  } finally {
    run('kill-server');
  }
});
