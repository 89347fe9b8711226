// Builds small zip files in memory, valid ones and broken ones.
import { Buffer } from 'node:buffer';
import { crc32, deflateRawSync } from 'node:zlib';

export type ZipOptions = {
  store?: boolean;
  /** Said in place of the true size of every entry. */
  claimedBytes?: number;
  encrypted?: boolean;
  brokenChecksum?: boolean;
};

/** A zip of these files, in their order. */
export function zipOf(
  files: Record<string, string | Uint8Array> | Array<[string, string | Uint8Array]>,
  options: ZipOptions = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Array.isArray(files) ? files : Object.entries(files)) {
    const bytes = Buffer.from(content as Uint8Array);
    const body = options.store === true ? bytes : deflateRawSync(bytes);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(options.encrypted === true ? 1 : 0, 2);
    shared.writeUInt16LE(options.store === true ? 0 : 8, 4);
    shared.writeUInt32LE((crc32(bytes) ^ (options.brokenChecksum === true ? 1 : 0)) >>> 0, 10);
    shared.writeUInt32LE(body.length, 14);
    shared.writeUInt32LE(options.claimedBytes ?? bytes.length, 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, Buffer.from(name), body]);
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02', 0, 'latin1');
    entry.writeUInt16LE(20, 4);
    shared.copy(entry, 6);
    entry.writeUInt32LE(at, 42);
    directory.push(Buffer.concat([entry, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, central, end]);
}
