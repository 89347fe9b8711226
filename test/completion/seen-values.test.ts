// What is kept for completion: bounded, by archive, and harmless whatever the file holds.
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { addSeenValues, readSeenValues, type SeenPlace } from '../../src/completion/seen-values.ts';
import { tempFolder } from '../support/temp-folder.ts';

let place: SeenPlace;
let file: string;
beforeEach(() => {
  const cache = join(tempFolder('seen'), 'cache');
  place = { cache, archive: 'a', uid: process.getuid?.(), pid: process.pid };
  file = join(cache, 'completion/seen.json');
});

test('the latest values come first, each once, with the label that a row gave', () => {
  addSeenValues(place, {
    messages: [
      ['msg_1', 'old'],
      ['msg_2', ''],
    ],
  });
  addSeenValues(place, {
    messages: [
      ['msg_3', ''],
      ['msg_1', ''],
    ],
  });
  expect(readSeenValues(place).messages).toEqual([
    ['msg_3', ''],
    ['msg_1', 'old'],
    ['msg_2', ''],
  ]);
});

test('another archive has other values', () => {
  addSeenValues(place, { cities: [['lisbon', '']] });
  addSeenValues({ ...place, archive: 'b' }, { cities: [['porto', '']] });
  expect(readSeenValues(place).cities).toEqual([['lisbon', '']]);
  expect(readSeenValues({ ...place, archive: 'b' }).cities).toEqual([['porto', '']]);
});

test('at most 50 values of a kind and 8 archives are kept', () => {
  const many = Array.from({ length: 300 }, (_, n): [string, string] => [`msg_${n}`, 'x'.repeat(500)]);
  for (let n = 0; n < 12; n++) addSeenValues({ ...place, archive: `archive ${n}` }, { messages: many });
  expect(readSeenValues({ ...place, archive: 'archive 11' }).messages).toHaveLength(50);
  expect(readSeenValues({ ...place, archive: 'archive 4' }).messages).toHaveLength(50);
  expect(readSeenValues({ ...place, archive: 'archive 3' })).toEqual({});
  expect(statSync(file).size).toBeLessThan(50_000);
});

test.each([
  '\u001b[31mred',
  'a\nb',
  'a\tb',
  'x\u0007',
  'a\u202eb',
  'z\u200bw',
  '-rf',
  ' a',
  'a ',
  '',
  'x'.repeat(201),
])('a value that cannot be typed as it is shown is not kept: %j', (value) => {
  addSeenValues(place, {
    cities: [
      [value, ''],
      ['lisbon', ''],
    ],
  });
  expect(readSeenValues(place).cities).toEqual([['lisbon', '']]);
});

test('a label reaches the terminal escaped', () => {
  addSeenValues(place, { messages: [['msg_1', 'a\u001b]0;title\u0007b\nc']] });
  expect(readSeenValues(place).messages).toEqual([['msg_1', 'a\\u{1b}]0;title\\u{7}b\\nc']]);
});

describe.skipIf(process.getuid === undefined)('the file', () => {
  test('is for its owner alone, and is not written again for the same values', () => {
    addSeenValues(place, { cities: [['lisbon', '']] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(place.cache, 'completion')).mode & 0o777).toBe(0o700);
    const { ino } = statSync(file);
    addSeenValues(place, { cities: [['lisbon', '']] });
    expect(statSync(file).ino).toBe(ino);
    expect(readdirSync(join(place.cache, 'completion'))).toEqual(['seen.json']);
  });

  test('is not read where others may write it, where it is a link, or another user owns it', () => {
    addSeenValues(place, { cities: [['lisbon', '']] });
    chmodSync(file, 0o666);
    expect(readSeenValues(place)).toEqual({});
    chmodSync(file, 0o600);
    expect(readSeenValues({ ...place, uid: (place.uid ?? 0) + 1 })).toEqual({});
    const copy = `${file}.copy`;
    writeFileSync(copy, readFileSync(file), { mode: 0o600 });
    rmSync(file);
    symlinkSync(copy, file);
    expect(readSeenValues(place)).toEqual({});
  });

  test('is not written into a folder that others may write, and not below a home folder that is missing', () => {
    mkdirSync(join(place.cache, 'completion'), { recursive: true });
    chmodSync(join(place.cache, 'completion'), 0o777);
    addSeenValues(place, { cities: [['lisbon', '']] });
    expect(readdirSync(join(place.cache, 'completion'))).toEqual([]);
    const home = join(place.cache, 'gone');
    addSeenValues({ ...place, cache: join(home, '.cache/arx') }, { cities: [['lisbon', '']] });
    expect(readdirSync(place.cache)).toEqual(['completion']);
  });

  test.each([
    ['', 'empty'],
    ['{', 'cut'],
    ['null', 'null'],
    ['[]', 'a list'],
    ['{"version":2,"archives":[]}', 'of a later version'],
    ['{"version":1,"archives":{"a":1}}', 'with archives that are no list'],
    [
      '{"version":1,"archives":[null,1,{"archive":"a","values":null},{"archive":"a","values":{"cities":7}}]}',
      'odd',
    ],
    [
      '{"version":1,"archives":[{"archive":"a","values":{"cities":[["x"],[1,2],"y",["\\u001b[2J",""]]}}]}',
      'hostile',
    ],
    ['x'.repeat(2 * 1024 * 1024), 'too large'],
  ])('%#: damaged, gives no value and is replaced', (text) => {
    addSeenValues(place, { types: [['a/b', '']] });
    writeFileSync(file, text);
    expect(readSeenValues(place).cities ?? []).toEqual([]);
    addSeenValues(place, { cities: [['lisbon', '']] });
    expect(readSeenValues(place).cities).toEqual([['lisbon', '']]);
  });
});
