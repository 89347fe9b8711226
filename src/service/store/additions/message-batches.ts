// The write path of an import: batches of read messages, each stored whole and durably in one transaction.
import { createHash } from 'node:crypto';
import type { Archive } from '../archive.ts';
import { failedMessageChecks, isPlausibleDate } from '../../records/integrity-checks.ts';
import type { MessageSummary, ImportedAttachment, ImportedMessage } from '../../records/import-items.ts';
import { CONVERSATION, MESSAGE } from '../../rules/integrity.ts';
import { addAttachmentRows, addMissingBytes, rowsWithoutBytes } from './attachment-rows.ts';
import type { Statements } from '../sql/database.ts';
import { queueWaiting } from '../events/keep-events.ts';
import { invalidateSummary } from '../meta-table/summary.ts';
import { linkWaitingReplies, findParents } from './parents.ts';
import { MESSAGES, RAWS } from '../../records/message.ts';
import type { NewRow } from '../../records/table.ts';
import { insertRows, selectIn } from '../sql/bulk-statements.ts';
import { type Arrival, groupIntoConversations } from './conversations.ts';

export type Count = { stored: number; known: number };
export type AddedCounts = { messages: Count; attachments: Count };

export type MessageWriter = {
  /** Which of these raw hashes the archive has, each with the number of its attachments. */
  known(hashes: Iterable<string>): Promise<Map<string, number>>;
  /** Stores the messages the archive does not have, in order; durable when it resolves, nothing stored when it throws. */
  add(batch: readonly ImportedMessage[]): Promise<AddedCounts>;
  /** Gives files of known messages the bytes the archive lacked until now; durable when it resolves to their number. */
  complete(known: readonly ImportedMessage[]): Promise<number>;
};

export function createMessageWriter(archive: Archive): MessageWriter {
  return {
    known: (hashes) => knownOf(archive.database, hashes),
    async add(batch) {
      const clean = batch.map(storable);
      const before = await knownOf(archive.database, new Set(clean.map(({ sha256 }) => sha256)));
      const held = await keepFiles(
        archive,
        clean.filter(({ sha256 }) => !before.has(sha256)).flatMap(({ attachments }) => attachments),
      );
      return archive.database.transaction((statements) => store(statements, clean, held, archive.now()));
    },
    async complete(known) {
      const lacking = await rowsWithoutBytes(archive.database, known.filter(bringsBytes).map(storable));
      if (lacking.length === 0) return 0;
      const held = await keepFiles(
        archive,
        lacking.map(({ file }) => file),
      );
      const rows = lacking.filter(({ file }) => held.has(file.sha256));
      return archive.database.transaction(async (statements) => {
        await invalidateSummary(statements);
        return addMissingBytes(statements, rows);
      });
    },
  };
}

async function knownOf(statements: Statements, hashes: Iterable<string>): Promise<Map<string, number>> {
  const rows = await selectIn<{ raw_sha256: string; attachments: number }>(
    statements,
    'SELECT raw_sha256, attachments FROM messages WHERE raw_sha256 IN ?',
    hashes,
  );
  return new Map(rows.map(({ raw_sha256, attachments }) => [raw_sha256, attachments]));
}

const FILES_AT_ONCE = 16;

/** Makes the bytes of all files durable, before any row names them. Returns the hashes the archive now holds. */
async function keepFiles({ blobs }: Archive, all: readonly ImportedAttachment[]): Promise<Set<string>> {
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
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, work));
  return held;
}

function hasBytes({ content, file }: ImportedAttachment): boolean {
  return content !== null || file !== undefined;
}

function bringsBytes({ attachments }: ImportedMessage): boolean {
  return attachments.some(hasBytes);
}

