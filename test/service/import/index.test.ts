// Importing paths: detection, counts, repeated and interrupted imports, full disks.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { ImportReport } from '../../../src/contract/reports/archive.ts';
import { Fault } from '../../../src/faults.ts';
import type { ImportKind } from '../../../src/contract/import-kind.ts';
import { detectSource } from '../../../src/service/import/detect.ts';
import { importItems, importPaths, type ImportProgress } from '../../../src/service/import/index.ts';
import type { ImportItem } from '../../../src/service/records/import-items.ts';
import { openArchive, type OpenArchive } from '../../../src/service/store/open.ts';
import { redact } from '../../../src/service/store/redaction.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const signal = new AbortController().signal;
const MAIL = 'From: a@b\nSubject: x\nMessage-ID: <1@b>\n\ntext\n';
const MBOX = 'From a@b Thu Jan  1 00:00:00 1970\n';

let dir = '';
let made = 0;
beforeAll(async () => {
  dir = tempFolder('import');
});

/** A folder with these files; a name that ends in `/` is a folder. */
async function folder(files: Record<string, string>): Promise<string> {
  made += 1;
  const root = join(dir, `source-${made}`);
  await mkdir(root);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(name.endsWith('/') ? join(root, name) : dirname(join(root, name)), { recursive: true });
    if (!name.endsWith('/')) await writeFile(join(root, name), content);
  }
  return root;
}

function archiveIn(): Promise<OpenArchive> {
  made += 1;
  return openArchive({
    sleep,
    dir: join(dir, `archive-${made}`),
    now: () => Date.UTC(2026, 0, 1),
    randomBytes: (count) => new Uint8Array(count),
  });
}

/** Everything an import leaves behind, but for where it was read from. */
async function contentOf({ database }: OpenArchive): Promise<unknown[]> {
  const tables = ['messages', 'raws', 'threads', 'orphans', 'attachments', 'conversations'];
  const rows = [];
  for (const table of tables) rows.push(await database.all(`SELECT * FROM ${table} ORDER BY 1, 2`));
  return rows;
}

/** Mails that answer each other backwards and forwards, each with a file. */
function mailbox(count: number): string {
  return Array.from({ length: count }, (_, n) => {
    const answered = n % 7 === 3 ? n + 2 : n % 3 === 0 ? undefined : n - 1;
    const header = [
      `From: p${n % 5}@b`,
      `Message-ID: <${n}@b>`,
      ...(answered === undefined ? [] : [`In-Reply-To: <${answered}@b>`]),
    ];
    return `${MBOX}${header.join('\n')}\nContent-Type: application/x-n; name=n\n\nfile ${n % 50}\n\n`;
  }).join('');
}

describe('detection', () => {
  const eml = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`d/${n}`, MAIL]));
  test.each<[name: string, files: Record<string, string>, kind: string]>([
    ['a Maildir', { 'cur/': '', 'new/': '', 'tmp/': '' }, 'maildir'],
    ['a Slack export', { 'users.json': '[]', 'channels.json': '[]' }, 'slack'],
    ['the uploads of one', { '__uploads/F1/a.txt': 'x' }, 'uploads'],
    ['a folder of mails', eml(9), 'mail'],
    ['of mails, mostly', { ...eml(9), 'd/.DS_Store': '\0' }, 'mail'],
    ['a folder of mails and other files', { ...eml(2), 'a.txt': 'x' }, 'folder'],
    ['a folder of a mailbox', { box: mailbox(2) }, 'folder'],
    ['of mails and a mailbox', { ...eml(20), box: mailbox(2) }, 'folder'],
    ['of mails with envelopes', Object.fromEntries([1, 2, 3].map((n) => [`${n}`, MBOX + MAIL])), 'mail'],
    ['of Maildirs', { 'a/cur/1': MAIL, 'a/new/': '', 'b/cur/1': MAIL, 'b/new/': '' }, 'folder'],
    ['an empty folder', {}, 'folder'],
  ])('%s', async (_name, files, kind) => {
    expect(await detectSource(await folder(files))).toMatchObject({ kind });
  });

  test.each<[name: string, content: string, kind: string]>([
    ['an mbox', MBOX + MAIL, 'mbox'],
    ['an empty mbox', '', 'mbox'],
    ['an mbox after empty lines', `\r\n\n${MBOX}${MAIL}`, 'mbox'],
    ['a mail', MAIL, 'mail'],
    ['a mail with CRLF', MAIL.replaceAll('\n', '\r\n'), 'mail'],
    ['a mail with folded fields', `Received: a\n b\n${MAIL}`, 'mail'],
  ])('%s', async (_name, content, kind) => {
    expect(await detectSource(join(await folder({ file: content }), 'file'))).toMatchObject({ kind });
  });

  test.each<[name: string, content: string]>([
    ['text', 'hello\n'],
    ['text that looks a little like mail', 'Note: this\nFrom: that\n\n'],
    ['a zip that is no export', 'PK\x03\x04....'],
  ])('%s is refused before anything is stored', async (_name, content) => {
    const root = await folder({ file: content, mail: MAIL });
    const archive = await archiveIn();
    const doomed = importPaths(archive, [join(root, 'mail'), join(root, 'file')], { signal });
    await expect(doomed).rejects.toMatchObject({ kind: 'usage' });
    expect((await contentOf(archive))[0]).toEqual([]);
    await archive.close();
  });

  test('a missing path and uploads without their export are usage faults', async () => {
    const archive = await archiveIn();
    for (const path of [join(dir, 'absent'), await folder({ '__uploads/F1/a.txt': 'x' })]) {
      await expect(importPaths(archive, [path], { signal })).rejects.toBeInstanceOf(Fault);
    }
    await archive.close();
  });
});

