// Reads the stored bytes of a message and verifies them by their hash.
import { createHash } from 'node:crypto';
import type { App } from '../../app.ts';
import { copiedChunks } from '../../download/copied-chunks.ts';
import { openFile } from '../../download/download-file.ts';
import type { RawRecord } from '../../contract/content.ts';
import { sameHash } from '../../contract/scalars.ts';
import { Fault } from '../../faults.ts';

/**
 * Returns the stored bytes. Throws Fault 'partial' where the service does not give them, 'protocol' where it gives no
 * hash, 'integrity' where they have another hash, and the Faults of a download.
 */
export async function storedBytes(record: RawRecord, message: string, app: App): Promise<Buffer> {
  const { raw_base64: within, raw_url: address, sha256, withheld = [] } = record;
  if (typeof within !== 'string' && typeof address !== 'string') {
    const reason = withheld.length === 0 ? 'are not given' : `hold withheld files: ${withheld.join(', ')}`;
    throw new Fault('partial', `the bytes of ${message} ${reason}`, {
      kept: 'nothing was written',
      hint: `arx content get ${message} shows the message without them`,
    });
  }
  if (sha256 === undefined) throw new Fault('protocol', `the service does not send the sha256 of ${message}`);
  if (typeof within !== 'string')
    return fetchVerified(address!, { sha256, bytes: record.bytes ?? MAX_STORED_BYTES }, message, app);
  return verified(Buffer.from(within, 'base64'), sha256, message);
}

/**
 * Downloads at most `bytes` bytes into memory; `id` is what they are of. Throws Fault 'integrity' where they have another hash,
 * 'protocol' where they are too many, and the Faults of a download.
 */
export async function fetchVerified(
  address: string,
  { sha256, bytes }: { sha256: string; bytes: number },
  id: string,
  app: App,
): Promise<Buffer> {
  return verified(await fetched(address, bytes, id, app), sha256, id);
}

function verified(stored: Buffer, sha256: string, id: string): Buffer {
  const actual = createHash('sha256').update(stored).digest('hex');
  if (sameHash(actual, sha256)) return stored;
  throw new Fault('integrity', `${id}: stored bytes differ: expected ${sha256}, got ${actual}`, {
    kept: 'nothing was written',
  });
}

/** No import accepts a larger message. */
const MAX_STORED_BYTES = 64 * 1024 * 1024;

/** Downloads at most `bytes` bytes into memory. */
async function fetched(address: string, bytes: number, message: string, app: App): Promise<Buffer> {
  if (bytes > MAX_STORED_BYTES) {
    throw new Fault(
      'protocol',
      `${message} claims ${bytes} bytes, more than the ${MAX_STORED_BYTES} that are read`,
    );
  }
  const access = await app.fileAccess();
  access.limits?.begin(message, undefined);
  const retries = app.settings.retries.value;
  const file = await openFile(address, { ...access, world: app.world, retries, log: app.log });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of copiedChunks(file.bytes)) {
    length += chunk.byteLength;
    if (length > bytes) {
      throw new Fault('integrity', `${message}: stored bytes differ: more than the ${bytes} expected`, {
        kept: 'nothing was written',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
