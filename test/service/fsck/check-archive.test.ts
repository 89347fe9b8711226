// The check of an archive: silent about a sound one, and each way to break one is found by its name, on both engines.
import { randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FsckReport } from '../../../src/contract/reports/archive.ts';
import { checkArchive, type FsckOptions, type FsckState } from '../../../src/service/fsck/check-archive.ts';
import { importPaths } from '../../support/import-paths.ts';
import {
  createService,
  openArchive,
  type OpenArchive,
  type ArchiveLocation,
} from '../../../src/service/index.ts';
import { redact } from '../../../src/service/administration.ts';
import { openHashPool } from '../../../src/verify/hash-pool.ts';
import { call } from '../../support/call.ts';
import { tokenFor } from '../../support/archive.ts';
import { moved, type Sent } from '../../support/event.ts';
import { freshUrl, noPostgres } from '../../support/postgres.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { sha256Of } from '../../support/digest.ts';

/** Two threads of four mails, one of whose parents is nowhere; a file each, two of them of the same bytes. */
const MBOX = Array.from({ length: 8 }, (_, n) =>
  [
    'From a@b.example Thu Jan  1 00:00:00 2026',
    `Message-ID: <m${n}@b.example>`,
    ...(n === 4
      ? ['In-Reply-To: <nowhere@b.example>']
      : n === 0
        ? []
        : [`In-Reply-To: <m${n - 1}@b.example>`]),
    `Subject: Letter ${n}`,
    'From: a@b.example',
    `Date: Thu, 01 Jan 2026 00:0${n}:00 +0000`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    // One is too big to be read at once with others.
    `--x\nContent-Type: text/plain\n\n${'text\n'.repeat(n === 2 ? 60_000 : 1)}`,
    `--x\nContent-Type: text/x-log; name=file-${n}.log\nContent-Disposition: attachment\n\n${n < 2 ? 'same' : n}\n`,
    '--x--\n\n',
  ].join('\n'),
).join('');

/** One of each effect; of the two writers of att_5 each holds a field. */
const EVENTS: Sent[] = [
  moved('evt_0', 4, 41),
  moved('evt_1', 4, 40),
  moved('evt_2', 400, 2),
  moved('evt_3', 7, 1),
  { ...moved('evt_4', 4, 42), payload: { id: 'msg_4', entry: 'entry_5', sequence: 42 } },
  reclassified('evt_5', { id: 'att_5', source: 'gateway', decorative_layer: true }),
  reclassified('evt_6', { id: 'att_5', source: 'x', note: 'y'.repeat(20_000) }),
  reclassified('evt_7', { id: 'att_500', source: 'x' }),
  { id: 'evt_8', type: 'contact.flagged', payload: { contact: 'ø', trust: 'none' } },
];

const signal = new AbortController().signal;
const check = (archive: OpenArchive, more: Partial<FsckOptions> = {}): Promise<FsckReport> =>
  checkArchive(archive, {
    async hash(dir, paths) {
      const pool = openHashPool(dir, { algorithms: ['sha256'], signal, thread: undefined });
      pool.add(paths);
      return pool.finish();
    },
    signal,
    progress: () => {},
    ...more,
  });

const named = ({ findings }: FsckReport): string[] =>
  findings.map(({ check: name, problem, subjects }) => `${name}: ${problem}: ${subjects.join(' ')}`);

function reclassified(id: string, payload: Sent['payload']): Sent {
  return { id, type: 'attachment.reclassified', payload };
}

