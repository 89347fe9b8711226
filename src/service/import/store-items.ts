// Gathers what readers yield into batches, parses the mails the archive does not have, stores them, and keeps count.
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import type { Archive } from '../store/archive.ts';
import { createIntake, type Intake } from '../store/additions/message-batches.ts';
import { primaryCode, SQLITE } from '../store/sql/sqlite-result-codes.ts';
import { parseMail } from '../mail/mail-record.ts';
import { cityOfPhoto } from '../geocoding/exif-gps.ts';
import type { RawMail, ImportItem, ImportedMessage } from '../records/import-items.ts';

/** A batch is one transaction: so many messages or bytes, whichever comes first. */
const BATCH_MESSAGES = 256;
const BATCH_BYTES = 8 * 1024 * 1024;

export type ImportCounts = {
  messages: { read: number; stored: number; known: number; refused: number };
  attachments: { stored: number; known: number };
  refused: { path: string; offset: number; reason: string }[];
};

export type StoreOptions = {
  /** City label for mail attachments that show none of their own, or null. */
  originCity: string | null;
  signal: AbortSignal;
  /** After each batch: what was counted so far, and the position of the last item in its file. */
  stored(tally: ImportCounts, position: number): void;
};

/**
 * Stores all items in order, batch by batch; each batch is durable or absent. `read = stored + known + refused` at
 * the end; bytes that a known message lacked until now count as stored files. Throws the signal's reason when it is
 * aborted, and a disk Fault where the archive cannot be written.
 */
export async function storeItems(
  archive: Archive,
  items: AsyncIterable<ImportItem | RawMail>,
  { originCity, signal, stored }: StoreOptions,
): Promise<ImportCounts> {
  const intake = createIntake(archive);
  const tally: ImportCounts = {
    messages: { read: 0, stored: 0, known: 0, refused: 0 },
    attachments: { stored: 0, known: 0 },
    refused: [],
  };
  let batch: (ImportedMessage | RawMail)[] = [];
  let bytes = 0;
  let position = 0;
  const flush = () =>
    storeBatch().catch((error: unknown) => {
      throw archiveFault(error);
    });
  const storeBatch = async () => {
    const { fresh, known } = await parsed(intake, batch, tally, originCity);
    batch = [];
    bytes = 0;
    const completed = await intake.complete(known);
    tally.attachments.stored += completed;
    tally.attachments.known -= completed;
    const { messages, attachments } = await intake.add(fresh);
    tally.messages.stored += messages.stored;
    tally.messages.known += messages.known;
    tally.attachments.stored += attachments.stored;
    tally.attachments.known += attachments.known;
    stored(tally, position);
  };
  for await (const item of items) {
    signal.throwIfAborted();
    tally.messages.read += 1;
    position = item.position;
    if (item.kind === 'refused') {
      refuse(tally, item, item.reason);
      continue;
    }
    batch.push(item);
    bytes += sizeOf(item);
    if (batch.length >= BATCH_MESSAGES || bytes >= BATCH_BYTES) await flush();
  }
  await flush();
  return tally;
}

const SQLITE_REASONS = new Map<number | undefined, string>([
  [SQLITE.IOERR, 'input/output error'],
  [SQLITE.FULL, 'no space left on the device'],
]);

export const KEPT = 'what was stored before; the same import goes on from there';

/** What the disk of the archive did as a Fault, anything else unchanged. */
function archiveFault(error: unknown): unknown {
  const kept = KEPT;
  const fault = diskFault(error, 'archive');
  if (fault !== error && fault instanceof Fault) {
    return new Fault(fault.kind, fault.message, { ...fault.detail, kept, cause: error });
  }
  const reason = SQLITE_REASONS.get(primaryCode(error));
  return reason === undefined ? error : new Fault('disk', `archive: ${reason}`, { kept, cause: error });
}

function refuse(
  tally: ImportCounts,
  { path, position }: { path: string; position: number },
  reason: string,
): void {
  tally.messages.refused += 1;
  tally.refused.push({ path, offset: position, reason });
}

function sizeOf(item: ImportedMessage | RawMail): number {
  if (item.kind === 'raw') return item.raw.byteLength;
  return item.attachments.reduce((sum, { content }) => sum + (content?.byteLength ?? 0), item.raw.byteLength);
}

/**
 * The messages the archive does not have, as far as can be told by their hashes; the others are counted, and given
 * as `known` where they were read with their files.
 */
async function parsed(
  intake: Intake,
  batch: readonly (ImportedMessage | RawMail)[],
  tally: ImportCounts,
  originCity: string | null,
): Promise<{ fresh: ImportedMessage[]; known: ImportedMessage[] }> {
  const seen = await intake.known(new Set(batch.map(({ sha256 }) => sha256)));
  const fresh: ImportedMessage[] = [];
  const known: ImportedMessage[] = [];
  for (const item of batch) {
    const attachments = seen.get(item.sha256);
    if (attachments !== undefined) {
      tally.messages.known += 1;
      tally.attachments.known += attachments;
      if (item.kind === 'message') known.push(item);
    } else if (item.kind === 'message') {
      fresh.push(item);
    } else {
      try {
        fresh.push(await placed(await parseMail(item), originCity));
      } catch {
        refuse(tally, item, 'the mail cannot be parsed');
      }
    }
  }
  return { fresh, known };
}

/** Gives each file its city: that of the picture itself, else the label of the import. */
async function placed(message: ImportedMessage, originCity: string | null): Promise<ImportedMessage> {
  for (const file of message.attachments) {
    const own = file.content === null ? null : await cityOfPhoto(file.content, file.detected_type);
    file.origin_city = own ?? originCity;
  }
  return message;
}
