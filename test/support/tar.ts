// Tars made byte by byte, so that they can be wrong.

/** An entry. `size` is what its header says. */
type TarPart = { name: string; content?: string | Uint8Array; type?: string; size?: string | number };

/** Returns a tar of these entries. */
export function rawTar(parts: readonly TarPart[]): Buffer {
  return Buffer.concat([...parts.flatMap(blocksOf), Buffer.alloc(1024)]);
}

/** Returns the record of a pax header: its length, a name and a value. */
export function paxRecord(name: string, value: string): string {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  let length = rest + 1;
  while (rest + String(length).length !== length) length += 1;
  return `${length} ${name}=${value}\n`;
}

function blocksOf({ name, content = '', type = '0', size }: TarPart): Buffer[] {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write(
    typeof size === 'string' ? size : (size ?? bytes.length).toString(8).padStart(11, '0'),
    124,
    'latin1',
  );
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  header.fill(' ', 148, 156);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
}