/** What is done to the archive, and all that is found then. */
const BREAKS: [why: string, sql: string, findings: string[]][] = [
  [
    'stored bytes of a message changed',
    'UPDATE raws SET content = $1 WHERE n = 2',
    ['stored messages: bytes have another hash: msg_2'],
  ],
  [
    'what is shown of messages forged',
    `UPDATE messages SET subject = 'forged', sender = CASE WHEN n = 1 THEN NULL ELSE 'forged' END WHERE n IN (1, 3)`,
    [
      'conversations: subject or source differs from the first message: conv_1',
      'stored messages: sender differs from the stored header: msg_1 msg_3',
      'stored messages: subject differs from the stored header: msg_1 msg_3',
      'search: words are not in the search index: msg_3',
    ],
  ],
  [
    'a date within its conversation, and a key, forged',
    `UPDATE messages SET date_ms = CASE WHEN n = 2 THEN date_ms + 1 ELSE date_ms END,
      message_key = CASE WHEN n = 4 THEN NULL ELSE message_key END WHERE n IN (2, 4)`,
    [
      'stored messages: date differs from the stored header: msg_2',
      'stored messages: message key differs from the stored header: msg_4',
    ],
  ],
  [
    'what is shown of files forged',
    `UPDATE attachments SET filename = CASE WHEN n = 3 THEN 'forged' ELSE filename END, contains = CASE WHEN n = 4 THEN 1 ELSE contains END,
      declared_type = CASE WHEN n = 5 THEN 'image/png' ELSE declared_type END WHERE n IN (3, 4, 5)`,
    [
      'attachments: name differs from the stored mail: att_3',
      'attachments: number of files inside it is wrong: att_4',
      'attachments: content type is read differently now: att_5',
      'search: words are not in the search index: msg_3',
    ],
  ],
  [
    'stored bytes of a message lost',
    'DELETE FROM raws WHERE n = 2',
    ['messages: stored bytes missing: msg_2'],
  ],
  [
    'stored bytes nobody owns',
    'INSERT INTO raws VALUES (9, $1)',
    ['messages: stored bytes without a message: msg_9'],
  ],
  [
    'a size that is not',
    'UPDATE messages SET raw_bytes = 1 WHERE n = 3',
    ['stored messages: row has another size: msg_3'],
  ],
  [
    'a message lost',
    'DELETE FROM messages WHERE n = 6',
    [
      'messages: numbers missing: msg_6',
      'messages: parent missing: msg_7',
      'messages: stored bytes without a message: msg_6',
      'conversations: number of messages is wrong: conv_5',
      'attachments: message missing: att_6',
      'search: indexed without a message: msg_6',
    ],
  ],
  [
    'the last rows lost',
    'DELETE FROM attachments WHERE n > 6',
    ['messages: number of attachments is wrong: msg_7 msg_8', 'files: file without a row: 2'],
  ],
  [
    'the first rows lost',
    'DELETE FROM attachments WHERE n < 3',
    [
      'attachments: numbers missing: att_1 to 2',
      'messages: number of attachments is wrong: msg_1 msg_2',
      'files: file without a row: 1',
    ],
  ],
  [
    'a parent that is nowhere',
    'UPDATE messages SET parent = 77 WHERE n = 2',
    ['messages: parent missing: msg_2'],
  ],
  ['a parent of itself', 'UPDATE messages SET parent = 2 WHERE n = 2', ['messages: parent of itself: msg_2']],
  [
    'a parent elsewhere',
    'UPDATE messages SET parent = 1 WHERE n = 6',
    ['messages: parent in another conversation: msg_6'],
  ],
  [
    'a message in a conversation that is not',
    'UPDATE messages SET conversation = 70 WHERE n = 8',
    [
      'messages: conversation missing: msg_8',
      'messages: parent in another conversation: msg_8',
      'messages: thread belongs to another conversation: msg_8',
      'conversations: number of messages is wrong: conv_5',
      'conversations: dates are wrong: conv_5',
    ],
  ],
  [
    'a count',
    'UPDATE conversations SET message_count = 5 WHERE n = 1',
    ['conversations: number of messages is wrong: conv_1'],
  ],
  [
    'a subject',
    `UPDATE conversations SET subject = 'x' WHERE n = 1`,
    ['conversations: subject or source differs from the first message: conv_1'],
  ],
  [
    'a source',
    `UPDATE conversations SET source = 'x' WHERE n = 1`,
    ['conversations: subject or source differs from the first message: conv_1'],
  ],
  [
    'a date',
    'UPDATE conversations SET last_ms = NULL WHERE n = 1',
    ['conversations: dates are wrong: conv_1'],
  ],
  [
    'a tier',
    `UPDATE conversations SET tier = 'external' WHERE n = 1`,
    ['conversations: tier is not the highest of its messages: conv_1'],
  ],
  [
    'a conversation that begins elsewhere',
    'UPDATE conversations SET first_message = 6 WHERE n = 5',
    ['conversations: first message missing: conv_5'],
  ],
  ['a thread of nothing', "INSERT INTO threads VALUES ('x', 40)", ['threads: conversation missing: conv_40']],
  [
    'an orphan that is not',
    "INSERT INTO orphans VALUES ('x', 40, 1)",
    ['threads: waits for a parent but is missing: msg_40'],
  ],
  [
    'an orphan with a parent',
    "UPDATE orphans SET message_key = 'm3@b.example' WHERE message = 5",
    ['threads: waits for a parent that exists: msg_5'],
  ],
  [
    'a check forgotten',
    'UPDATE messages SET failed = 0 WHERE n = 5',
    ['messages: parent check is wrong: msg_5'],
  ],
  [
    'a check too many',
    'UPDATE messages SET failed = failed | 16 WHERE n = 4',
    ['messages: position check is wrong: msg_4'],
  ],
  [
    'a move by nobody',
    'UPDATE messages SET sequence = 99 WHERE n = 8',
    ['messages: moved without an event: msg_8'],
  ],
  [
    'an event lost',
    "DELETE FROM events WHERE id = 'evt_1'",
    [
      'events: effect does not match its record: evt_0',
      'events: numbers missing: event 2 ordinal 2',
      'messages: moved by an event that was not applied: msg_4',
    ],
  ],
  [
    'an event that waits for what is here',
    "UPDATE events SET message = 3 WHERE id = 'evt_2'",
    ['events: waits for a record that exists: evt_2', 'events: effect does not match its record: evt_2'],
  ],
  [
    'an event that waits for another record than it names',
    "UPDATE events SET attachment = 501 WHERE id = 'evt_7'",
    ['events: effect does not match its record: evt_7'],
  ],
  [
    'an event of another body',
    "UPDATE events SET payload = '{}' WHERE id = 'evt_8'",
    ['events: body is not the one received: evt_8'],
  ],
  [
    'a space in the payload of an event',
    `UPDATE events SET payload = REPLACE(payload, '"source":"x"', '"source": "x"') WHERE id = 'evt_6'`,
    ['events: body is not the one received: evt_6'],
  ],
  [
    'the hash of the payload of an event lost',
    `UPDATE events SET payload_sha256 = NULL WHERE id = 'evt_6'`,
    ['events: body is not the one received: evt_6'],
  ],
  [
    'an event of another type',
    "UPDATE events SET type = 'mirror.detected' WHERE id = 'evt_8'",
    ['events: body is not the one received: evt_8'],
  ],
  [
    'an event of another body that moved a message',
    "UPDATE events SET payload = 'x' WHERE id = 'evt_1'",
    ['messages: not what the last event wrote: msg_4', 'events: body is not the one received: evt_1'],
  ],
  [
    'effects that there were not',
    "UPDATE events SET effect = 'applied' WHERE id IN ('evt_0', 'evt_4', 'evt_8')",
    ['events: effect does not match its record: evt_0 evt_4 evt_8'],
  ],
  [
    'effects that there were',
    "UPDATE events SET effect = 'superseded' WHERE id IN ('evt_1', 'evt_5', 'evt_6')",
    [
      'messages: moved by an event that was not applied: msg_4',
      'events: effect does not match its record: evt_1 evt_5 evt_6',
    ],
  ],
  [
    'a move undone',
    'UPDATE messages SET moved_by = NULL, sequence = 4 WHERE n = 4',
    ['events: effect does not match its record: evt_0 evt_1'],
  ],
  [
    'a move to another place',
    'UPDATE messages SET sequence = 5 WHERE n = 4',
    ['messages: not what the last event wrote: msg_4'],
  ],
  [
    'a move by an event for another message',
    "UPDATE messages SET moved_by = 'evt_1', sequence = 40 WHERE n = 8",
    ['messages: not what the last event wrote: msg_8'],
  ],
  [
    'fields changed beside the events',
    "UPDATE attachments SET source = 'y', decorative_layer = 0 WHERE n = 5",
    ['attachments: not what the last event wrote: att_5 att_5'],
  ],
  [
    'a field of another writer, later than who wrote it',
    "UPDATE attachments SET decorative_by = 'evt_6' WHERE n = 5",
    ['attachments: not what the last event wrote: att_5', 'events: effect does not match its record: evt_5'],
  ],
  [
    'an event without its ordinal',
    "UPDATE events SET applied = NULL WHERE id = 'evt_8'",
    ['events: ordinal and effect disagree: evt_8'],
  ],
  [
    'one row redacted, not the other of the same bytes',
    'UPDATE attachments SET redacted = 0 WHERE n = 2',
    ['attachments: not redacted, unlike the same bytes elsewhere: att_2'],
  ],
  [
    'a file open inside a redacted one',
    'UPDATE attachments SET contains = 1, message = 1, part = n WHERE n IN (2, 3)',
    [
      'attachments: is no file of its stored mail: att_2 att_3',
      'attachments: not redacted, unlike a file around it: att_3',
      'messages: number of attachments is wrong: msg_1 msg_2 msg_3',
    ],
  ],
  [
    'a file open around a redacted one',
    'UPDATE attachments SET message = 1, part = 8 - n, contains = n - 2 WHERE n IN (2, 3)',
    [
      'attachments: is no file of its stored mail: att_2 att_3',
      'attachments: not redacted, unlike a file inside it: att_3',
      'messages: number of attachments is wrong: msg_1 msg_2 msg_3',
    ],
  ],
  [
    'a writer that is not',
    "UPDATE attachments SET source_by = 'evt_x' WHERE n = 3",
    ['attachments: changed by an event that is missing: att_3'],
  ],
  [
    'a size of a file',
    'UPDATE attachments SET bytes = 9 WHERE n = 3',
    ['attachments: size differs from the stored mail: att_3', 'files: row has another size: 1'],
  ],
  [
    'a file without a row',
    `UPDATE attachments SET stored = 0, absence = 'x', sha256 = 'absent:1' WHERE n = 3`,
    ['attachments: hash differs from the stored mail: att_3', 'files: file without a row: 1'],
  ],
  [
    'an absent file without a reason',
    `UPDATE attachments SET stored = 0, sha256 = 'absent:1' WHERE n = 3`,
    [
      'attachments: absence of the bytes is wrong: att_3',
      'attachments: hash differs from the stored mail: att_3',
      'files: file without a row: 1',
    ],
  ],
  [
    'an absent file with a hash',
    `UPDATE attachments SET stored = 0, absence = 'x' WHERE n = 3`,
    ['attachments: absence of the bytes is wrong: att_3', 'files: file without a row: 1'],
  ],
  [
    'messages that the search index lost',
    'DELETE FROM search_due',
    [
      'search: not in the search index: msg_1 msg_2',
      'search: words are not in the search index: msg_1 msg_2',
    ],
  ],
  [
    'a message that should have left the search index',
    'INSERT INTO search_due VALUES (3)',
    ['search: indexed though its content has changed: msg_3'],
  ],
  [
    'a tier changed beside the search index',
    `UPDATE messages SET tier = 'external' WHERE n = 3`,
    [
      'search: indexed for another tier: msg_3',
      'search: not in the search index: msg_3',
      'search: words are not in the search index: msg_3',
    ],
  ],
  [
    'a file closed beside the search index',
    `UPDATE attachments SET redacted = 1, redaction = 'x' WHERE n = 3`,
    ['search: found by a withheld file: msg_3'],
  ],
  [
    'the key',
    "DELETE FROM meta WHERE key = 'file_key'",
    ['engine: the key that signs file addresses is missing: file_key'],
  ],
  [
    'the kept counts, which an import reads',
    "UPDATE meta SET value = 'x' WHERE key = 'summary'",
    ['engine: the stored counts are unreadable: summary'],
  ],
];

