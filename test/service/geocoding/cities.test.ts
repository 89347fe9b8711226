// Cities near a position, cities of time zones, labels; positions of hostile pictures.
import { Buffer } from 'node:buffer';
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { cityLabel, nearestCity, cityOfTimeZone } from '../../../src/service/geocoding/cities.ts';
import { cityOfPhoto, readGpsPosition } from '../../../src/service/geocoding/exif-gps.ts';
import { jpegWithPosition, pngStarChart } from '../../../src/service/sample/files.ts';

describe('cityNear', () => {
  test.each<[number, number, string | null]>([
    [38.7139, -9.1394, 'lisbon'],
    [35.0116, 135.7681, 'kyoto'],
    [-33.0458, -71.6197, 'valparaiso'],
    [-1.2864, 36.8172, 'nairobi'],
    [41.853, 12.4888, 'rome'],
    [0, -30, null],
    [43.6874, -85.4835, null],
    [91, 0, null],
    [0, 181, null],
    [NaN, 0, null],
    [89.99, 17, null],
  ])('%d, %d is near %s', async (lat, lon, city) => {
    expect(await nearestCity(lat, lon)).toBe(city);
  });

  test('across the date line and at a pole as anywhere', async () => {
    // Taveuni's neighbour and the South Pole station lie at the edges of the grid.
    const { cityMapping } = await import('city-timezones');
    const edge = cityMapping.filter(({ lat, lng }) => Math.abs(lng) > 179.5 || Math.abs(lat) > 89);
    expect(edge.length).toBeGreaterThan(0);
    for (const { lat, lng, city_ascii } of edge) {
      const west = lng > 0 ? lng - 360 + 0.01 : lng - 0.01;
      const shifted = west < -180 ? west + 360 : west;
      expect(await nearestCity(lat, shifted)).toBe(cityLabel(city_ascii));
    }
  });

  test('the grid gives what the whole list gives, and fast', async () => {
    const { cityMapping } = await import('city-timezones');
    const radians = (degrees: number) => (degrees * Math.PI) / 180;
    let state = 1;
    const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let round = 0; round < 150; round += 1) {
      const [lat, lon] = [next() * 180 - 90, next() * 360 - 180];
      let [best, label]: [number, string | null] = [50, null];
      for (const city of cityMapping) {
        const h =
          Math.sin(radians(city.lat - lat) / 2) ** 2 +
          Math.cos(radians(lat)) * Math.cos(radians(city.lat)) * Math.sin(radians(city.lng - lon) / 2) ** 2;
        const km = 2 * 6371 * Math.asin(Math.sqrt(h));
        if (km <= best) [best, label] = [km, cityLabel(city.city_ascii)];
      }
      expect(await nearestCity(lat, lon)).toBe(label);
    }
    const started = performance.now();
    for (let round = 0; round < 10_000; round += 1) await nearestCity(next() * 180 - 90, next() * 360 - 180);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

test.each([
  ['São Luís', 'sao_luis'],
  ['Isle_of_Man', 'isle_of_man'],
  ['Washington, D.C.', 'washington_dc'],
  ["L'Aquila", 'laquila'],
  ['Øresund–Łódź', 'oresund_lodz'],
  ['---', ''],
])('the label of %s is %s', (name, label) => {
  expect(cityLabel(name)).toBe(label);
});

test.each<[string | null, string | null]>([
  ['Europe/Lisbon', 'lisbon'],
  ['America/Argentina/Buenos_Aires', 'buenos_aires'],
  ['America/Indiana/Indianapolis', 'indianapolis'],
  ['Asia/Calcutta', 'kolkata'],
  ['Asia/Katmandu', 'kathmandu'],
  ['Europe/Isle_of_Man', 'isle_of_man'],
  ['US/Pacific', null],
  ['Etc/GMT+3', null],
  ['UTC', null],
  ['', null],
  [`Europe/${'x'.repeat(100)}`, null],
  [null, null],
])('the zone %s is named for %s', (zone, city) => {
  expect(cityOfTimeZone(zone)).toBe(city);
});

describe('gpsOf', () => {
  const dice = () => 0.5;

  property.prop([
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.double({ min: -180, max: 180, noNaN: true }),
  ])('a written position is read again', async (lat, lon) => {
    fc.pre(Math.abs(lat) > 0.001 || Math.abs(lon) > 0.001);
    const place = await readGpsPosition(jpegWithPosition(lat, lon, dice), 'image/jpeg');
    expect(place?.lat).toBeCloseTo(lat, 4);
    expect(place?.lon).toBeCloseTo(lon, 4);
  });

  test('no picture, no position, the null island', async () => {
    expect(await readGpsPosition(jpegWithPosition(38.7, -9.1, dice), 'text/plain')).toBeNull();
    expect(await readGpsPosition(jpegWithPosition(38.7, -9.1, dice), null)).toBeNull();
    expect(await readGpsPosition(pngStarChart(4, 4, 1, dice), 'image/png')).toBeNull();
    expect(await readGpsPosition(jpegWithPosition(0, 0, dice), 'image/jpeg')).toBeNull();
    expect(await cityOfPhoto(jpegWithPosition(38.7139, -9.1394, dice), 'image/jpeg')).toBe('lisbon');
  });

  test('a part of a larger buffer is read where it lies', async () => {
    const whole = Buffer.concat([
      Buffer.from('before'),
      jpegWithPosition(38.7139, -9.1394, dice),
      Buffer.from('after'),
    ]);
    expect(await readGpsPosition(whole.subarray(6), 'image/jpeg')).not.toBeNull();
  });

  property.prop([fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 12 }), fc.nat(400)])(
    'damaged pictures give a position or null',
    async (changes, length) => {
      const bytes = jpegWithPosition(38.7139, -9.1394, dice);
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      const place = await readGpsPosition(bytes.subarray(0, length), 'image/jpeg');
      expect(place === null || Math.abs(place.lat) <= 90).toBe(true);
    },
  );

  test('a directory of 65,535 entries over 20 MB each does not hold the import', async () => {
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
});
