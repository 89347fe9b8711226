// The import driver: what is what, every message accounted for, nothing twice, and going on after an interruption.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ImportReport } from '../../../src/contract/report.ts';
import { Fault } from '../../../src/faults.ts';
import { detect } from '../../../src/service/import/detect.ts';
import { importItems, importPaths, type ImportProgress } from '../../../src/service/import/index.ts';
import type { ReadItem } from '../../../src/service/import/record.ts';
import { openArchive, type OpenArchive } from '../../../src/service/store/open.ts';

const signal = new AbortController().signal;
const MAIL = 'From: a@b\nSubject: x\nMessage-ID: <1@b>\n\ntext\n';
const MBOX = 'From a@b Thu Jan  1 00:00:00 1970\n';

let dir = '';
let made = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'arx-import-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

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
    ['a folder of mails', eml(9), 'mails'],
    ['of mails, mostly', { ...eml(9), 'd/.DS_Store': '\0' }, 'mails'],
    ['a folder of files', { ...eml(2), 'a.txt': 'x' }, 'folder'],
    ['an empty folder', {}, 'folder'],
  ])('%s', async (_name, files, kind) => {
    expect(await detect(await folder(files))).toBe(kind);
  });

  test.each<[name: string, content: string, kind: string]>([
    ['an mbox', MBOX + MAIL, 'mbox'],
    ['an empty mbox', '', 'mbox'],
    ['an mbox after empty lines', `\r\n\n${MBOX}${MAIL}`, 'mbox'],
    ['a mail', MAIL, 'mail'],
    ['a mail with CRLF', MAIL.replaceAll('\n', '\r\n'), 'mail'],
    ['a mail with folded fields', `Received: a\n b\n${MAIL}`, 'mail'],
  ])('%s', async (_name, content, kind) => {
    expect(await detect(join(await folder({ file: content }), 'file'))).toBe(kind);
  });

  test.each<[name: string, content: string]>([
    ['text', 'hello\n'],
    ['text that looks a little like mail', 'Note: this\nFrom: that\n\n'],
    ['a zip that is no export', 'PK\x03\x04....'],
  ])('%s cannot be imported, and nothing is', async (_name, content) => {
    const root = await folder({ file: content, mail: MAIL });
    const archive = await archiveIn();
    const doomed = importPaths(archive, [join(root, 'mail'), join(root, 'file')], { signal });
    await expect(doomed).rejects.toMatchObject({ kind: 'usage' });
    expect((await contentOf(archive))[0]).toEqual([]);
    await archive.close();
  });

  test('what is not there, and uploads alone, are usage faults', async () => {
    const archive = await archiveIn();
    for (const path of [join(dir, 'absent'), await folder({ '__uploads/F1/a.txt': 'x' })]) {
      await expect(importPaths(archive, [path], { signal })).rejects.toBeInstanceOf(Fault);
    }
    await archive.close();
  });
});

test('a Maildir in order of delivery, without tmp, links followed nowhere', async () => {
  const mail = (n: number) => MAIL.replace('<1@b>', `<${n}@b>`);
  const root = await folder({
    'cur/1000000010.a:2,S': mail(2),
    'cur/999999999.b:2,': mail(1),
    'cur/.hidden': mail(9),
    'new/5.c': mail(3),
    'tmp/1.d': mail(9),
  });
  await symlink(join(root, 'tmp/1.d'), join(root, 'new/6.link'));
  const archive = await archiveIn();
  const report = await importPaths(archive, [root], { signal });
  expect(report.sources).toMatchObject([{ kind: 'maildir', messages: { read: 3, stored: 3 } }]);
  const keys = await archive.database.all('SELECT message_key FROM messages ORDER BY n');
  expect(keys.map((row) => row['message_key'])).toEqual(['1@b', '2@b', '3@b']);
  await archive.close();
});

test('a second import adds nothing, and says so', async () => {
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

test('an interrupted import that is run again ends as if it had not been', async () => {
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

test('what a reader refuses is counted and named', async () => {
  const archive = await archiveIn();
  async function* items(): AsyncGenerator<ReadItem> {
    yield { kind: 'refused', path: 'x', position: 7, reason: 'is damaged' };
  }
  expect(await importItems(archive, items())).toMatchObject({
    messages: { read: 1, stored: 0, known: 0, refused: 1 },
    refused: [{ path: 'x', offset: 7, reason: 'is damaged' }],
  });
  await archive.close();
});

const TORTURE = join(import.meta.dirname, '../../../../shared/data/mime-torture');
const CORPORA = ['mime4j', 'stalwart', 'nodemailer-mailparser', 'sisimai-bounces'];
if (!existsSync(TORTURE)) test.skip('SKIPPED: ../shared/data/mime-torture is not there', () => {});

describe.skipIf(!existsSync(TORTURE))('mime torture', () => {
  test.each(CORPORA)('%s: every file is stored or known, as one mail or as mbox', async (corpus) => {
    const root = await folder({});
    execFileSync('tar', ['-xJf', join(TORTURE, `${corpus}.tar.xz`), '-C', root]);
    const names = (await readdir(root, { recursive: true })).map((name) => join(root, name));
    const mails = names.filter((name) => /\.(eml|msg)$/.test(name));
    const boxes = names.filter((name) => /mailbox\/mbox-\d$/.test(name));
    const only = await folder({});
    for (const [n, name] of mails.entries()) await copyFile(name, join(only, `${n}.eml`));
    const archive = await archiveIn();
    const report = await importPaths(archive, [only, ...boxes], { signal });
    expect(report.sources[0]?.kind).toBe('mail');
    expect(report.refused).toEqual([]);
    expect(report.sources[0]?.messages.read).toBe(mails.length);
    const stored = await archive.database.all<{ raw_sha256: string }>('SELECT raw_sha256 FROM messages');
    const total = report.sources.reduce((sum, { messages }) => sum + messages.stored, 0);
    expect(stored).toHaveLength(total);
    await archive.close();
  });
});
