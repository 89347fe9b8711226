// The write path: threads in any order of arrival, parents that come late, the catalogue's flags, and nothing twice.
import { fc, test as property } from '@fast-check/vitest';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ImportedAttachment, ImportedMessage } from '../../../../src/service/records/import-items.ts';
import { CONVERSATION, MESSAGE } from '../../../../src/service/rules/integrity.ts';
import { createMessageWriter } from '../../../../src/service/store/additions/message-batches.ts';
import { beginFilesMove, endFilesMove } from '../../../../src/service/store/meta-table/files-location.ts';
import { readSearchText } from '../../../support/search.ts';
import { openArchive, type OpenArchive } from '../../../../src/service/store/open.ts';
import { ENGINE, freshPlace } from '../../../support/engine.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { sha256Of } from '../../../support/digest.ts';
import { runs } from '../../../support/runs.ts';

const NOW = Date.UTC(2026, 0, 1);

let dir = '';
let archives = 0;
beforeAll(async () => {
  dir = tempFolder('intake');
});

async function withArchive(work: (archive: OpenArchive) => Promise<void>): Promise<void> {
  archives += 1;
  const archive = await openArchive({
    sleep,
    ...(await freshPlace(join(dir, String(archives)))),
    now: () => NOW,
    randomBytes: (count) => new Uint8Array(count),
  });
  await work(archive).finally(() => archive.close());
}

/** A message `key` that answers the first of `names` and refers to them all; the first name is the best. */
function message(
  key: string | null,
  names: string[] = [],
  more: Partial<ImportedMessage> = {},
): ImportedMessage {
  const raw = Buffer.from(JSON.stringify([key, names, more.subject]));
  return {
    kind: 'message',
    format: 'rfc822',
    path: 'x',
    position: 0,
    raw,
    sha256: sha256Of(raw),
    key,
    related: names.toReversed(),
    parent: names[0] ?? null,
    date_ms: NOW - 1000,
    sender: null,
    subject: key,
    source: 'external',
    channel: null,
    tier: 'internal',
    nature: 'ordinary',
    decodable: true,
    wellFormed: true,
    attachments: [],
    ...more,
  };
}

function file(content: string, more: Partial<ImportedAttachment> = {}): ImportedAttachment {
  return {
    filename: 'a.txt',
    declared_type: 'text/plain',
    detected_type: 'text/plain',
    content: Buffer.from(content),
    sha256: sha256Of(content),
    bytes: content.length,
    inline: false,
    origin_city: null,
    redaction: null,
    absence: null,
    trailing_bytes: 0,
    ...more,
  };
}

const messagesOf = (archive: OpenArchive) =>
  archive.database.all<{
    message_key: string;
    n: number;
    parent: number | null;
    conversation: number;
    classification: string;
    failed: number;
  }>('SELECT n, message_key, parent, conversation, classification, failed FROM messages ORDER BY n');
const conversationsOf = (archive: OpenArchive) =>
  archive.database.all(
    'SELECT n, subject, message_count, first_message, started_ms, last_ms, failed FROM conversations ORDER BY n',
  );

test.skipIf(ENGINE !== 'postgres')(
  'nothing is stored while the files are moved, and after that with the old place',
  () =>
    withArchive(async (archive) => {
      const intake = createMessageWriter(archive, readSearchText);
      const batch = [message('a', [], { attachments: [file('a file')] })];
      const target = { kind: 'folder', id: 'new' } as const;
      await archive.database.transaction((statements) => beginFilesMove(statements, target));
      await expect(intake.add(batch)).rejects.toThrow('the files of this archive are being moved');
      await archive.database.transaction((statements) => endFilesMove(statements, target));
      await expect(intake.add(batch)).rejects.toThrow('were moved to another place meanwhile');
      expect(await messagesOf(archive)).toEqual([]);
    }),
);