test('a Maildir is read in order of delivery, without tmp and without following links', async () => {
  const mail = (n: number) => MAIL.replace('<1@b>', `<${n}@b>`);
  const root = await folder({
    'cur/1000000010.a:2,S': mail(2),
    'cur/999999999.b:2,': mail(1),
    'cur/.hidden': mail(9),
    'new/5.c': mail(3),
    'tmp/1.d': mail(9),
  });
  await symlink(join(root, 'tmp/1.d'), join(root, 'new/6.link'));
  execFileSync('mkfifo', [join(root, 'cur/7.pipe')]);
  await mkdir(join(root, 'cur/8.folder'));
  const archive = await archiveIn();
  const report = await importPaths(archive, [root], { signal });
  expect(report.sources).toMatchObject([{ kind: 'maildir', messages: { read: 6, stored: 3, refused: 3 } }]);
  expect(report.refused).toEqual([
    { path: join(root, 'cur/7.pipe'), offset: 0, reason: 'is not a regular file' },
    { path: join(root, 'cur/8.folder'), offset: 0, reason: 'is a folder' },
    { path: join(root, 'new/6.link'), offset: 0, reason: 'is a link' },
  ]);
  const keys = await archive.database.all('SELECT message_key FROM messages ORDER BY n');
  expect(keys.map((row) => row['message_key'])).toEqual(['1@b', '2@b', '3@b']);
  await archive.close();
});

/** What is stored of a folder: messages of each format, and the kind that was reported. */
async function storedOf(files: Record<string, string>, kind?: ImportKind): Promise<Record<string, unknown>> {
  const archive = await archiveIn();
  try {
    const root = await folder(files);
    const report = await importPaths(archive, [root], { signal, ...(kind === undefined ? {} : { kind }) });
    expect(report.refused).toEqual([]);
    const rows = await archive.database.all<{ format: string; n: number }>(
      'SELECT format, COUNT(*) AS n FROM messages GROUP BY format',
    );
    return {
      kind: report.sources[0]?.kind,
      ...Object.fromEntries(rows.map(({ format, n }) => [format, n])),
    };
  } finally {
    await archive.close();
  }
}

