// Reads the stored bytes of a message and verifies them by their hash.
import { createHash } from 'node:crypto';
import type { App } from '../../app.ts';
import { streamFile } from '../../download/held-stream.ts';
import type { RawRecord } from '../../contract/content.ts';
import { sameHash } from '../../contract/scalars.ts';
import { Fault } from '../../faults.ts';
import { idArgument } from '../../shell-words.ts';

/**
 * Returns the stored bytes. Throws Fault 'partial' where the service does not give them, 'protocol' where it gives no
 * hash, 'integrity' where they have another hash, and the Faults of a download.
 */
export async function storedBytes(record: RawRecord, message: string, app: App): Promise<Buffer> {
  const { raw_base64: within, raw_url: address, sha256, withheld = [] } = record;
  if (typeof within !== 'string' && typeof address !== 'string') {
    const reason = withheld.length === 0 ? 'are not given' : `hold withheld files: ${withheld.join(', ')}`;
    throw new Fault('partial', `the bytes of ${message} ${reason}`, {
      kept: `nothing of ${message} was written`,
      hint: ({ arx }) => `${arx} content get ${idArgument(message)} shows the message without them`,
    });
  }
  if (sha256 === undefined) throw new Fault('protocol', `the service does not send the sha256 of ${message}`);
  if (typeof within !== 'string')
    return fetchVerified(address!, { sha256, bytes: record.bytes }, message, app);
  return verified(Buffer.from(within, 'base64'), sha256, message);
}

/**
 * Downloads a file into memory; `id` is what it is of, `bytes` its size where it is known. Wrong bytes are downloaded once more. Throws
 * Fault 'integrity' where they differ from the hash or the size, 'protocol' where they are too many, and the Faults of a download.
 */
export async function fetchVerified(
  address: string,
  { sha256, bytes }: { sha256: string; bytes?: number | undefined },
  id: string,
  app: App,
): Promise<Buffer> {
  const { world, log } = app;
  if (bytes !== undefined && bytes > MAX_STORED_BYTES) throw tooLong(id, `claims ${bytes} bytes`);
  const access = await app.fileAccess();
  access.limits?.begin(id, undefined);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const write = async (chunk: Uint8Array): Promise<void> => {
    length += chunk.byteLength;
    if (length > MAX_STORED_BYTES) throw tooLong(id, 'has more bytes');
    chunks.push(chunk);
  };
  const file = { name: id, url: address, sha256: sha256.toLowerCase(), bytes };
  const retries = app.settings.retries.value;
  await streamFile(file, { ...access, world, retries, log, write }).catch((error: unknown) => {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    // What was written is only in memory, and is no list of attachments.
    const { hint: _, ...detail } = error.detail;
    throw new Fault(error.kind, error.message, { ...detail, kept: `nothing of ${id} was written` });
  });
  return Buffer.concat(chunks, length);
}

/** No import accepts a larger message. */
const MAX_STORED_BYTES = 64 * 1024 * 1024;

function tooLong(id: string, what: string): Fault {
  return new Fault('protocol', `${id} ${what}, more than the ${MAX_STORED_BYTES} that are read`);
}

function verified(stored: Buffer, sha256: string, id: string): Buffer {
  const actual = createHash('sha256').update(stored).digest('hex');
  if (sameHash(actual, sha256)) return stored;
  throw new Fault('integrity', `${id}: expected sha256 ${sha256}, got ${actual}`, {
    kept: `nothing of ${id} was written`,
  });
}
