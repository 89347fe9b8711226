// Generates the attachments of the sample archive: small valid files, built byte by byte.
import { Buffer } from 'node:buffer';
import { crc32, deflateSync } from 'node:zlib';

/** Returns the next pseudo-random number in [0, 1). */
export type Random = () => number;

/** Returns a greyscale PNG. It is stored without compression, so that every version of zlib gives the same bytes. */
export function pngStarChart(width: number, height: number, stars: number, random: Random): Buffer {
  const sky = Buffer.alloc((width + 1) * height);
  for (let star = 0; star < stars; star += 1) {
    const row = Math.floor(random() * height);
    sky[row * (width + 1) + 1 + Math.floor(random() * width)] = 96 + Math.floor(random() * 160);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(sky, { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** Returns a grey JPEG of 8 by 8 pixels with a GPS position, in degrees, in its EXIF data. */
export function jpegWithPosition(lat: number, lon: number, random: Random): Buffer {
  // One block: code 0 with seven bits of brightness, code 0 for the end of the block, then padding of ones.
  const grey = 64 + Math.floor(random() * 63);
  const coded = Buffer.from([grey, 0x7f]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), gpsBlock(lat, lon)])),
    segment(0xdb, Buffer.from([0, ...Array<number>(64).fill(8)])),
    segment(0xc0, Buffer.from([8, 0, 8, 0, 8, 1, 1, 0x11, 0])),
    segment(0xc4, huffmanTable(0x00, 7)),
    segment(0xc4, huffmanTable(0x10, 0)),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    coded,
    Buffer.from([0xff, 0xd9]),
  ]);
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** A Huffman table with one code of one bit. */
function huffmanTable(id: number, symbol: number): Buffer {
  return Buffer.from([id, 1, ...Array<number>(15).fill(0), symbol]);
}

/** A TIFF block with only a GPS directory: latitude and longitude. */
function gpsBlock(lat: number, lon: number): Buffer {
  const block = Buffer.alloc(128);
  block.write('II*\0', 0, 'latin1');
  block.writeUInt32LE(8, 4);
  block.writeUInt16LE(1, 8);
  entry(block, 10, [0x8825, 4, 1, 26]);
  block.writeUInt16LE(4, 26);
  entry(block, 28, [1, 2, 2, (lat < 0 ? 'S' : 'N').charCodeAt(0)]);
  entry(block, 40, [2, 5, 3, 80]);
  entry(block, 52, [3, 2, 2, (lon < 0 ? 'W' : 'E').charCodeAt(0)]);
  entry(block, 64, [4, 5, 3, 104]);
  rationals(block, 80, Math.abs(lat));
  rationals(block, 104, Math.abs(lon));
  return block;
}

function entry(block: Buffer, at: number, [tag, type, count, value]: [number, number, number, number]): void {
  block.writeUInt16LE(tag, at);
  block.writeUInt16LE(type, at + 2);
  block.writeUInt32LE(count, at + 4);
  block.writeUInt32LE(value, at + 8);
}

/** Writes an angle as degrees, minutes and hundredths of seconds. */
function rationals(block: Buffer, at: number, degrees: number): void {
  const hundredths = Math.round(degrees * 360_000);
  const parts = [Math.floor(hundredths / 360_000), Math.floor(hundredths / 6000) % 60, hundredths % 6000];
  for (const [index, part] of parts.entries()) {
    block.writeUInt32LE(part, at + index * 8);
    block.writeUInt32LE(index === 2 ? 100 : 1, at + index * 8 + 4);
  }
}

/** Returns a PDF of one page with lines of text. Removes parentheses and backslashes, which would need escapes. */
export function pdfPage(lines: readonly string[]): Buffer {
  const shown = lines.map((line) => `(${line.replace(/[()\\]|[^\x20-\x7e]/g, '')}) Tj T*`).join('\n');
  const drawing = `BT /F1 11 Tf 14 TL 60 780 Td\n${shown}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** Returns a CSV table of observed minus computed times in seconds. */
export function csvTimings(rows: number, random: Random): Buffer {
  const lines = Array.from({ length: rows }, (_, row) => {
    const time = `${String(20 + (row % 4)).padStart(2, '0')}:${String((row * 7) % 60).padStart(2, '0')}`;
    return `${time},${(random() * 2 - 1).toFixed(3)},${(4 + random() * 9).toFixed(1)}`;
  });
  return Buffer.from(['time_ut,o_minus_c_s,tube_celsius', ...lines, ''].join('\n'));
}