describe('a folder', () => {
  const mail = (n: number) => MAIL.replace('<1@b>', `<mail-${n}@b>`);
  const mails = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`mails/${n}.eml`, mail(n)]));
  const maildir = {
    'in/cur/1.a:2,S': mail(1),
    'in/new/2.b': mail(2),
    'in/tmp/3.c': mail(3),
    'in/index': 'x',
  };

  test.each<[name: string, files: Record<string, string>, stored: Record<string, unknown>]>([
    ['of one mailbox', { box: mailbox(9) }, { kind: 'mbox', rfc822: 9 }],
    [
      'of mailboxes, one of them with one mail',
      { a: mailbox(9), b: MBOX + mail(1) },
      { kind: 'mbox', rfc822: 10 },
    ],
    [
      'of a mailbox and a note',
      { box: mailbox(9), 'readme.txt': 'x' },
      { kind: 'folder', rfc822: 9, file: 1 },
    ],
    [
      'of a mailbox and mails',
      { box: mailbox(9), ...mails(40), n: '' },
      { kind: 'folder', rfc822: 49, file: 1 },
    ],
    [
      'of mails and as many others',
      { ...mails(5), ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, name])) },
      { kind: 'folder', rfc822: 5, file: 5 },
    ],
    [
      'of mails, with a mailbox that is not sampled',
      { ...mails(99), 'mails/00': mailbox(3) },
      { kind: 'folder', rfc822: 102 },
    ],
    ['of mails and one other file', { ...mails(9), '.DS_Store': '\0' }, { kind: 'mail', rfc822: 10 }],
    ['of Maildirs', { ...maildir, 'b/cur/1.x:2,': mail(4), 'b/new/': '' }, { kind: 'maildir', rfc822: 3 }],
    [
      'of a Maildir with folders and a note',
      { ...maildir, 'in/.Sent/cur/1.x:2,': mail(4), 'in/.Sent/new/': '', note: 'x' },
      { kind: 'folder', rfc822: 3, file: 1 },
    ],
    ['of prose', { a: 'From here on\nit is prose\n\nFrom there too\n' }, { kind: 'folder', file: 1 }],
    [
      'of a mailbox, and one with a poor envelope',
      { a: mailbox(9), b: 'From \nList-Id: x\n\ntext\n' },
      { kind: 'mbox', rfc822: 10 },
    ],
    [
      'of a mail and a saved web page',
      {
        a: mail(1),
        note: 'x',
        b: 'MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x--\n',
      },
      { kind: 'folder', rfc822: 1, file: 2 },
    ],
    ['of nothing', {}, { kind: 'folder' }],
  ])('%s', async (_name, files, stored) => {
    expect(await storedOf(files)).toEqual(stored);
  });

  test('of mails refuses the links and pipes in it', async () => {
    const root = await folder(mails(9));
    await symlink('mails/1.eml', join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const archive = await archiveIn();
    const report = await importPaths(archive, [root], { signal });
    expect(report.sources).toMatchObject([{ kind: 'mail', messages: { read: 11, stored: 9, refused: 2 } }]);
    expect(report.refused.map(({ reason }) => reason)).toEqual(['is a link', 'is not a regular file']);
    await archive.close();
  });

  test('gives the same messages as its mailboxes imported one by one', async () => {
    const root = await folder({ a: mailbox(9), b: MBOX + mail(1), 'c/d': mailbox(20) });
    const archive = await archiveIn();
    await importPaths(archive, [root], { signal });
    const again = await importPaths(
      archive,
      ['a', 'b', 'c/d'].map((name) => join(root, name)),
      { signal },
    );
    expect(again.sources.map(({ messages }) => messages.stored)).toEqual([0, 0, 0]);
    await archive.close();
  });

  test.each<[kind: ImportKind, files: Record<string, string>, stored: Record<string, unknown>]>([
    ['folder', { ...mails(9), box: mailbox(3) }, { kind: 'folder', file: 10 }],
    ['mail', { ...mails(9), box: mailbox(3), 'readme.txt': 'x' }, { kind: 'mail', rfc822: 11 }],
    ['maildir', { 'cur/1': mail(1), 'new/': '' }, { kind: 'maildir', rfc822: 1 }],
    ['folder', maildir, { kind: 'folder', file: 4 }],
  ])('named as %s', async (kind, files, stored) => {
    expect(await storedOf(files, kind)).toEqual(stored);
  });

  test.each<[kind: ImportKind, path: string]>([
    ['mbox', ''],
    ['mbox', 'note'],
    ['maildir', ''],
    ['maildir', 'box'],
    ['slack', ''],
    ['slack', 'box'],
    ['folder', 'box'],
  ])('named as %s, but it is of another kind: %j', async (kind, path) => {
    const root = await folder({ box: mailbox(3), note: 'x' });
    const archive = await archiveIn();
    const doomed = importPaths(archive, [join(root, path)], { signal, kind });
    await expect(doomed).rejects.toMatchObject({ kind: 'usage' });
    await archive.close();
  });

  test.each([{}, mails(9)])('refuses names that are not UTF-8', async (files) => {
    const root = await folder({ ...files, 'a.txt': 'x', 'd/b.txt': 'y' });
    const bad = (name: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
    await writeFile(bad('caf\xe9.txt'), 'x');
    await mkdir(bad('\xe9'));
    const archive = await archiveIn();
    const report = await importPaths(archive, [root], { signal });
    expect(report.refused.map(({ path, reason }) => [path.slice(root.length + 1), reason])).toEqual([
      ['caf\ufffd.txt', 'has a name that is not UTF-8'],
      ['\ufffd', 'has a name that is not UTF-8'],
    ]);
    expect(report.sources[0]?.messages.stored).toBe(Object.keys(files).length + 2);
    await archive.close();
  });
});

