// The GPS position in the EXIF data of a photo, also of damaged and hostile files.
import { Buffer } from 'node:buffer';
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { cityOfPhoto, readGpsPosition } from '../../../src/service/geocoding/exif-gps.ts';
import { jpegWithPosition, pngStarChart } from '../../../src/service/sample/files.ts';

const random = () => 0.5;

property.prop([
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.double({ min: -180, max: 180, noNaN: true }),
])('reads any position that was written', async (lat, lon) => {
  fc.pre(Math.abs(lat) > 0.001 || Math.abs(lon) > 0.001);
  const place = await readGpsPosition(jpegWithPosition(lat, lon, random), 'image/jpeg');
  expect(place?.lat).toBeCloseTo(lat, 4);
  expect(place?.lon).toBeCloseTo(lon, 4);
});

test('gives null for other types, for photos without a position, and for 0,0', async () => {
  expect(await readGpsPosition(jpegWithPosition(38.7, -9.1, random), 'text/plain')).toBeNull();
  expect(await readGpsPosition(jpegWithPosition(38.7, -9.1, random), null)).toBeNull();
  expect(await readGpsPosition(pngStarChart(4, 4, 1, random), 'image/png')).toBeNull();
  expect(await readGpsPosition(jpegWithPosition(0, 0, random), 'image/jpeg')).toBeNull();
  expect(await cityOfPhoto(jpegWithPosition(38.7139, -9.1394, random), 'image/jpeg')).toBe('lisbon');
});

test('reads a photo that is a part of a larger buffer', async () => {
  const whole = Buffer.concat([
    Buffer.from('before'),
    jpegWithPosition(38.7139, -9.1394, random),
    Buffer.from('after'),
  ]);
  expect(await readGpsPosition(whole.subarray(6), 'image/jpeg')).not.toBeNull();
});

property.prop([fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 12 }), fc.nat(400)])(
  'a damaged photo gives a position or null',
  async (changes, length) => {
    const bytes = jpegWithPosition(38.7139, -9.1394, random);
    for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
    const place = await readGpsPosition(bytes.subarray(0, length), 'image/jpeg');
    expect(place === null || Math.abs(place.lat) <= 90).toBe(true);
  },
);

test('a directory of 65,535 entries of 20 MB each takes less than 5 seconds', async () => {
  const count = 65_535;
  const bytes = Buffer.alloc(20 * 1024 * 1024);
  bytes.write('II*\0', 0, 'latin1');
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(1, 8);
  for (const [at, tag, type, size, value] of [[10, 0x8825, 4, 1, 26]] as const) {
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(size, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  }
  bytes.writeUInt16LE(count, 26);
  for (let index = 0; index < count; index += 1) {
    const at = 28 + index * 12;
    bytes.writeUInt16LE(index % 31, at);
    bytes.writeUInt16LE(1, at + 2);
    bytes.writeUInt32LE(bytes.length - 40, at + 4);
    bytes.writeUInt32LE(8, at + 8);
  }
  const started = performance.now();
  expect(await readGpsPosition(bytes, 'image/tiff')).toBeNull();
  expect(performance.now() - started).toBeLessThan(5000);
});
