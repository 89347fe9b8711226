// Stores batches of imported messages, each in one transaction.
import type { Tier } from '../../../contract/tier.ts';
import type { Archive } from '../archive.ts';
import { failedMessageChecks, isPlausibleDate } from '../../records/integrity-checks.ts';
import { storableMessage } from '../../records/storable-text.ts';
import type { ImportedAttachment, ImportedMessage } from '../../records/import-items.ts';
import { CONVERSATION, MESSAGE } from '../../rules/integrity.ts';
import { addAttachmentRows, addMissingBytes, rowsWithoutBytes } from './attachment-rows.ts';
import { updateSameBytes } from './same-bytes.ts';
import type { Statements } from '../sql/database.ts';
import { checkFilesHome } from '../meta-table/files-location.ts';
import { queueWaiting } from '../events/store-events.ts';
import { noteAdded } from '../meta-table/added-log.ts';
import { invalidateSummary } from '../meta-table/summary.ts';
import { linkWaitingReplies, findParents } from './parents.ts';
import { ATTACHMENTS } from '../../records/attachment.ts';
import { MESSAGES, RAWS } from '../../records/message.ts';
import type { NewRow } from '../../records/table.ts';
import { insertRows, selectIn, updateRows } from '../sql/bulk-statements.ts';
import { indexArrivals } from '../search/index-arrivals.ts';
import type { ReadText } from '../search/build-index.ts';
import { withdraw } from '../search/search-tables.ts';
import { type Arrival, groupIntoConversations, updateConversationTiers } from './conversations.ts';

/** How many records were stored, and how many the archive had already. */
export type Count = { stored: number; known: number };
/** What {@link MessageWriter.add} did. */
export type AddedCounts = { messages: Count; attachments: Count };

/** Writes imported messages into an archive. */
export type MessageWriter = {
  /** Returns which of these hashes of stored bytes the archive has, each with its number of attachments. */
  known(hashes: Iterable<string>): Promise<Map<string, number>>;
  /** Stores the messages that the archive lacks, in order. Durable when it resolves, nothing is stored when it throws. */
  add(batch: readonly ImportedMessage[]): Promise<AddedCounts>;
  /** Stores bytes of attachments of known messages that the archive lacks. Resolves to the number of rows completed. */
  complete(known: readonly ImportedMessage[]): Promise<number>;
  /** Stores names for ids in the texts of known messages that have none. */
  nameMentions(known: readonly ImportedMessage[]): Promise<void>;
  /**
   * Sets the tier of those messages that the archive has, by the hashes of their stored bytes, and of their attachments. Resolves to
   * the changes, one for each message that had another tier.
   */
  setTiers(messages: readonly Pick<ImportedMessage, 'sha256' | 'tier'>[]): Promise<TierChange[]>;
};

/** The tier that a message had, and the one that it gets. */
export type TierChange = { from: Tier; to: Tier };