describe('a Slack export whose uploads come later', () => {
  const file = (id: string, more: object = {}) => ({
    id,
    name: `${id}.txt`,
    mimetype: 'text/plain',
    mode: 'hosted',
    size: 9,
    ...more,
  });
  const say = (ts: string, ...files: object[]) => ({ type: 'message', user: 'U1', text: 'x', ts, files });
  const withheld = file('F4', { mode: 'hidden_by_limit' });
  const shared = file('F1');
  const days = [
    say('1704200000.1', shared, file('F2')),
    say('1704200001.1', shared, file('F3')),
    say('1704200002.1', withheld, file('F5')),
  ];
  const slack = {
    'users.json': '[]',
    'channels.json': '[{"id":"C1","name":"general"}]',
    'general/2024-01-02.json': JSON.stringify(days),
  };
  const uploads = {
    '__uploads/F1/F1.txt': 'one',
    '__uploads/F2/F2.txt': 'two',
    // The same bytes under another id.
    '__uploads/F3/F3.txt': 'two',
    '__uploads/F4/F4.txt': 'withheld',
  };

  test('ends like an import of both together', async () => {
    const [paths, at] = [await folder(slack), await folder(uploads)];
    const whole = await archiveIn();
    await importPaths(whole, [paths, at], { signal });
    const late = await archiveIn();
    await importPaths(late, [paths], { signal });
    expect(await late.database.get('SELECT SUM(stored) AS n FROM attachments')).toEqual({ n: 0 });
    const report = await importPaths(late, [paths, at], { signal });
    expect(report.sources[0]).toMatchObject({
      messages: { read: 3, stored: 0, known: 3, refused: 0 },
      attachments: { stored: 4, known: 2 },
    });
    expect(await contentOf(late)).toEqual(await contentOf(whole));
    const again = await importPaths(late, [paths, at], { signal });
    expect(again.sources[0]?.attachments).toEqual({ stored: 0, known: 6 });
    const without = await importPaths(late, [paths], { signal });
    expect(without.sources[0]?.attachments).toEqual({ stored: 0, known: 6 });
    expect(await contentOf(late)).toEqual(await contentOf(whole));
    await whole.close();
    await late.close();
  });

  test('keeps its redactions, for every row with the same bytes', async () => {
    const [paths, at] = [await folder(slack), await folder(uploads)];
    const archive = await archiveIn();
    await importPaths(archive, [paths], { signal });
    await redact(archive, 'att_2', 'private');
    await importPaths(archive, [paths, at], { signal });
    const rows = await archive.database.all('SELECT n, stored, redaction FROM attachments ORDER BY n');
    expect(rows.map(({ n, stored, redaction }) => [n, stored, redaction])).toEqual([
      [1, 1, null],
      [2, 1, 'private'],
      [3, 1, null],
      [4, 1, 'private'],
      [5, 0, 'hidden by the limit of the plan'],
      [6, 0, null],
    ]);
    await archive.close();
  });
});

describe('a full disk', () => {
  const full = {
    kind: 'disk',
    message: 'archive: no space left on the device',
    detail: { kept: 'what was stored before; the same import goes on from there' },
  };

  test('while files are written is a disk fault and loses no stored message', async () => {
    const path = join(await folder({ box: mailbox(700) }), 'box');
    const archive = await archiveIn();
    let puts = 0;
    const put = archive.blobs.put.bind(archive.blobs);
    archive.blobs.put = async (sha256, content) => {
      puts += 1;
      if (puts > 60) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      await put(sha256, content);
    };
    await expect(importPaths(archive, [path], { signal })).rejects.toMatchObject(full);
    archive.blobs.put = put;
    expect((await contentOf(archive))[0]).toHaveLength(256);
    const report = await importPaths(archive, [path], { signal });
    expect(report.sources[0]?.messages).toMatchObject({ stored: 444, known: 256 });
    await archive.close();
  });

  test('while rows are written is a disk fault and loses no stored message', async () => {
    const path = join(await folder({ box: mailbox(700) }), 'box');
    const archive = await archiveIn();
    // Runs on the connection that writes.
    await archive.database.run('PRAGMA max_page_count = 110');
    let last = 0;
    const progress = ({ read }: ImportProgress) => {
      last = read;
    };
    await expect(importPaths(archive, [path], { signal, progress })).rejects.toMatchObject(full);
    expect(last).toBeGreaterThan(0);
    expect((await contentOf(archive))[0]).toHaveLength(last);
    await archive.database.run('PRAGMA max_page_count = 100000');
    const report = await importPaths(archive, [path], { signal });
    expect(report.sources[0]?.messages).toMatchObject({ stored: 700 - last, known: last });
    await archive.close();
  });
});

