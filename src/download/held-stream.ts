// Passes a downloaded file on while it arrives. Its end is held back until the hash of all its bytes is right.
import { createHash } from 'node:crypto';
import type { RetryOptions } from '../client/retry.ts';
import { Fault } from '../faults.ts';
import { againIfWrong, downloadFile, type FileReceiver } from './download-file.ts';
import type { FileAccess } from './file-request.ts';
import { strongEtag } from './partial-names.ts';
import { WrongContent } from './wrong-content.ts';

/** Files up to this size are verified before their first byte is passed on. Of a larger one at least this many bytes are held back. */
export const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** What to do about a file with other bytes than its hash says. */
export const MAY_HAVE_CHANGED = 'list the attachments again: the file may have changed since';
/** What to do about a file whose size is another than its row states. */
export const OTHER_SIZE =
  'the server sends another number of bytes than its row states: try later, or ask its operator';

/** The file that is downloaded. `name` is for messages; `sha256` is in lower case. */
export type StreamedFile = { name: string; url: string; sha256: string; bytes?: number | undefined };

/** Options of a stream. `write` may keep the bytes that it gets. A file of more than {@link MAX_HELD_BYTES} fails with `tooLarge`, where that is given. */
export type StreamOptions = FileAccess & {
  tooLarge?: Fault | undefined;
  world: RetryOptions['world'];
  retries: number;
  log: (line: string) => void;
  write: (bytes: Uint8Array) => Promise<void>;
};

/**
 * Downloads a file and writes its bytes. A download that breaks off is continued where the server allows that, else repeated; then the
 * first bytes must be the ones that were written. Wrong bytes are downloaded once more. Throws Fault 'integrity' for other bytes than the hash says, and as
 * {@link downloadFile}; `detail.kept` says how many bytes were written.
 */
export async function streamFile(file: StreamedFile, options: StreamOptions): Promise<void> {
  const { name, sha256, bytes: size } = file;
  const { write, world, tooLarge, ...access } = options;
  if (tooLarge !== undefined && (size ?? 0) > MAX_HELD_BYTES) throw tooLarge;
  const heldLength = Math.min(size ?? MAX_HELD_BYTES, MAX_HELD_BYTES);
  /** Of the bytes that were written. */
  const sent = createHash('sha256');
  let sentBytes = 0;
  /** A write failed, of which some bytes may have been written. */
  let isCut = false;
  /** A full buffer that waits for another one to be full, and the one that is being filled. */
  let full: Buffer | undefined;
  let filling = Buffer.alloc(0);
  let filled = 0;
  let etag: string | undefined;

  async function send(bytes: Uint8Array): Promise<void> {
    isCut = true;
    await write(bytes);
    isCut = false;
    sent.update(bytes);
    sentBytes += bytes.length;
  }
  async function hold(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      if (filled === filling.length) {
        if (full !== undefined) await send(full);
        if (filled > 0) full = filling;
        filling = Buffer.allocUnsafeSlow(heldLength);
        filled = 0;
      }
      const part = chunk.subarray(at, at + filling.length - filled);
      filling.set(part, filled);
      filled += part.length;
      at += part.length;
    }
  }
  function wrong(text: string, hint = MAY_HAVE_CHANGED): Fault {
    etag = undefined;
    return new WrongContent(`${name}: ${text}`, undefined, { hint });
  }
  const receiver: FileReceiver<void> = {
    resumePoint: () => {
      const from = sentBytes + (full?.length ?? 0) + filled;
      return etag === undefined || from === 0 ? undefined : { from, ifRange: etag };
    },
    discard: async () => {
      full = undefined;
      filling = Buffer.alloc(0);
      filled = 0;
    },
    async receive(incoming) {
      let received = incoming.from;
      /** Of the first bytes, where they are received again. */
      const again = createHash('sha256');
      if (received === 0) {
        await receiver.discard();
        etag = strongEtag(incoming.etag);
      }
      const repeated = received === 0 ? sentBytes : 0;
      for await (const chunk of incoming.bytes) {
        world.signal.throwIfAborted();
        const skipped = Math.max(0, Math.min(chunk.length, repeated - received));
        received += chunk.length;
        if (tooLarge !== undefined && received > MAX_HELD_BYTES) throw tooLarge;
        if (size !== undefined && received > size)
          throw wrong(`longer than the ${size} bytes it should have`);
        if (skipped > 0) again.update(chunk.subarray(0, skipped));
        if (skipped > 0 && received >= repeated && again.digest('hex') !== sent.copy().digest('hex'))
          throw wrong('the server sends other bytes than before');
        await hold(chunk.subarray(skipped));
      }
      if (received < repeated) throw wrong('the server sends fewer bytes than before');
      world.signal.throwIfAborted();
      const rest = [...(full === undefined ? [] : [full]), filling.subarray(0, filled)];
      const all = sent.copy();
      for (const part of rest) all.update(part);
      const actual = all.digest('hex');
      if (size !== undefined && received < size)
        throw wrong(`${received} bytes came, the row states ${size}`, OTHER_SIZE);
      if (actual !== sha256) throw wrong(`expected sha256 ${sha256}, got ${actual}`);
      for (const part of rest) if (part.length > 0) await send(part);
    },
  };
  try {
    await againIfWrong(name, access.log, (isAgain) =>
      downloadFile(file.url, { ...access, world, size, isAgain }, receiver),
    );
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    const first = sentBytes === 0 ? 'nothing was written' : `only the first bytes were written: ${sentBytes}`;
    const kept = isCut ? 'only a part of the file was written' : first;
    throw new Fault(error.kind, error.message, { ...error.detail, kept });
  }
}
