// Reading tars by name: names and contents, and what is refused.
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openTar, tarNames } from '../../../src/service/import/tar.ts';
import { paxRecord, rawTar } from '../../support/tar.ts';
import { written } from './chat-exports.ts';

const LONG = `${'é'.repeat(400)}/${'x'.repeat(300)}`;
const ENTRIES = [
  { name: './folder/', type: '5' },
  { name: './a', content: 'first' },
  { name: 'global', type: 'g', content: paxRecord('comment', 'x') },
  { name: 'pax', type: 'x', content: paxRecord('path', LONG) + paxRecord('size', '3') },
  { name: 'cut', content: 'abc', size: 0 },
  { name: '././@LongLink', type: 'L', content: `${LONG}.gnu\0` },
  { name: 'cut', content: 'y'.repeat(3_000_000) },
  { name: '../../up', content: 'outside' },
  { name: '/etc/absolute', content: '' },
  { name: 'link', type: '2' },
  { name: 'hard', type: '1' },
  { name: 'device', type: '3' },
  { name: 'unknown', type: 'Z', content: 'z' },
  { name: 'a', content: 'last' },
];

/** The tars that this process has open: of Linux, elsewhere none. */
/** Folders into which a tar is unpacked. */
const untarFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('arx-untar-'));

function openTars(): string[] {
  if (!existsSync('/proc/self/fd')) return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return /\/a\.tar$|\/arx-untar-/.test(file) ? [file] : [];
    } catch {
      return [];
    }
  });
}

async function contentsOf(tar: Uint8Array) {
  const files = await openTar(written('a.tar', tar));
  try {
    const contents: Record<string, string> = {};
    for (const name of files.names) contents[name] = Buffer.from(await files.read(name, 1e7)).toString();
    return { contents, unreadable: files.unreadable, hidden: files.hidden };
  } finally {
    files.close();
  }
}

const refusal = (tar: Uint8Array) => contentsOf(tar).then(String, (error: Error) => error.message);

async function namesIn(tar: Uint8Array, maxBytes = Infinity): Promise<string[]> {
  const names: string[] = [];
  for await (const name of tarNames(written('a.tar', tar), maxBytes)) names.push(name);
  return names;
}

describe.each([
  ['a tar', (tar: Uint8Array) => tar],
  ['a compressed tar', (tar: Uint8Array) => new Uint8Array(gzipSync(tar))],
])('%s', (_, packed) => {
  test('is read by name, with long names, and links are named', async () => {
    const tar = packed(rawTar(ENTRIES));
    expect(await contentsOf(tar)).toEqual({
      contents: {
        a: 'last',
        [LONG]: 'abc',
        [`${LONG}.gnu`]: 'y'.repeat(3_000_000),
        '../../up': 'outside',
        '/etc/absolute': '',
      },
      unreadable: [
        ['link', 'is a link'],
        ['hard', 'is a link'],
        ['device', 'is not a regular file'],
        ['unknown', 'is not a regular file'],
      ],
      hidden: ['a'],
    });
    expect(await namesIn(tar)).toEqual(['a', LONG, `${LONG}.gnu`, '../../up', '/etc/absolute', 'a']);
    expect(await namesIn(tar, 2_000_000)).toEqual(['a', LONG, `${LONG}.gnu`, '../../up']);
  });

  const whole = rawTar(ENTRIES);
  const end = whole.length - 1024;
  const flipped = Buffer.from(whole);
  flipped[512 + 3]! ^= 1;
  test.each([
    ['cut in a file', whole.subarray(0, 2_000_000), 'is damaged (it ends inside a file)'],
    ['cut in the padding', whole.subarray(0, end - 1), 'is damaged (it ends inside a file)'],
    ['cut in a header', whole.subarray(0, end - 700), 'is damaged (it ends inside a file)'],
    ['a changed header', flipped, 'is damaged (a header of the tar is not valid)'],
    ['text', Buffer.from('ustar'.repeat(300)), 'is damaged (a header of the tar is not valid)'],
    ['a size that is no number', rawTar([{ name: 'a', size: 'zzz' }]), 'is damaged (it ends inside a file)'],
    [
      'a negative size',
      rawTar([{ name: 'a', size: '\xff'.repeat(11) }]),
      'is damaged (it ends inside a file)',
    ],
    [
      'a size beyond all',
      rawTar([{ name: 'a', size: `\x80${'\x7f'.repeat(11)}` }]),
      'is damaged (it ends inside a file)',
    ],
    [
      'a negative size in pax',
      rawTar([{ name: 'x', type: 'x', content: paxRecord('size', '-5') }, { name: 'a' }]),
      'is damaged (it ends inside a file)',
    ],
    [
      'a name of 2 MiB',
      rawTar([{ name: 'x', type: 'x', content: paxRecord('path', 'n'.repeat(2 ** 21)) }, { name: 'a' }]),
      'is damaged (a name in the tar is too long)',
    ],
    [
      'a name of 8 GiB',
      rawTar([
        { name: 'x', type: 'L', content: Buffer.alloc(40 * 2 ** 20, 'n'), size: '7'.repeat(11) },
        { name: 'a' },
      ]),
      'is damaged (a name in the tar is too long)',
    ],
  ])('is refused: %s', async (_what, tar, reason) => {
    expect(await refusal(packed(tar))).toBe(reason);
    expect(await namesIn(packed(tar))).toBeInstanceOf(Array);
    await expect.poll(openTars).toEqual([]);
  });

  test('an aborted signal ends the unpacking, and leaves nothing', async () => {
    const path = written('a.tar', packed(whole));
    const before = untarFolders();
    const controller = new AbortController();
    const opening = openTar(path, controller.signal);
    controller.abort(new Error('stop'));
    await expect(opening).rejects.toThrow('stop');
    await expect(openTar(written('b.tar', Buffer.from(whole)), controller.signal)).rejects.toThrow('stop');
    expect(untarFolders()).toEqual(before);
    await expect.poll(openTars).toEqual([]);
  });

  test('leaves no file open', async () => {
    const files = await openTar(written('a.tar', packed(whole)));
    if (existsSync('/proc/self/fd')) expect(openTars()).toHaveLength(1);
    files.close();
    await expect.poll(openTars).toEqual([]);
  });
});