/** Returns the writer of an archive. `readText` returns what the search index gets of a message. */
export function createMessageWriter(archive: Archive, readText: ReadText): MessageWriter {
  return {
    known: (hashes) => knownOf(archive.database, hashes),
    async add(batch) {
      const clean = batch.map(storableMessage);
      const before = await knownOf(archive.database, new Set(clean.map(({ sha256 }) => sha256)));
      const held = await storeFiles(
        archive,
        clean.filter(({ sha256 }) => !before.has(sha256)).flatMap(({ attachments }) => attachments),
      );
      return archive.database.transaction(async (statements) => {
        await checkFilesHome(statements, archive);
        return store(statements, clean, held, { now: archive.now(), readText });
      });
    },
    async complete(known) {
      const lacking = await rowsWithoutBytes(
        archive.database,
        known.filter(hasAttachmentBytes).map(storableMessage),
      );
      if (lacking.length === 0) return 0;
      const held = await storeFiles(
        archive,
        lacking.map(({ file }) => file),
      );
      const rows = lacking.filter(({ file }) => held.has(file.sha256));
      return archive.database.transaction(async (statements) => {
        await checkFilesHome(statements, archive);
        await invalidateSummary(statements);
        const changed = await addMissingBytes(statements, rows);
        await withdraw(
          statements,
          rows.map(({ message }) => message),
        );
        return changed;
      });
    },
    async nameMentions(known) {
      const lacking = await rowsWithoutMentions(archive.database, known.map(storableMessage));
      if (lacking.length === 0) return;
      await archive.database.transaction(async (statements) => {
        await updateRows(statements, MESSAGES, ['mentions'], lacking);
        await withdraw(
          statements,
          lacking.map(({ n }) => n),
        );
      });
    },
    async setTiers(messages) {
      const changes = await tierChanges(archive.database, messages);
      if (changes.length === 0) return [];
      const changed = changes.map(({ n, to }) => ({ n, tier: to }));
      await archive.database.transaction(async (statements) => {
        await invalidateSummary(statements, 'tiers');
        await updateRows(statements, MESSAGES, ['tier'], changed);
        const tierOf = new Map(changed.map(({ n, tier }) => [n, tier]));
        await updateConversationTiers(statements, tierOf.keys());
        const files = await selectIn<{ n: number; message: number; sha256: string }>(
          statements,
          'SELECT n, message, sha256 FROM attachments WHERE message IN ?',
          tierOf.keys(),
        );
        await updateRows(
          statements,
          ATTACHMENTS,
          ['tier'],
          files.map(({ n, message }) => ({ n, tier: tierOf.get(message)! })),
        );
        await withdraw(statements, tierOf.keys());
        await updateSameBytes(
          statements,
          files.map(({ sha256 }) => sha256),
        );
      });
      return changes;
    },
  };
}

/** Returns which of these hashes of stored bytes the archive has, each with its number of attachments. */
export async function knownOf(
  statements: Statements,
  hashes: Iterable<string>,
): Promise<Map<string, number>> {
  const rows = await selectIn<{ raw_sha256: string; attachments: number }>(
    statements,
    'SELECT raw_sha256, attachments FROM messages WHERE raw_sha256 IN ?',
    hashes,
  );
  return new Map(rows.map(({ raw_sha256, attachments }) => [raw_sha256, attachments]));
}

/** Returns the numbers of those messages that the archive has with another tier, each with both tiers. */
export async function tierChanges(
  statements: Statements,
  messages: readonly Pick<ImportedMessage, 'sha256' | 'tier'>[],
): Promise<({ n: number } & TierChange)[]> {
  const tierOf = new Map(messages.map(({ sha256, tier }) => [sha256, tier]));
  const rows = await selectIn<{ n: number; raw_sha256: string; tier: Tier }>(
    statements,
    'SELECT n, raw_sha256, tier FROM messages WHERE raw_sha256 IN ?',
    tierOf.keys(),
  );
  return rows.flatMap(({ n, raw_sha256, tier }) => {
    const wanted = tierOf.get(raw_sha256)!;
    return wanted === tier ? [] : [{ n, from: tier, to: wanted }];
  });
}

/** Returns the names in a message as they are stored: a JSON object by id; null without any. */
function mentionsOf({ mentions }: ImportedMessage): string | null {
  return mentions === undefined || mentions.size === 0 ? null : JSON.stringify(Object.fromEntries(mentions));
}

/** Returns the numbers of those messages that the archive has without names, each with its names. */
async function rowsWithoutMentions(
  statements: Statements,
  messages: readonly ImportedMessage[],
): Promise<{ n: number; mentions: string }[]> {
  const mentions = new Map(
    messages.flatMap((message) => {
      const names = mentionsOf(message);
      return names === null ? [] : [[message.sha256, names] as const];
    }),
  );
  const rows = await selectIn<{ n: number; raw_sha256: string }>(
    statements,
    'SELECT n, raw_sha256 FROM messages WHERE mentions IS NULL AND raw_sha256 IN ?',
    mentions.keys(),
  );
  return rows.map(({ n, raw_sha256 }) => ({ n, mentions: mentions.get(raw_sha256)! }));
}

const CONCURRENT_FILES = 16;

/** Stores the bytes of all files, before any row names them. Returns the hashes that the archive holds afterwards. */
async function storeFiles({ blobs }: Archive, all: readonly ImportedAttachment[]): Promise<Set<string>> {
  const files = new Map<string, ImportedAttachment>();
  for (const file of all) {
    if (hasBytes(file)) files.set(file.sha256, file);
  }
  const held = new Set<string>();
  const queue = files.values();
  const work = async () => {
    for (const { sha256, content, file } of queue) {
      if (content !== null) await blobs.put(sha256, content);
      else if (file === undefined || !(await blobs.putFile(sha256, file))) continue;
      held.add(sha256);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_FILES }, work));
  return held;
}

