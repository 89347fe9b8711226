// Mailboxes and exports as other programs leave them, through the commands: every mail is read or named, and nothing is made up.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { zipOf } from '../support/zip.ts';

const mail = (n: number, more = '') =>
  `From: a@b\nMessage-ID: <${n}@b>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: s${n}\n${more}\ntext ${n}\n`;

/** Imports files into a new archive, and lists the messages of it. */
async function imported(files: Record<string, string | Buffer>, path: string) {
  const dir = tempFolder('strange-imports');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  const ran = await arx(dir, `import ${path} --json`);
  expect([0, 3], ran.stderr).toContain(ran.exit);
  const listed = await arx(dir, 'messages ls --json');
  const { data } = JSON.parse(listed.stdout) as { data: Record<string, unknown>[] };
  return {
    dir,
    report: JSON.parse(ran.stdout),
    messages: data,
    subjects: data.map(({ subject }) => subject),
  };
}

test.each(['From \r\n', 'From - \r\n', 'From - Thu Jan  1 00:00:00 2026\r\n'])(
  'X11 a Thunderbird mbox with separators %j: each mail is one',
  async (separator) => {
    const box = [1, 2, 3]
      .map((n) => separator + mail(n, 'X-Mozilla-Status: 0001\n').replaceAll('\n', '\r\n'))
      .join('\r\n');
    const { subjects, report } = await imported({ Inbox: box }, 'Inbox');
    expect(subjects).toEqual(['s1', 's2', 's3']);
    expect(report.sources).toMatchObject([{ kind: 'mbox (Thunderbird)', messages: { read: 3, stored: 3 } }]);
  },
);

test('X11 mails beside cur and new of a Maildir: all are read, other files are named', async () => {
  const { subjects, report } = await imported(
    { 'box/cur/1.a:2,S': mail(1), 'box/new/2.b': mail(2), 'box/beside.eml': mail(3), 'box/notes.bin': '\0' },
    'box',
  );
  expect(subjects.map(String).toSorted()).toEqual(['s1', 's2', 's3']);
  expect(report.sources[0].files).toMatchObject({ seen: 4, read: 3, skipped: 1 });
  expect(JSON.stringify(report.skipped)).toContain('notes.bin');
});

test('X11 a Slack file without bytes has no hash and is absent', async () => {
  const file = { id: 'F1', name: 'a.pdf', mimetype: 'application/pdf', size: 5, url_private: 'https://a/b' };
  const day = [{ type: 'message', user: 'U1', text: 'x', ts: '1704200000.000100', files: [file] }];
  const zip = zipOf([
    ['users.json', '[]'],
    ['channels.json', '[{"id":"C1","name":"general"}]'],
    ['general/2024-01-02.json', JSON.stringify(day)],
  ]);
  const { dir } = await imported({ 'export.zip': zip }, 'export.zip');
  const { data } = JSON.parse((await arx(dir, 'attachments ls --json')).stdout) as { data: object[] };
  expect(data).toMatchObject([{ filename: 'a.pdf', file_url: null, redacted: false }]);
  expect(data[0]).not.toHaveProperty('sha256');
  expect((await arx(dir, 'attachments ls')).stdout).toContain('\tabsent\t');
});

test.each(['31 Feb 2019 10:00:00 +0000', '1 Jan 219 10:00:00 +0000', '1 Jan 2019 10:00:00 +9999'])(
  'X11 the date %s is shown as no date',
  async (date) => {
    const { messages } = await imported(
      { 'a.eml': mail(1).replace('Thu, 1 Jan 2026 00:00:00 +0000', date) },
      'a.eml',
    );
    expect(messages).toHaveLength(1);
    expect(messages[0]!['date'] ?? null).toBe(null);
    expect(messages[0]!['integrity']).not.toBe(1);
  },
);

test('X11 a malformed header line does not end the header', async () => {
  const { messages } = await imported(
    { 'a.eml': `From: a@b\nthis is no field\nSubject: after it\nMessage-ID: <1@b>\n\ntext\n` },
    'a.eml',
  );
  expect(messages).toMatchObject([{ subject: 'after it' }]);
});

test.each([
  ['a single file', 'a.eml', 'a.eml'],
  ['a Maildir', 'box/cur/1.a:2,S', 'box'],
  ['a folder', 'mails/a.eml', 'mails'],
])(
  'X11 a mail whose lines end with CR alone, as %s: it reads as with LF, and its bytes stay',
  async (_, name, path) => {
    const part = 'Content-Type: image/x; name=f.bin\nContent-Transfer-Encoding: base64\n\naGVs\nbG8=\n';
    const text = mail(1, 'Content-Type: multipart/mixed; boundary=q\n').replace(
      '\ntext 1',
      `\n--q\n\nfirst line\nsecond line\n--q\n${part}--q--`,
    );
    const raw = text.replaceAll('\n', '\r');
    const more = { 'box/new/x': mail(2), 'mails/b.eml': mail(3) };
    const { dir, messages } = await imported({ ...more, [name]: raw }, path);
    const id = String(messages.find(({ subject }) => subject === 's1')?.['id']);
    expect((await arx(dir, `read ${id}`)).stdout).toContain('first line\nsecond line');
    expect((await arx(dir, 'search "second line" --json')).stdout).toContain(`"${id}"`);
    expect((await arx(dir, `content get ${id} --raw`)).bytes.toString()).toBe(raw);
    expect((await arx(dir, 'attachments cat att_1')).stdout).toBe('hello');
    expect(await arx(dir, 'redact att_1 --yes')).toMatchObject({ exit: 0 });
    const shown = await arx(dir, `content get ${id} --json`);
    expect(shown.stdout).toContain(String.raw`first line\nsecond line`);
    expect(shown.stdout).not.toContain('aGVs');
    expect(await arx(dir, 'fsck')).toMatchObject({ exit: 0 });
  },
);