describe('threads', () => {
  test('a reply, its parent, and a stranger', () =>
    withArchive(async (archive) => {
      const taken = await createMessageWriter(archive, readSearchText).add([
        message('a'),
        message('b', ['a']),
        message('c'),
        message('d', ['x']),
      ]);
      expect(taken).toEqual({ messages: { stored: 4, known: 0 }, attachments: { stored: 0, known: 0 } });
      expect(await messagesOf(archive)).toMatchObject([
        { n: 1, parent: null, conversation: 1, classification: 'seed_token', failed: 0 },
        { n: 2, parent: 1, conversation: 1, classification: 'reply', failed: 0 },
        { n: 3, parent: null, conversation: 3, classification: 'seed_token' },
        { n: 4, parent: null, conversation: 4, classification: 'orphan', failed: MESSAGE.parentPresent },
      ]);
      expect(await conversationsOf(archive)).toMatchObject([
        { n: 1, subject: 'a', message_count: 2, first_message: 1, failed: 0 },
        { n: 3 },
        { n: 4, failed: CONVERSATION.rooted },
      ]);
    }));

  test.each([1, 2])('a parent that comes later, in batches of %i', (size) =>
    withArchive(async (archive) => {
      const intake = createMessageWriter(archive, readSearchText);
      const all = [message('b', ['a']), message('a')];
      for (let at = 0; at < all.length; at += size) await intake.add(all.slice(at, at + size));
      expect(await messagesOf(archive)).toMatchObject([
        { n: 1, parent: 2, conversation: 1, classification: 'reply', failed: MESSAGE.positionMonotonic },
        { n: 2, parent: null, conversation: 1, classification: 'seed_token', failed: 0 },
      ]);
      expect(await conversationsOf(archive)).toMatchObject([
        { n: 1, message_count: 2, failed: CONVERSATION.ordered },
      ]);
    }),
  );

  test('a message that joins two conversations leaves the older number', () =>
    withArchive(async (archive) => {
      const intake = createMessageWriter(archive, readSearchText);
      await intake.add([
        message('a', [], { date_ms: 5000 }),
        message('b', [], { date_ms: 2000 }),
        message('c'),
      ]);
      await intake.add([message('d', ['b', 'a'], { date_ms: null })]);
      await intake.add([message('e', ['b'])]);
      expect((await messagesOf(archive)).map(({ conversation }) => conversation)).toEqual([1, 1, 3, 1, 1]);
      expect(await conversationsOf(archive)).toMatchObject([
        {
          n: 1,
          subject: 'a',
          message_count: 4,
          started_ms: 2000,
          last_ms: NOW - 1000,
          failed: CONVERSATION.dated,
        },
        { n: 3 },
      ]);
    }));

  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  const thread = fc.array(fc.tuple(fc.constantFrom(...keys, null), fc.subarray(keys)), { maxLength: 12 });
  property.prop([thread, fc.integer({ min: 1, max: 5 })], { numRuns: runs({ quick: 4, long: 12 }) })(
    'the outcome does not depend on how the messages are batched',
    async (shape, size) => {
      const all = shape.map(([key, names], index) => message(key, names, { subject: String(index) }));
      const outcome = async (batch: number) => {
        const found: unknown[] = [];
        await withArchive(async (archive) => {
          const intake = createMessageWriter(archive, readSearchText);
          for (let at = 0; at < all.length; at += batch) await intake.add(all.slice(at, at + batch));
          found.push(await messagesOf(archive), await conversationsOf(archive));
          found.push(await archive.database.all('SELECT * FROM threads ORDER BY message_key'));
          found.push(await archive.database.all('SELECT * FROM orphans ORDER BY message, rank'));
        });
        return found;
      };
      const whole = await outcome(100);
      expect(await outcome(size)).toEqual(whole);
      expectSound(all, whole[0] as Awaited<ReturnType<typeof messagesOf>>);
    },
  );
});

/** Against the plain definition: one conversation for all joined by keys, the best named message as parent. */
function expectSound(all: ImportedMessage[], stored: Awaited<ReturnType<typeof messagesOf>>): void {
  const groups = all.map(({ key, related }) => new Set([...(key === null ? [] : [key]), ...related]));
  const label = all.map((_, index) => index);
  for (let round = 0; round < all.length; round += 1) {
    for (const [i, one] of groups.entries()) {
      for (const [j, other] of groups.entries()) {
        if ([...one].some((key) => other.has(key))) label[i] = label[j] = Math.min(label[i]!, label[j]!);
      }
    }
  }
  expect(stored.map(({ conversation }) => conversation - 1)).toEqual(label);
  const parents = all.map(({ key, parent, related }) => {
    const named = parent === null ? [] : [parent, ...related.toReversed()].filter((name) => name !== key);
    const best = named.find((name) => all.some((other) => other.key === name));
    return best === undefined ? null : all.findIndex((other) => other.key === best) + 1;
  });
  expect(stored.map(({ parent }) => parent)).toEqual(parents);
}

