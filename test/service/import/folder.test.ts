// Reading a folder: every file in order, refused entries, large files, cities.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  closeSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readFolder } from '../../../src/service/import/folder.ts';
import type { RawMail, ImportItem, ImportedMessage } from '../../../src/service/records/import-items.ts';
import { jpegWithPosition } from '../../../src/service/sample/files.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { sha256Of } from '../../support/digest.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('folder')));

const put = (name: string, content: string | Uint8Array) => {
  mkdirSync(join(dir, name, '..'), { recursive: true });
  writeFileSync(join(dir, name), content);
  utimesSync(join(dir, name), 1_600_000_000, 1_600_000_000);
};

async function read(
  originCity: string | null = null,
  signal = new AbortController().signal,
): Promise<(ImportItem | RawMail)[]> {
  const items: (ImportItem | RawMail)[] = [];
  for await (const item of readFolder(dir, { originCity, tier: 'internal', signal })) {
    if (item.kind === 'message' || item.kind === 'raw' || item.kind === 'refused') items.push(item);
  }
  return items;
}
const messagesOf = (items: (ImportItem | RawMail)[]) =>
  items.filter((item): item is ImportedMessage => item.kind === 'message');

test('a file becomes a message with that file attached', async () => {
  put('letters/one.txt', 'hello');
  const [message] = messagesOf(await read());
  const raw = `{"bytes":5,"mtime":"2020-09-13T12:26:40.000Z","path":"letters/one.txt","sha256":"${sha256Of('hello')}"}`;
  expect(Buffer.from(message?.raw ?? []).toString()).toBe(raw);
  expect(message).toMatchObject({
    format: 'file',
    path: join(dir, 'letters/one.txt'),
    position: 0,
    sha256: sha256Of(raw),
    key: `file:letters/one.txt:${sha256Of('hello')}`,
    parent: null,
    date_ms: 1_600_000_000_000,
    sender: null,
    subject: 'letters/one.txt',
    source: 'local',
    tier: 'internal',
    nature: 'ordinary',
    attachments: [
      {
        filename: 'one.txt',
        declared_type: 'text/plain',
        detected_type: 'text/plain',
        sha256: sha256Of('hello'),
        bytes: 5,
        inline: false,
        origin_city: null,
        redaction: null,
        trailing_bytes: 0,
      },
    ],
  });
  expect(message?.attachments[0]).not.toHaveProperty('file');
});

test('files are in the order of names, and a folder is one conversation', async () => {
  for (const name of ['b/2.txt', 'b/1/deep/x.txt', 'a.txt', 'c', 'Z.txt', 'b.txt', 'ä.txt']) put(name, name);
  const messages = messagesOf(await read());
  expect(messages.map(({ subject }) => subject)).toEqual([
    'Z.txt',
    'a.txt',
    'b/1/deep/x.txt',
    'b/2.txt',
    'b.txt',
    'c',
    'ä.txt',
  ]);
  const root = dir.split('/').at(-1);
  expect(messages.slice(1, 4).map(({ related }) => related[0])).toEqual([
    `folder:${root}/`,
    `folder:${root}/b`,
    `folder:${root}/b`,
  ]);
  expect(messages.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('reading again gives the same hashes', async () => {
  put('a/x', 'one');
  put('y', '');
  const identities = async () => messagesOf(await read()).map((message) => message.sha256);
  expect(await identities()).toEqual(await identities());
});

test('refuses links and pipes', async () => {
  put('real.txt', 'x');
  put('locked/inside.txt', 'x');
  symlinkSync(join(dir, 'real.txt'), join(dir, 'link.txt'));
  symlinkSync('/etc', join(dir, 'linked'));
  symlinkSync(dir, join(dir, 'loop'));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  const items = await read();
  const refused = items.flatMap((item) =>
    item.kind === 'refused' ? [`${item.path.slice(dir.length + 1)} ${item.reason}`] : [],
  );
  expect(refused).toEqual([
    'link.txt is a link',
    'linked is a link',
    'loop is a link',
    'pipe is not a regular file',
  ]);
  expect(messagesOf(items).map(({ subject }) => subject)).toEqual(['locked/inside.txt', 'real.txt']);
});

test.skipIf(process.getuid?.() === 0)(
  'refuses files and folders without permission and reads the others',
  async () => {
    put('a.txt', 'x');
    put('b.txt', 'x');
    put('c/x', 'x');
    chmodSync(join(dir, 'a.txt'), 0);
    chmodSync(join(dir, 'c'), 0);
    const items = await read();
    chmodSync(join(dir, 'c'), 0o700);
    expect(
      items.map((item) => (item.kind === 'message' ? item.subject : item.kind === 'refused' && item.reason)),
    ).toEqual(['may not be read', 'b.txt', 'may not be read']);
  },
);

test('a missing folder is one refused item', async () => {
  rmSync(dir, { recursive: true });
  expect(await read()).toMatchObject([{ kind: 'refused', path: dir, reason: 'is not there' }]);
});

test('a large file is hashed as a stream and passed on by its path', async () => {
  const bytes = 20 * 1024 * 1024;
  const file = openSync(join(dir, 'long.bin'), 'w');
  ftruncateSync(file, bytes);
  closeSync(file);
  const [message] = messagesOf(await read());
  expect(message?.attachments[0]).toMatchObject({
    content: null,
    file: join(dir, 'long.bin'),
    bytes,
    sha256: sha256Of(Buffer.alloc(bytes)),
    redaction: null,
  });
});

test('a photo has the city of its position, other files the given label', async () => {
  put(
    'a.jpg',
    jpegWithPosition(-33.0458, -71.6197, () => 0.5),
  );
  put('b.txt', 'x');
  const cities = async (label: string | null) =>
    messagesOf(await read(label)).map(({ attachments }) => attachments[0]?.origin_city);
  expect(await cities(null)).toEqual(['valparaiso', null]);
  expect(await cities('hobart')).toEqual(['valparaiso', 'hobart']);
});

test('counts bytes after the end of the file format', async () => {
  put('a.jpg', Buffer.concat([jpegWithPosition(1, 2, () => 0.5), Buffer.from('carried')]));
  const [message] = messagesOf(await read());
  expect(message?.attachments[0]?.trailing_bytes).toBe(7);
});

test('stops when the signal is aborted', async () => {
  put('a', 'x');
  await expect(read(null, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});
