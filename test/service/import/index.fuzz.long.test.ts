// Fuzzes exports of Slack, Mattermost and Zulip as whole files, made of the parts that readers look for. Nothing may throw, no entry may
// get lost, and the work must be linear in the size.
import { fc } from '@fast-check/vitest';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openExport } from '../../../src/service/import/chat-source.ts';
import { pathInside, type FileSet } from '../../../src/service/import/file-set.ts';
import { exportFiles, openMattermost } from '../../../src/service/import/mattermost/detect.ts';
import { readMattermost } from '../../../src/service/import/mattermost/export.ts';
import { readSlack } from '../../../src/service/import/slack/export.ts';
import { isZulipAt, zulipPrefix } from '../../../src/service/import/zulip/detect.ts';
import { readZulip } from '../../../src/service/import/zulip/export.ts';
import { openZip } from '../../../src/service/import/zip.ts';
import type { SourceItem } from '../../../src/service/records/import-items.ts';
import { rawTar } from '../../support/tar.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { zipOf } from '../../support/zip.ts';

const FUZZ_MS = 10_000;
const dir = tempFolder('fuzzed');
const signal = new AbortController().signal;

/** Runs the property for ten seconds. */
async function fuzz<T>(inputs: fc.Arbitrary<T>, check: (input: T) => Promise<void>): Promise<void> {
  const limits = { numRuns: 1_000_000, interruptAfterTimeLimit: FUZZ_MS, markInterruptAsFailure: false };
  await fc.assert(fc.asyncProperty(inputs, check), limits);
}

/** Fails if the work takes longer than a second and 5 µs for each byte. Quadratic work on 100 kB takes far longer. */
async function inLinearTime<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  expect(performance.now() - start).toBeLessThan(1000 + bytes / 200);
  return result;
}

const lineEnd = fc.constantFrom('\n', '\r\n');