function hasBytes({ content, file }: ImportedAttachment): boolean {
  return content !== null || file !== undefined;
}

/** Returns whether a message came with bytes of its attachments. */
export function hasAttachmentBytes({ attachments }: ImportedMessage): boolean {
  return attachments.some(hasBytes);
}

async function store(
  statements: Statements,
  batch: readonly ImportedMessage[],
  held: ReadonlySet<string>,
  { now, readText }: { now: number; readText: ReadText },
): Promise<AddedCounts> {
  // Read again as the only writer: another import may have stored some of them meanwhile.
  const seen = await knownOf(statements, new Set(batch.map(({ sha256 }) => sha256)));
  const newest = await statements.get<{ message: number | null; attachment: number | null }>(
    'SELECT (SELECT MAX(n) FROM messages) AS message, (SELECT MAX(n) FROM attachments) AS attachment',
  );
  const counts: AddedCounts = { messages: { stored: 0, known: 0 }, attachments: { stored: 0, known: 0 } };
  const arrivals: Arrival[] = [];
  for (const message of batch) {
    const known = seen.get(message.sha256);
    counts.messages[known === undefined ? 'stored' : 'known'] += 1;
    counts.attachments[known === undefined ? 'stored' : 'known'] += known ?? message.attachments.length;
    if (known !== undefined) continue;
    seen.set(message.sha256, message.attachments.length);
    arrivals.push({
      n: (newest?.message ?? 0) + arrivals.length + 1,
      message,
      failed: failedMessageChecks(message, now),
      hasPlausibleDate: isPlausibleDate(message.date_ms, now),
    });
  }
  if (arrivals.length === 0) return counts;

  const groups = await groupIntoConversations(statements, arrivals);
  const parentOf = await findParents(statements, arrivals);
  const rows = arrivals.map((arrival): NewRow<typeof MESSAGES> => {
    const { n, message } = arrival;
    const parent = parentOf(arrival);
    const conversation = groups.conversationOf(arrival);
    let { failed } = arrival;
    if (parent === null) failed |= MESSAGE.parentPresent;
    if (parent === null && conversation === n) groups.fail(conversation, CONVERSATION.rooted);
    if (parent != null && parent > n) {
      failed |= MESSAGE.positionMonotonic;
      groups.fail(conversation, CONVERSATION.ordered);
    }
    return {
      n,
      conversation,
      parent: parent ?? null,
      // Reported position and number are the same until an event moves the message.
      sequence: n,
      message_key: message.key,
      date_ms: message.date_ms,
      sender: message.sender,
      subject: message.subject,
      format: message.format,
      source: message.source,
      classification: classify(message, parent),
      raw_sha256: message.sha256,
      raw_bytes: message.raw.byteLength,
      attachments: message.attachments.length,
      tier: message.tier,
      failed,
      path: message.path,
      position: message.position,
      channel: message.channel,
      mentions: mentionsOf(message),
    };
  });
  await insertRows(statements, MESSAGES, rows);
  await insertRows(
    statements,
    RAWS,
    arrivals.map(({ n, message }) => ({ n, content: message.raw })),
  );
  await addAttachmentRows(statements, arrivals, held, newest?.attachment ?? 0);
  await linkWaitingReplies(statements, arrivals, groups);
  await groups.save();
  await queueWaiting(statements);
  await invalidateSummary(statements);
  const attachments = rows.reduce((sum, row) => sum + row.attachments, newest?.attachment ?? 0);
  await noteAdded(statements, now, { messages: rows.at(-1)!.n, attachments });
  const stored = rows.map((row, index) => ({ row, raw: arrivals[index]!.message.raw }));
  await indexArrivals(statements, stored, readText);
  return counts;
}

/** Returns the classification. The values are our choice: the interface shows only seed_token (interface 2.2). */
function classify({ nature }: ImportedMessage, parent: number | null | undefined): string {
  if (nature !== 'ordinary') return nature;
  if (parent === undefined) return 'seed_token';
  return parent === null ? 'orphan' : 'reply';
}