async function store(
  statements: Statements,
  batch: readonly ImportedMessage[],
  held: ReadonlySet<string>,
  now: number,
): Promise<AddedCounts> {
  // Asked again as the only writer: another import may have stored some meanwhile.
  const seen = await knownOf(statements, new Set(batch.map(({ sha256 }) => sha256)));
  const newest = await statements.get<{ message: number | null; attachment: number | null }>(
    'SELECT (SELECT MAX(n) FROM messages) AS message, (SELECT MAX(n) FROM attachments) AS attachment',
  );
  const taken: AddedCounts = { messages: { stored: 0, known: 0 }, attachments: { stored: 0, known: 0 } };
  const arrivals: Arrival[] = [];
  for (const message of batch) {
    const known = seen.get(message.sha256);
    taken.messages[known === undefined ? 'stored' : 'known'] += 1;
    taken.attachments[known === undefined ? 'stored' : 'known'] += known ?? message.attachments.length;
    if (known !== undefined) continue;
    seen.set(message.sha256, message.attachments.length);
    arrivals.push({
      n: (newest?.message ?? 0) + arrivals.length + 1,
      message,
      failed: failedMessageChecks(message, now),
      dated: isPlausibleDate(message.date_ms, now),
    });
  }
  if (arrivals.length === 0) return taken;

  const threading = await groupIntoConversations(statements, arrivals);
  const parentOf = await findParents(statements, arrivals);
  const rows = arrivals.map((arrival): NewRow<typeof MESSAGES> => {
    const { n, message } = arrival;
    const parent = parentOf(arrival);
    const conversation = threading.of(arrival);
    let { failed } = arrival;
    if (parent === null) failed |= MESSAGE.parentPresent;
    if (parent === null && conversation === n) threading.fail(conversation, CONVERSATION.rooted);
    if (parent != null && parent > n) {
      failed |= MESSAGE.positionMonotonic;
      threading.fail(conversation, CONVERSATION.ordered);
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
    };
  });
  await insertRows(statements, MESSAGES, rows);
  await insertRows(
    statements,
    RAWS,
    arrivals.map(({ n, message }) => ({ n, content: message.raw })),
  );
  await addAttachmentRows(statements, arrivals, held, newest?.attachment ?? 0);
  await linkWaitingReplies(statements, arrivals, threading);
  await threading.save();
  await queueWaiting(statements);
  await invalidateSummary(statements);
  return taken;
}

/** The values of `classification` that our service gives (interface 2.2 shows only seed_token). */
function classify({ nature }: ImportedMessage, parent: number | null | undefined): string {
  if (nature !== 'ordinary') return nature;
  if (parent === undefined) return 'seed_token';
  return parent === null ? 'orphan' : 'reply';
}

/**
 * Text as both engines can keep it: without NUL and lone surrogates, and what is indexed no longer than PostgreSQL
 * allows. Nothing is lost by it: the stored bytes are the record, and a message is shown from them.
 */
function storable(message: ImportedMessage): ImportedMessage {
  return {
    ...message,
    ...storableSummary(message),
    related: message.related.map(keyOf),
    parent: message.parent === null ? null : keyOf(message.parent),
    path: clean(message.path),
    attachments: message.attachments.map((file) => ({
      ...file,
      filename: clean(file.filename),
      declared_type: clean(file.declared_type).slice(0, MOST_TYPE),
    })),
  };
}

/** What is stored of a head; see {@link storable}. */
export function storableSummary({ key, date_ms, sender, subject }: MessageSummary): MessageSummary {
  return { key: key === null ? null : keyOf(key), date_ms, sender: clean(sender), subject: clean(subject) };
}

const MOST_TYPE = 255;
const MOST_KEY_BYTES = 2_000;

/** Equal for equal keys, also for those too long to be kept. */
function keyOf(text: string): string {
  const key = clean(text);
  return Buffer.byteLength(key) <= MOST_KEY_BYTES ? key : createHash('sha256').update(key).digest('hex');
}

function clean<T extends string | null>(text: T): T {
  return (text === null ? null : text.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')) as T;
}
