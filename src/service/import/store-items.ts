// Stores what readers yield, in batches: parses the mails that the archive does not have, and counts every item.
import { createTurns } from '../../concurrency/turns.ts';
import type { Tier } from '../../contract/tier.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import type { Archive } from '../store/archive.ts';
import {
  createMessageWriter,
  type MessageWriter,
  type TierChange,
} from '../store/additions/message-batches.ts';
import { primaryCode, SQLITE } from '../store/sql/sqlite-result-codes.ts';
import { parseMail } from '../mail/mail-record.ts';
import { importedTextReader } from '../mail/search-text.ts';
import { readChecked } from '../store/files/read-checked.ts';
import { cityOfPhoto } from '../geocoding/exif-gps.ts';
import type { ImportedMessage, RawMail, RefusedItem, SourceItem } from '../records/import-items.ts';
import { createFileCounter, type FileCounter } from './file-counts.ts';
import type { ItemLists } from './item-lists.ts';

// A batch is one transaction. It ends at the first of these limits.
const MAX_BATCH_MESSAGES = 256;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** Files whose outcome is remembered between two batches. */
const MAX_OPEN_FILES = 4096;

/** What was read so far. `known`: the archive had it already. `offset`: the `position` of the item. */
export type ImportCounts = {
  messages: { read: number; stored: number; known: number; refused: number };
  attachments: { stored: number; known: number };
  files: FileCounter['counts'];
  /** How many files were read as each format. */
  formats: Map<string, number>;
};

/** How items are stored. */
export type StoreOptions = {
  /** City label for attachments of mails that have none of their own, or null. */
  originCity: string | null;
  /** Tier of mails (interface 5). Other messages have their own. */
  tier: Tier;
  /** Whether known messages, too, get their tier. */
  changesTiers: boolean;
  signal: AbortSignal;
  /** Gets what was refused or skipped, and notices. */
  lists: ItemLists;
  /** Called for each known message whose tier changed. */
  tierChanged?(change: TierChange): void;
  /** Called after each batch with the counts so far, the position of the last item, and the bytes of all items that were read. */
  stored(counts: ImportCounts, reached: { position: number; bytes: number }): void;
};

/** Returns the writer that {@link storeItems} stores with. */
export function importWriter(archive: Archive): MessageWriter {
  return createMessageWriter(
    archive,
    importedTextReader((sha256) => readChecked(archive.blobs, sha256)),
  );
}

/**
 * Stores all items in order, batch by batch. Each batch is stored durably as a whole or not at all. Returns the counts:
 * `read = stored + known + refused`, and for files `seen = read + known + refused + skipped`. When a known message brings bytes that the archive lacked, they count as a stored
 * attachment. Throws the reason of the signal when it is aborted, and Fault 'disk' when the archive cannot be written.
 */
export async function storeItems(
  intake: MessageWriter,
  items: AsyncIterable<SourceItem>,
  { originCity, tier, changesTiers, signal, lists, tierChanged, stored }: StoreOptions,
): Promise<ImportCounts> {
  const files = createFileCounter();
  const counts: ImportCounts = {
    messages: { read: 0, stored: 0, known: 0, refused: 0 },
    attachments: { stored: 0, known: 0 },
    files: files.counts,
    formats: new Map(),
  };
  const refusing: Refusing = { counts, files, lists };
  let batch: (ImportedMessage | RawMail)[] = [];
  let bytes = 0;
  let earlierBytes = 0;
  let position = 0;
  const storeBatch = async () => {
    const { fresh, known } = await parseNew(intake, batch, { ...refusing, originCity, tier });
    if (changesTiers) {
      const changes = await intake.setTiers(batch.map((item) => ({ tier, ...item })));
      for (const change of changes) tierChanged?.(change);
    }
    batch = [];
    earlierBytes += bytes;
    bytes = 0;
    const completed = await intake.complete(known);
    await intake.nameMentions(known);
    counts.attachments.stored += completed;
    counts.attachments.known -= completed;
    const { messages, attachments } = await intake.add(fresh);
    counts.messages.stored += messages.stored;
    counts.messages.known += messages.known;
    counts.attachments.stored += attachments.stored;
    counts.attachments.known += attachments.known;
    files.settle(false);
    stored(counts, { position, bytes: earlierBytes });
  };
  const turn = createTurns();
  for await (const item of items) {
    await turn();
    signal.throwIfAborted();
    if (item.kind === 'opened') {
      files.add(item.path, 'opened');
      counts.formats.set(item.format, (counts.formats.get(item.format) ?? 0) + 1);
      continue;
    }
    if (item.kind === 'notice') {
      lists.add('notices', { path: item.path, notice: item.text });
      continue;
    }
    if (item.kind === 'skipped') {
      const { path, position: offset, bytes: length, reason } = item;
      lists.add('skipped', { path, offset, bytes: length, reason });
      if (offset === null) files.skip();
      continue;
    }
    counts.messages.read += 1;
    position = item.position;
    if (item.kind === 'refused') {
      refuse(refusing, item);
      // Files that give no message would be open until the end.
      if (files.open() > MAX_OPEN_FILES) await storeBatch().catch(throwArchiveFault);
      continue;
    }
    batch.push(item);
    bytes += sizeOf(item);
    if (batch.length >= MAX_BATCH_MESSAGES || bytes >= MAX_BATCH_BYTES)
      await storeBatch().catch(throwArchiveFault);
  }
  await storeBatch().catch(throwArchiveFault);
  files.settle(true);
  return counts;
}