test('removes unfinished files of killed imports, but not of running ones', async () => {
  const archive = await archiveIn();
  const blobs = join(dir, `archive-${made}`, 'blobs');
  await mkdir(join(blobs, 'ab'), { recursive: true });
  for (const [name, age] of [
    ['old.1.new', 3601],
    ['young.2.new', 3599],
    ['old', 9999],
  ] as const) {
    await writeFile(join(blobs, 'ab', name), 'x');
    const time = Date.UTC(2026, 0, 1) / 1000 - age;
    await utimes(join(blobs, 'ab', name), time, time);
  }
  await importPaths(archive, [await folder({})], { signal });
  expect((await readdir(join(blobs, 'ab'))).sort()).toEqual(['old', 'young.2.new']);
  await archive.close();
});

test('a second import stores nothing and counts everything as known', async () => {
  const path = join(await folder({ box: mailbox(300) }), 'box');
  const archive = await archiveIn();
  const steps: ImportProgress[] = [];
  const first = await importPaths(archive, [path], {
    signal,
    originCity: 'oslo',
    progress: (state) => steps.push(state),
  });
  expect(ImportReport.parse(first).sources).toEqual([
    {
      path,
      kind: 'mbox',
      messages: { read: 300, stored: 300, known: 0, refused: 0 },
      attachments: { stored: 300, known: 0 },
    },
  ]);
  expect(steps.map(({ read }) => read)).toEqual([256, 300]);
  expect(steps.at(-1)?.done).toBeLessThanOrEqual(steps.at(-1)?.total ?? 0);
  const content = await contentOf(archive);
  const second = await importPaths(archive, [path, path], { signal });
  for (const { messages, attachments } of second.sources) {
    expect(messages).toEqual({ read: 300, stored: 0, known: 300, refused: 0 });
    expect(attachments).toEqual({ stored: 0, known: 300 });
  }
  expect(second.conversations).toBe(first.conversations);
  expect(await contentOf(archive)).toEqual(content);
  expect(await archive.database.all('SELECT DISTINCT origin_city FROM attachments')).toEqual([
    { origin_city: 'oslo' },
  ]);
  await archive.close();
});

test('an interrupted import that is run again ends like an uninterrupted one', async () => {
  const path = join(await folder({ box: mailbox(700) }), 'box');
  const whole = await archiveIn();
  await importPaths(whole, [path], { signal });
  const cut = await archiveIn();
  const controller = new AbortController();
  const reason = new Fault('interrupted', 'interrupted', { signal: 'SIGINT' });
  const doomed = importPaths(cut, [path], {
    signal: controller.signal,
    progress: () => controller.abort(reason),
  });
  await expect(doomed).rejects.toBe(reason);
  expect((await contentOf(cut))[0]).toHaveLength(256);
  const report = await importPaths(cut, [path], { signal });
  expect(report.sources[0]?.messages).toEqual({ read: 700, stored: 444, known: 256, refused: 0 });
  expect(await contentOf(cut)).toEqual(await contentOf(whole));
  await whole.close();
  await cut.close();
});

test('counts and reports what a reader refuses', async () => {
  const archive = await archiveIn();
  async function* items(): AsyncGenerator<ImportItem> {
    yield { kind: 'refused', path: 'x', position: 7, reason: 'is damaged' };
  }
  expect(await importItems(archive, items())).toMatchObject({
    messages: { read: 1, stored: 0, known: 0, refused: 1 },
    refused: [{ path: 'x', offset: 7, reason: 'is damaged' }],
  });
  await archive.close();
});