test('reading Slack exports accounts for every entry', { timeout: 3 * FUZZ_MS }, async () => {
  const path = join(dir, 'slack.zip');
  const ts = fc.constantFrom('1704200000.000100', '1704200001.5', '', 'x', '99999999999.9');
  const text = fc.oneof(fc.constantFrom('<@U1> <https://a|b> &amp;', 'xoxb-123456789012', ''), fc.string());
  const file = fc.record(
    {
      id: fc.constantFrom('F1', 'F2', ''),
      name: text,
      mode: fc.constantFrom('hosted', 'tombstone'),
      size: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const card = fc.record(
    { text, title: text, fields: fc.jsonValue(), blocks: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const message = fc.record(
    {
      ts,
      text: fc.oneof(text, fc.jsonValue()),
      user: fc.constantFrom('U1', 'U9', ''),
      thread_ts: ts,
      subtype: text,
      files: fc.oneof(fc.array(file, { maxLength: 3 }), fc.jsonValue()),
      attachments: fc.oneof(fc.array(card, { maxLength: 3 }), fc.jsonValue()),
      comment: fc.jsonValue(),
      bot_id: text,
    },
    { requiredKeys: ['ts'] },
  );
  const day = fc
    .oneof(fc.array(fc.oneof(message, fc.jsonValue()), { maxLength: 8 }), fc.jsonValue())
    .map((value) => JSON.stringify(value));
  const name = fc.constantFrom(
    'users.json',
    'channels.json',
    'dms.json',
    'general/2024-01-02.json',
    'x/2024-01-03.json',
    '__uploads/F1/a',
    '__uploads/F2/b',
    'general/canvas.json',
    '../evil',
    'deep/a/b/c/d',
  );
  const entries = fc.array(
    fc.tuple(name, fc.oneof(day, fc.constantFrom('[]', '[{"id":"U1","name":"a"}]', '{', ''))),
    { maxLength: 12 },
  );
  const options = fc.record({ store: fc.boolean(), brokenChecksum: fc.boolean(), encrypted: fc.boolean() });
  const flips = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 });
  await fuzz(
    fc.tuple(entries, options, fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, flips)),
    async ([files, how, changes]) => {
      const zip = zipOf([['channels.json', '[{"id":"C1","name":"general"}]'], ...files], how);
      for (const [at, byte] of changes) zip[at % zip.length] = byte;
      writeFileSync(path, zip);
      await inLinearTime(zip.length, async () => {
        const seen = new Set<string>();
        const hidden: string[] = [];
        for await (const item of readSlack(path, { originCity: null, tier: 'internal', signal })) {
          if (item.kind === 'skipped' && item.reason === 'has the name of an earlier entry')
            hidden.push(item.path);
          else if (item.kind !== 'refused' || item.isAbsent !== true) seen.add(item.path);
        }
        const opened = await openZip(path).catch(() => undefined);
        const expected = opened === undefined ? [path] : opened.names.map((entry) => pathInside(path, entry));
        opened?.close();
        expect([...seen].sort()).toEqual([...new Set(expected)].sort());
        expect(hidden).toHaveLength(opened?.hidden.length ?? 0);
      });
    },
  );
  rmSync(path);
});

type Entries = Array<[name: string, content: string]>;

/** Files as a zip, tar or tar.gz, some of them damaged or cut. */
function packed(entries: fc.Arbitrary<Entries>): fc.Arbitrary<Buffer> {
  const pack = fc.constantFrom(
    (files: Entries) => zipOf(files),
    (files: Entries) => rawTar(files.map(([name, content]) => ({ name, content }))),
    (files: Entries) => gzipSync(rawTar(files.map(([name, content]) => ({ name, content })))),
    (files: Entries) =>
      rawTar(files.map(([name, content], at) => ({ name, content, type: '0xgL125'[at] ?? '0' }))),
  );
  const damage = fc.record({
    flips: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
    cut: fc.nat(2_000),
  });
  const none = fc.constant({ flips: [], cut: 0 });
  return fc
    .tuple(entries, pack, fc.oneof({ weight: 3, arbitrary: none }, damage))
    .map(([files, to, { flips, cut }]) => {
      const bytes = Buffer.from(to(files));
      for (const [at, byte] of flips) bytes[at % bytes.length] = byte;
      return bytes.subarray(0, Math.max(1, bytes.length - cut));
    });
}

type Reader = (
  path: string,
  options: { originCity: null; tier: 'external'; signal: AbortSignal },
) => AsyncGenerator<SourceItem>;

/** Reads an export. Fails where an item has no entry, an entry no item, or `isWhole` and the path itself do not agree. */
async function accountsForAll(
  path: string,
  read: Reader,
  opened: FileSet | undefined,
  isWhole: (files: FileSet) => Promise<'each' | 'each and the path' | 'the path'>,
): Promise<void> {
  const seen = new Set<string>();
  let hidden = 0;
  for await (const item of read(path, { originCity: null, tier: 'external', signal })) {
    if (item.kind === 'skipped' && item.reason === 'has the name of another entry') hidden += 1;
    else if (item.kind !== 'refused' || item.isAbsent !== true) seen.add(item.path);
  }
  const told = opened === undefined ? 'the path' : await isWhole(opened);
  const each = [...(opened?.names ?? []), ...(opened?.unreadable ?? []).map(([name]) => name)];
  const expected = [
    ...(told === 'each' ? [] : [path]),
    ...(told === 'the path' ? [] : each.map((name) => pathInside(path, name))),
  ];
  expect([...seen].sort()).toEqual([...new Set(expected)].sort());
  if (told !== 'the path') expect(hidden).toBe(opened?.hidden.length);
}

const id = fc.oneof(fc.nat(5), fc.jsonValue());
const words = fc.oneof(
  fc.constantFrom(
    'text',
    '[a](/user_uploads/2/ab/c.txt)',
    '[said](https://x/#narrow/stream/1/near/1):\n```quote\nx\n```',
    'https://x/join/abcdefghijklmnopqrstuvwx/',
    '[said]('.repeat(5_000),
    '](/user_uploads/'.repeat(5_000),
    '`'.repeat(20_000),
  ),
  fc.string(),
  fc.jsonValue(),
);

test('reading Zulip exports accounts for every entry', { timeout: 3 * FUZZ_MS }, async () => {
  const path = join(dir, 'zulip');
  const message = fc.record(
    { id, sender: id, recipient: id, subject: words, content: words, date_sent: id, edit_history: words },
    { requiredKeys: ['id'] },
  );
  const row = fc.record(
    {
      id,
      type: id,
      type_id: id,
      name: words,
      full_name: words,
      message: id,
      messages: fc.array(id),
      path_id: words,
    },
    { requiredKeys: [] },
  );
  const rows = fc.oneof(fc.array(row, { maxLength: 6 }), fc.jsonValue());
  const realm = fc.record(
    {
      zerver_userprofile: rows,
      zerver_stream: rows,
      zerver_recipient: rows,
      zerver_subscription: rows,
      zerver_reaction: rows,
    },
    { requiredKeys: [] },
  );
  const content = fc.oneof(
    fc
      .array(fc.oneof(message, fc.jsonValue()), { maxLength: 8 })
      .map((zerver_message) => ({ zerver_message })),
    realm,
    rows.map((zerver_attachment) => ({ zerver_attachment })),
    fc.jsonValue(),
  );
  const text = fc.oneof(
    content.map((value) => JSON.stringify(value)),
    fc.constantFrom('', '{', '['.repeat(50_000)),
  );
  const name = fc.constantFrom(
    'realm.json',
    'messages-000001.json',
    'messages-000002.json',
    './messages-000003.json',
    'attachment.json',
    'uploads/records.json',
    'uploads/2/ab/c.txt',
    'avatars/x',
    'deep/realm.json',
    'deep/messages-000001.json',
    '../evil',
    '/etc/x',
  );
  const start = fc.tuple(realm, text).map(([lists, messages]): Entries => [
    ['realm.json', JSON.stringify(lists)],
    ['messages-000001.json', messages],
  ]);
  const entries = fc
    .tuple(start, fc.array(fc.tuple(name, text), { maxLength: 8 }))
    .map(([first, more]) => [...first, ...more]);
  await fuzz(packed(entries), async (bytes) => {
    writeFileSync(path, bytes);
    await inLinearTime(bytes.length + 200_000, async () => {
      const opened = await openExport(path).catch(() => undefined);
      await accountsForAll(path, readZulip, opened, async ({ names }) => {
        const isExport = zulipPrefix(names) !== undefined;
        if (await isZulipAt(path)) expect(isExport).toBe(true);
        return isExport ? 'each' : 'the path';
      }).finally(() => opened?.close());
    });
  });
  rmSync(path);
});

test('reading Mattermost exports accounts for every entry', { timeout: 3 * FUZZ_MS }, async () => {
  const path = join(dir, 'mattermost');
  const file = fc.record({ path: fc.oneof(fc.constantFrom('a.txt', './data/b', '../evil', ''), words) });
  const reply = fc.record(
    {
      user: words,
      message: words,
      create_at: id,
      props: fc.jsonValue(),
      attachments: fc.oneof(fc.array(file, { maxLength: 3 }), fc.jsonValue()),
      reactions: fc.jsonValue(),
    },
    { requiredKeys: ['user', 'create_at'] },
  );
  const post = fc
    .tuple(
      reply,
      fc.record(
        {
          team: fc.constantFrom('t', ''),
          channel: words,
          channel_members: fc.jsonValue(),
          participants: fc.jsonValue(),
          replies: fc.oneof(fc.array(fc.oneof(reply, fc.jsonValue()), { maxLength: 4 }), fc.jsonValue()),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([own, more]) => ({ ...own, ...more }));
  const kind = fc.constantFrom(
    'post',
    'direct_post',
    'user',
    'bot',
    'channel',
    'emoji',
    'version',
    'toString',
    '',
  );
  const line = fc.oneof(
    fc
      .tuple(kind, fc.oneof(post, fc.jsonValue()))
      .map(([type, value]) => JSON.stringify({ type, [type]: value })),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.constantFrom('', ' ', '{', '\0', '\ufeff', '['.repeat(50_000)),
  );
  const VERSION = '{"type":"version","version":1}\n';
  const lines = fc
    .tuple(fc.constantFrom(VERSION, `\ufeff${VERSION}`, ''), fc.array(line, { maxLength: 12 }), lineEnd)
    .map(([first, rest, end]) => first + rest.join(end));
  const name = fc.constantFrom(
    'import.jsonl',
    'b.JSONL',
    'data/a.txt',
    'data/b',
    'other',
    '../evil',
    'x/c.jsonl',
  );
  const entries = fc
    .tuple(lines, fc.array(fc.tuple(name, lines), { maxLength: 6 }))
    .map(([first, more]): Entries => [['export.jsonl', first], ...more]);
  const alone = lines.map((text) => Buffer.from(text));
  await fuzz(fc.oneof(alone, packed(entries)), async (bytes) => {
    writeFileSync(path, bytes);
    await inLinearTime(bytes.length + 200_000, async () => {
      const opened = await openMattermost(path, signal).catch(() => undefined);
      await accountsForAll(path, readMattermost, opened, async (files) =>
        (await exportFiles(files)).length > 0 ? 'each' : 'each and the path',
      ).finally(() => opened?.close());
    });
  });
  rmSync(path);
});