/** Hashes are as good as their count. */
const counted = (finding: string): string =>
  finding.replace(
    /^(files: [^:]+): (.*)$/,
    (_all, problem: string, hashes: string) => `${problem}: ${hashes.split(' ').length}`,
  );

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  let dir: string;
  let made = 0;
  beforeAll(async () => {
    dir = tempFolder('fsck');
    await writeFile(join(dir, 'list.mbox'), MBOX);
  });

  const open = async (place: ArchiveLocation): Promise<OpenArchive> =>
    openArchive({ ...place, sleep, now: () => Date.UTC(2026, 5, 1), randomBytes });

  const make = async (place: ArchiveLocation): Promise<OpenArchive> => {
    const archive = await open(place);
    await importPaths(archive, [join(dir, 'list.mbox')], { signal, progress: () => {} });
    await redact(archive, 'att_1', 'sealed');
    const service = createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });
    const token = await tokenFor(service);
    expect((await call(service, '/api/health')).status).toBe(200);
    const body = Buffer.from(EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const headers = [['content-type', 'application/x-ndjson']] as const;
    expect((await call(service, '/api/webhooks/ingest', { token, headers, body })).json).toMatchObject({
      status: 'queued',
    });
    return archive;
  };

  /** A folder is made once and copied. */
  let sound: Promise<string> | undefined;
  const soundFolder = async (): Promise<string> => {
    const folder = join(dir, 'sound');
    await (await make({ dir: folder })).close();
    return folder;
  };
  const fresh = async (more: { blobs?: string } = {}): Promise<OpenArchive> => {
    if (engine === 'postgres') return make({ url: await freshUrl(), ...more });
    const copy = join(dir, String((made += 1)));
    const from = await (sound ??= soundFolder());
    // The engine may still remove its files beside the database, which is complete without them.
    for (const name of await readdir(from))
      if (!/-(?:shm|wal)$/.test(name)) await cp(join(from, name), join(copy, name), { recursive: true });
    return open({ dir: copy });
  };
  const skip = engine === 'postgres' && noPostgres;

  test.skipIf(skip)('a sound archive: nothing found, everything looked at', async () => {
    const archive = await fresh();
    const report = await check(archive);
    expect(report).toMatchObject({ verdict: 'ok', findings: [], engine });
    expect(Object.fromEntries(report.checks.map(({ name, looked }) => [name, looked]))).toEqual({
      ...(engine === 'sqlite' ? { engine: 1 } : {}),
      messages: 8,
      conversations: 2,
      threads: 9,
      attachments: 8,
      events: 9,
      'stored messages': 8,
      // Two messages have a redacted file, and are due.
      search: 6,
      files: 7,
    });
    await archive.close();
  });

  test.skipIf(skip).each(BREAKS)('%s', async (_why, sql, findings) => {
    const archive = await fresh();
    await archive.database.run(sql, sql.includes('$1') ? [Buffer.from('other bytes')] : []);
    const report = await check(archive);
    const found = named(report).map(counted);
    expect(found.sort()).toEqual(findings.toSorted());
    expect(report.verdict).toBe(
      findings.every((one) => one.includes('file without a row')) ? 'ok' : 'damaged',
    );
    await archive.close();
  });

  test.skipIf(skip)('a check continued from any of its states reports the same', async () => {
    const archive = await fresh();
    for (const sql of [
      'UPDATE messages SET raw_bytes = 1 WHERE n = 3',
      'UPDATE conversations SET message_count = 5 WHERE n = 1',
      "UPDATE attachments SET source_by = 'evt_x' WHERE n = 3",
      "UPDATE events SET payload = '{}' WHERE id = 'evt_8'",
      'INSERT INTO search_due VALUES (3)',
    ])
      await archive.database.run(sql);
    for (const since of [undefined, 0]) {
      const states: FsckState[] = [];
      const whole = await check(archive, { since, checkpoint: (state) => void states.push(state) });
      expect(whole.findings.length).toBeGreaterThan(3);
      expect(states.length).toBeGreaterThan(7);
      for (const resume of states)
        expect(await check(archive, { resume: JSON.parse(JSON.stringify(resume)) as FsckState })).toEqual({
          ...whole,
          began_at: '2026-06-01T00:00:00.000Z',
        });
    }
    await archive.close();
  });

  test.skipIf(skip)(
    'a signal ends the check of the rows, also where the database answers at once',
    async () => {
      const archive = await fresh();
      await archive.database.run('UPDATE messages SET n = 90000, sequence = 90000 WHERE n = 8');
      const interrupted = new AbortController();
      const after: number[] = [];
      await expect(
        check(archive, {
          signal: interrupted.signal,
          progress({ label, done }) {
            if (label !== 'messages') return;
            if (after.push(done) === 2) setImmediate(() => interrupted.abort(new Error('interrupted')));
          },
        }),
      ).rejects.toThrow('interrupted');
      expect(after.length).toBeLessThan(5);
      await archive.close();
    },
  );

  test.skipIf(engine === 'postgres')(
    'pages checked by another process: what it found, once, beside the rows',
    async () => {
      const archive = await fresh();
      const asked: string[] = [];
      const states: FsckState[] = [];
      let goOn = (): void => {};
      const rowsChecked = new Promise<void>((resolve) => (goOn = resolve));
      const report = await check(archive, {
        checkpoint: (state) => void states.push(state),
        progress: ({ label }) => void (label === 'files' && goOn()),
        async checkPagesElsewhere(path) {
          asked.push(path);
          await rowsChecked;
          return '["a page","another"]';
        },
      });
      expect(asked).toEqual([expect.stringMatching(/archive\.db$/)]);
      const findings = [{ problem: 'SQLite finds', count: 2, subjects: ['a page', 'another'] }];
      expect(report).toMatchObject({ verdict: 'damaged', findings });
      expect(states.at(-1)).toMatchObject({ pages: ['a page', 'another'] });
      // What is known is not asked again.
      const resume = states.at(-1)!;
      const again = await check(archive, { resume, checkPagesElsewhere: () => expect.unreachable() });
      expect(again).toMatchObject({ verdict: 'damaged', findings });
      await archive.close();
    },
  );

  test.skipIf(engine === 'postgres').each([
    ['no answer', async () => ''],
    ['half an answer', async () => '["a pa'],
    ['another', async () => '{"a":[1]'],
    ['no process', async () => Promise.reject(new Error('ENOENT'))],
    ['none needed', async () => undefined],
  ])('pages checked by another process: %s: they are checked here', async (_what, checkPagesElsewhere) => {
    const archive = await fresh();
    const report = await check(archive, { checkPagesElsewhere });
    expect(report).toMatchObject({ verdict: 'ok', findings: [] });
    expect(report.checks).toContainEqual({ name: 'engine', looked: 1 });
    await archive.close();
  });

  test.skipIf(engine === 'postgres')(
    'an interrupted check ends the process that checks the pages, and waits for none',
    async () => {
      const archive = await fresh();
      const interrupted = new AbortController();
      let isEnded = false;
      const options: Partial<FsckOptions> = {
        signal: interrupted.signal,
        progress: ({ label }) =>
          void (label === 'pages' && setImmediate(() => interrupted.abort(new Error('interrupted')))),
        checkPagesElsewhere: async (_path, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              isEnded = true;
              reject(new Error('killed'));
            });
          }),
      };
      await expect(check(archive, options)).rejects.toThrow('interrupted');
      expect(isEnded).toBe(true);
      await archive.close();
    },
  );

  test.skipIf(skip)('what came since a time, and what later events name, and nothing else', async () => {
    let now = Date.UTC(2026, 5, 1);
    const place: ArchiveLocation =
      engine === 'sqlite' ? { dir: join(dir, String((made += 1))) } : { url: await freshUrl() };
    const archive = await openArchive({ ...place, sleep, now: () => now, randomBytes });
    const service = createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });
    await importPaths(archive, [join(dir, 'list.mbox')], { signal, progress: () => {} });
    const send = async (body: Sent) =>
      expect(
        (await call(service, '/api/webhooks/ingest', { token: await tokenFor(service), body })).status,
      ).toBe(200);
    await send(moved('evt_0', 2, 40));
    const DAY = 86_400_000;
    now += 2 * DAY;
    const none = await check(archive, { since: now - DAY });
    expect(none).toMatchObject({
      verdict: 'nothing_new',
      since: { time: '2026-06-02T00:00:00.000Z', messages: 8, attachments: 8, events: 1 },
    });
    const more = join(dir, `${engine}-more.mbox`);
    await writeFile(
      more,
      MBOX.replaceAll('<m', '<n')
        .replaceAll(/^(In-Reply-To: <)n(3@)/gm, '$1m$2')
        .replaceAll('name=file-', 'name=more-'),
    );
    await importPaths(archive, [more], { signal, progress: () => {} });
    await send(moved('evt_1', 4, 41));
    await send(reclassified('evt_2', { id: 'att_5', source: 'gateway' }));
    expect(await check(archive)).toMatchObject({ verdict: 'ok', findings: [] });
    const recent = await check(archive, { since: now - DAY });
    expect(recent).toMatchObject({ verdict: 'ok_since', findings: [] });
    expect(recent.checks).toContainEqual({ name: 'stored messages', looked: 9 });
    expect(recent.checks).toContainEqual({ name: 'attachments', looked: 9 });
    const { database } = archive;
    for (const [sql, finding] of [
      // Older than that, and not named by a later event.
      ['UPDATE messages SET raw_bytes = raw_bytes + 1 WHERE n = 1', undefined],
      [
        'UPDATE messages SET raw_bytes = raw_bytes + 1 WHERE n = 4',
        'stored messages: row has another size: msg_4',
      ],
      [
        'UPDATE messages SET raw_bytes = raw_bytes + 1 WHERE n = 16',
        'stored messages: row has another size: msg_16',
      ],
      [
        "UPDATE attachments SET source = 'y' WHERE n = 5",
        'attachments: not what the last event wrote: att_5',
      ],
      ['UPDATE attachments SET bytes = 99 WHERE n = 15', 'files: row has another size'],
      ["UPDATE events SET payload = '{}' WHERE id = 'evt_2'", 'events: body is not the one received: evt_2'],
    ] as const) {
      const before = named(await check(archive, { since: now - DAY })).length;
      await database.run(sql);
      const found = await check(archive, { since: now - DAY });
      if (finding === undefined) expect(named(found)).toHaveLength(before);
      else
        expect(
          named(found).some((one) => one.startsWith(finding)),
          finding,
        ).toBe(true);
      expect(found.verdict).toBe(finding === undefined ? 'ok_since' : 'damaged');
    }
    // What is not known counts as new.
    await database.run(`UPDATE meta SET value = 'x' WHERE key LIKE 'added%'`);
    expect((await check(archive, { since: now - DAY })).since).toMatchObject({ messages: 0, attachments: 0 });
    await archive.close();
  });

  test.skipIf(skip)('what is applied while events are looked at is no damage', async () => {
    const archive = await fresh();
    const { database } = archive;
    const service = createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });
    const token = await tokenFor(service);
    let sent = 0;
    const all: typeof database.all = async (sql, parameters) => {
      const rows = await database.all(sql, parameters);
      if (sql.includes('body_sha256') && sent === 0) {
        sent += 1;
        for (const body of [
          moved('evt_9', 4, 50),
          reclassified('evt_9b', { id: 'att_5', decorative_layer: false }),
        ]) {
          expect((await call(service, '/api/webhooks/ingest', { token, body })).status).toBe(200);
        }
      }
      return rows as never;
    };
    const report = await check({ ...archive, database: { ...database, all } });
    expect([sent, named(report)]).toEqual([1, []]);
    expect(await database.get(`SELECT effect FROM events WHERE id = 'evt_1'`)).toEqual({
      effect: 'superseded',
    });
    await archive.close();
  });

  test.skipIf(skip)('indexes: each that is gone, and one that is another', async () => {
    const archive = await fresh();
    const { database } = archive;
    // What the engine says itself; those of keys that it makes can be dropped on PostgreSQL only.
    const [list, drop] =
      engine === 'sqlite'
        ? [
            `SELECT name, 0 AS is_key FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%'`,
            '',
          ]
        : [
            `SELECT indexname AS name, tablename AS "table", CASE WHEN EXISTS (SELECT 1 FROM pg_constraint
              WHERE conname = indexname AND connamespace = current_schema()::regnamespace) THEN 1 ELSE 0 END AS is_key
              FROM pg_indexes WHERE schemaname = current_schema() AND tablename NOT IN ('migrations', 'writer')`,
            'ALTER TABLE',
          ];
    const there = await database.all<{ name: string; table: string; is_key: number }>(list);
    expect(there.length).toBeGreaterThan(20);
    await database.run('DROP INDEX messages_by_raw');
    await database.run('CREATE INDEX messages_by_raw ON messages (raw_sha256)');
    await database.run('DROP INDEX messages_failing_by_tier');
    await database.run('CREATE INDEX messages_failing_by_tier ON messages (failed) WHERE failed <> 1');
    expect(named(await check(archive))).toEqual([
      'engine: index missing: messages_by_raw messages_failing_by_tier',
    ]);
    for (const { name, table, is_key } of there) {
      await database.run(is_key === 1 ? `${drop} ${table} DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`);
    }
    const { findings } = await check(archive);
    expect(findings.map(({ problem, subjects }) => [problem, subjects.toSorted()])).toEqual([
      ['index missing', there.map(({ name }) => name).sort()],
    ]);
    await archive.close();
  });

  test.skipIf(skip)('tables and a column lost: the check goes on to its end', async () => {
    const archive = await fresh();
    for (const sql of [
      'DROP TABLE orphans',
      'DROP TABLE meta',
      'ALTER TABLE attachments RENAME COLUMN decorative_by TO other',
    ])
      await archive.database.run(sql);
    const report = await check(archive);
    const found = named(report);
    for (const expected of [
      'messages: unreadable: messages 1 to 8',
      'threads: unreadable: orphans',
      'attachments: unreadable: attachments 1 to 8',
      'engine: unreadable: meta',
    ])
      expect(found.some((one) => one.startsWith(expected))).toBe(true);
    expect(report.checks.map(({ name }) => name)).toContain('files');
    await archive.close();
  });

  test.skipIf(skip)('heads that are read, kept and shown in other bytes than they came', async () => {
    const mails = [
      `Subject: =?windows-1252?Q?don=92t?=\nFrom: =?utf-8?Q?=C3=B8?= <a@b>\nMessage-ID: <1@b>\n\n`,
      `Subject: a\0b\nMessage-ID: <${'k'.repeat(3_000)}>\n\n`,
      `Subject: ${'x'.repeat(1_999)}\u{1f600}\nSender: ${'s'.repeat(4_000)}\nDate: nonsense\n\n`,
      // Its header ends behind the piece that is read first; what says that it is not UTF-8 stands there.
      Buffer.concat([
        Buffer.from(
          `Subject: \u00f8\nMessage-ID: <4@b>\n${`X-Trace: ${'t'.repeat(70)}\n`.repeat(16_000)}X-Last: `,
        ),
        Buffer.from([0xe9, 0x0a, 0x0a]),
      ]),
      'no header at all',
    ];
    const files = await Promise.all(
      mails.map(async (mail, index) => {
        const path = join(dir, `${engine}-${index}.eml`);
        await writeFile(path, mail);
        return path;
      }),
    );
    const slack = join(dir, `${engine}-slack`);
    await mkdir(join(slack, 'talk'), { recursive: true });
    await writeFile(join(slack, 'channels.json'), '[{"id":"C1","name":"talk"}]');
    await writeFile(join(slack, 'users.json'), '[{"id":"U1","name":"ann"}]');
    await writeFile(
      join(slack, 'talk/2026-01-01.json'),
      '[{"type":"message","user":"U1","text":"<@U1> here","ts":"1767225600.000100"}]',
    );
    const archive = await fresh();
    await importPaths(archive, files, { kind: 'mail', signal, progress: () => {} });
    await importPaths(archive, [slack], { signal, progress: () => {} });
    expect(named(await check(archive))).toEqual([]);
    await archive.database.run(`UPDATE messages SET subject = subject || '!' WHERE n > 8`);
    const { findings, verdict } = await check(archive);
    expect(findings.map(({ problem, severity, subjects }) => [problem, severity, subjects])).toEqual([
      ['subject or source differs from the first message', 'damage', expect.arrayContaining(['conv_9'])],
      ['subject decodes differently now', 'notice', ['msg_9']],
      ['subject differs from the stored header', 'damage', ['msg_10', 'msg_11', 'msg_12']],
    ]);
    expect(verdict).toBe('damaged');
    await archive.close();
  });

  test.skipIf(skip)('a stored file changed, cut, lost', async () => {
    const folder = join(dir, `blobs-${engine}`);
    const archive = await fresh({ blobs: folder });
    const hashes = (
      await archive.database.all<{ sha256: string }>('SELECT sha256 FROM attachments WHERE n > 4 ORDER BY n')
    ).map(({ sha256 }) => sha256);
    const pathOf = (sha256: string) => join(archive.blobs.dir!, sha256.slice(0, 2), sha256.slice(2));
    await writeFile(pathOf(hashes[0]!), 'other');
    await writeFile(pathOf(hashes[1]!), '');
    await rm(pathOf(hashes[2]!));
    expect(named(await check(archive)).sort()).toEqual([
      `files: bytes have another hash: ${[hashes[0]!, hashes[1]!].sort().join(' ')}`,
      `files: file missing: ${hashes[2]!}`,
    ]);
    await archive.close();
  });

  test.skipIf(engine === 'sqlite' || skip)(
    'a file in the database changed, cut, lost, forgotten',
    async () => {
      const archive = await fresh();
      const other = Buffer.from('other');
      const hashes = (
        await archive.database.all<{ sha256: string }>(
          'SELECT sha256 FROM attachments WHERE n > 4 ORDER BY n',
        )
      ).map(({ sha256 }) => sha256);
      await archive.database.run('UPDATE chunks SET content = $2 WHERE sha256 = $1', [
        hashes[0]!,
        Buffer.from('9\n'),
      ]);
      await archive.database.run('UPDATE chunks SET content = $2 WHERE sha256 = $1', [
        hashes[1]!,
        Buffer.from(''),
      ]);
      for (const table of ['chunks', 'blobs'])
        await archive.database.run(`DELETE FROM ${table} WHERE sha256 = $1`, [hashes[2]!]);
      const lost = sha256Of(other);
      await archive.database.run('INSERT INTO chunks VALUES ($1, 0, $2)', [lost, other]);
      expect(named(await check(archive)).sort()).toEqual([
        `files: bytes have another hash: ${[hashes[0]!, lost].sort().join(' ')}`,
        `files: file is cut: ${hashes[1]!}`,
        `files: file missing: ${hashes[2]!}`,
      ]);
      await archive.close();
    },
  );
});
