// Messages between a process and one that it started: each is its length in 4 bytes, then the value as V8 writes it.
import { Buffer } from 'node:buffer';
import { deserialize, serialize } from 'node:v8';

/** Bytes of the length before each message. */
export const LENGTH_BYTES = 4;

/** Returns the bytes of a message. */
export function frameOf(value: unknown): Buffer {
  const body = serialize(value);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, body]);
}

/** Returns a function that takes the bytes of a stream piece by piece, and calls `onValue` with each whole message. */
export function readFrames(onValue: (value: unknown) => void): (bytes: Buffer) => void {
  let pieces: Buffer[] = [];
  let held = 0;
  let wanted = LENGTH_BYTES;
  let isBody = false;
  return (bytes) => {
    pieces.push(bytes);
    held += bytes.length;
    while (held >= wanted) {
      const all = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      const part = all.subarray(0, wanted);
      pieces = [all.subarray(wanted)];
      held -= wanted;
      wanted = isBody ? LENGTH_BYTES : part.readUInt32LE();
      if (isBody) onValue(deserialize(part));
      isBody = !isBody;
    }
  };
}