const SQLITE_REASONS = new Map<number | undefined, string>([
  [SQLITE.IOERR, 'input/output error'],
  [SQLITE.FULL, 'no space left on the device'],
]);

/** What a Fault says is kept after an import failed. */
export const KEPT = 'what was stored before; the same import goes on from there';

/** Throws a disk error of the archive as a Fault, and any other error unchanged. */
function throwArchiveFault(error: unknown): never {
  const kept = KEPT;
  const fault = diskFault(error, 'archive');
  if (fault !== error && fault instanceof Fault) {
    throw new Fault(fault.kind, fault.message, { ...fault.detail, kept, cause: error });
  }
  const reason = SQLITE_REASONS.get(primaryCode(error));
  throw reason === undefined ? error : new Fault('disk', `archive: ${reason}`, { kept, cause: error });
}

type Refusing = { counts: ImportCounts; files: FileCounter; lists: ItemLists };

function refuse(
  { counts, files, lists }: Refusing,
  { path, position, reason, isAbsent }: Omit<RefusedItem, 'kind'>,
): void {
  counts.messages.refused += 1;
  lists.add('refused', { path, offset: position, reason });
  if (isAbsent !== true) files.add(path, 'refused');
}

function sizeOf(item: ImportedMessage | RawMail): number {
  if (item.kind === 'raw') return item.raw.byteLength;
  return item.attachments.reduce((sum, { content }) => sum + (content?.byteLength ?? 0), item.raw.byteLength);
}

type ParseOptions = Pick<StoreOptions, 'originCity' | 'tier'> & Refusing;

/**
 * Returns the messages that the archive does not have, by their hashes, parsed. Counts the others. Returns as `known`
 * those that came with their attachments, whose bytes the archive may lack.
 */
async function parseNew(
  intake: MessageWriter,
  batch: readonly (ImportedMessage | RawMail)[],
  { originCity, tier, ...refusing }: ParseOptions,
): Promise<{ fresh: ImportedMessage[]; known: ImportedMessage[] }> {
  const { counts, files } = refusing;
  const attachmentsOfKnown = await intake.known(new Set(batch.map(({ sha256 }) => sha256)));
  const fresh: ImportedMessage[] = [];
  const known: ImportedMessage[] = [];
  const hashes = new Set<string>();
  for (const item of batch) {
    const attachments = attachmentsOfKnown.get(item.sha256);
    const outcome = attachments !== undefined || hashes.has(item.sha256) ? 'known' : 'stored';
    hashes.add(item.sha256);
    if (attachments !== undefined) {
      counts.messages.known += 1;
      counts.attachments.known += attachments;
      if (item.kind === 'message') known.push(item);
    } else if (item.kind === 'message') {
      fresh.push(item);
    } else {
      try {
        fresh.push(await withOriginCity(await parseMail(item, tier), originCity));
      } catch {
        const reason = 'the mail cannot be parsed';
        refuse(refusing, { path: item.path, position: item.position, reason });
        continue;
      }
    }
    files.add(item.path, outcome);
  }
  return { fresh, known };
}

/** Sets the city of each attachment: of its GPS position if it is a photo that has one, else the label of the import. */
async function withOriginCity(message: ImportedMessage, originCity: string | null): Promise<ImportedMessage> {
  for (const file of message.attachments) {
    const own = file.content === null ? null : await cityOfPhoto(file.content, file.detected_type);
    file.origin_city = own ?? originCity;
  }
  return message;
}