describe('the catalogue', () => {
  const columns = 'n, message, decorative_layer, first_visible, stored, redacted, failed, filename';
  const filesOf = (archive: OpenArchive) =>
    archive.database.all(`SELECT ${columns} FROM attachments ORDER BY n`);

  test('inline images and repeated hashes are decoration, the first row of a hash is visible first', () =>
    withArchive(async (archive) => {
      const intake = createMessageWriter(archive, readSearchText);
      await intake.add([
        message('a', [], { attachments: [file('1'), file('1'), file('2'), file('3', { inline: true })] }),
      ]);
      await intake.add([
        message('b', [], { attachments: [file('2')] }),
        message('c', [], { attachments: [file('4')] }),
      ]);
      expect(await filesOf(archive)).toMatchObject([
        { n: 1, message: 1, decorative_layer: 0, first_visible: 1, stored: 1, failed: 0 },
        { n: 2, message: 1, decorative_layer: 0, first_visible: 0 },
        { n: 3, message: 1, decorative_layer: 1, first_visible: 1 },
        { n: 4, message: 1, decorative_layer: 1, first_visible: 1 },
        { n: 5, message: 2, decorative_layer: 1, first_visible: 0 },
        { n: 6, message: 3, decorative_layer: 0, first_visible: 1 },
      ]);
      expect(await archive.blobs.size(sha256Of('2'))).toBe(1);
    }));

  test('bytes that come later are closed where they are those of a message that contains a redacted file', () =>
    withArchive(async (archive) => {
      const intake = createMessageWriter(archive, readSearchText);
      const container = file('a message with a file', { contains: 1 });
      const closed = file('the file', { redaction: 'hidden' });
      const absent = file('a message with a file', {
        content: null,
        sha256: 'named',
        absence: 'comes later',
      });
      await intake.add([
        message('a', [], { attachments: [container, closed] }),
        message('b', [], { attachments: [absent] }),
      ]);
      expect(await filesOf(archive)).toMatchObject([
        { redacted: 1 },
        { redacted: 1 },
        { stored: 0, redacted: 0 },
      ]);
      await intake.complete([message('b', [], { attachments: [file('a message with a file')] })]);
      expect(await filesOf(archive)).toMatchObject([
        { redacted: 1 },
        { redacted: 1 },
        { stored: 1, redacted: 1 },
      ]);
    }));

  test('a file without bytes, and one withheld', () =>
    withArchive(async (archive) => {
      const absent = file('5', { content: null, redaction: 'hidden', filename: 'a\0b' });
      await createMessageWriter(archive, readSearchText).add([message('a', [], { attachments: [absent] })]);
      expect(await filesOf(archive)).toMatchObject([{ stored: 0, redacted: 1, filename: 'a\ufffdb' }]);
      expect(await archive.blobs.size(sha256Of('5'))).toBeUndefined();
    }));
});

test('what is known is not stored again, whether in a batch or a later one', () =>
  withArchive(async (archive) => {
    const intake = createMessageWriter(archive, readSearchText);
    const one = message('a', [], { attachments: [file('1')] });
    const once = { messages: { stored: 1, known: 1 }, attachments: { stored: 1, known: 1 } };
    expect(await intake.add([one, one])).toEqual(once);
    const again = { messages: { stored: 0, known: 1 }, attachments: { stored: 0, known: 1 } };
    expect(await intake.add([one])).toEqual(again);
    expect(await intake.known([one.sha256, sha256Of('other')])).toEqual(new Map([[one.sha256, 1]]));
    expect(await messagesOf(archive)).toHaveLength(1);
  }));

test('a batch that fails leaves nothing', () =>
  withArchive(async (archive) => {
    const intake = createMessageWriter(archive, readSearchText);
    const broken = message('b', [], { date_ms: 1.5 });
    await expect(intake.add([message('a'), broken])).rejects.toThrow();
    expect(await messagesOf(archive)).toEqual([]);
    await intake.add([message('a')]);
    expect(await messagesOf(archive)).toMatchObject([{ n: 1 }]);
  }));
