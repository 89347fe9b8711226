// Keys from bytes: many in one chunk, one in many chunks, what terminals send for the same key, pastes, the mouse.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyParser } from '../../src/explore/key-parser.ts';

const keysOf = (...chunks: (string | Uint8Array)[]): string[] => {
  const parser = createKeyParser();
  const keys = chunks.flatMap((chunk) => parser.feed(Buffer.from(chunk as string)));
  return [...keys, ...parser.flush()].map(({ name }) => name);
};

test.each<[string, string[]]>([
  ['jjk', ['j', 'j', 'k']],
  ['\x1b[A\x1bOA', ['up', 'up']],
  ['\x1b[5~\x1b[6~', ['pageup', 'pagedown']],
  ['\x1b[1~\x1b[H\x1bOH\x1b[7~', ['home', 'home', 'home', 'home']],
  ['\x1b[1;5A', ['up']],
  ['\x1b[Z\t', ['shift-tab', 'tab']],
  ['\r\n', ['enter', 'enter']],
  ['\x03\x1a\x0c', ['ctrl-c', 'ctrl-z', 'ctrl-l']],
  ['\x7f\b', ['backspace', 'backspace']],
  ['\x1b', ['escape']],
  ['\x1b\x1b[A', ['escape', 'up']],
  ['\x1bj', ['escape', 'j']],
  ['\x1b[99;99Xj', ['j']],
  ['é漢👍', ['é', '漢', '👍']],
  ['\x1b[<64;5;7M\x1b[<65;5;7M\x1b[<0;5;7M\x1b[<0;5;7m', ['wheel-up', 'wheel-down', 'click']],
])('%j is %j', (text, names) => {
  expect(keysOf(text)).toEqual(names);
});

test('a sequence or character in several chunks is one key', () => {
  expect(keysOf('\x1b', '[', 'A', Buffer.from('漢').subarray(0, 1), Buffer.from('漢').subarray(1))).toEqual([
    'up',
    '漢',
  ]);
});

test('a click names its row from 0', () => {
  expect(createKeyParser().feed(Buffer.from('\x1b[<0;5;7M'))).toEqual([{ name: 'click', row: 6 }]);
});

describe('a paste', () => {
  test('is one key whose line ends are blanks, in any chunks', () => {
    const bytes = Buffer.from('\x1b[200~a\nb q\x1b[201~j');
    for (let at = 0; at < bytes.length; at += 1) {
      const parser = createKeyParser();
      const keys = [...parser.feed(bytes.subarray(0, at)), ...parser.feed(bytes.subarray(at))];
      expect(keys).toEqual([
        { name: 'paste', text: 'a b q' },
        { name: 'j', text: 'j' },
      ]);
    }
  });

  test('that never ends holds a bounded text and gives no key', () => {
    const parser = createKeyParser();
    parser.feed(Buffer.from('\x1b[200~'));
    for (let count = 0; count < 100; count += 1)
      expect(parser.feed(Buffer.from('x'.repeat(1000)))).toEqual([]);
    expect(parser.feed(Buffer.from('\x1b[201~'))[0]?.text).toHaveLength(10_000);
  });
});

test('any bytes in any chunks give the same keys as at once', () => {
  const bytes = fc.array(fc.oneof(fc.constantFrom(27, 91, 79, 77, 60, 126, 50, 59, 200), fc.nat(255)), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(bytes, fc.nat(40), (values, at) => {
      const all = Buffer.from(values);
      expect(keysOf(all.subarray(0, at), all.subarray(at))).toEqual(keysOf(all));
    }),
  );
});
