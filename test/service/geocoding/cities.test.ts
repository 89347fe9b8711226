// City labels: of the city near a position, of a name, of a time zone.
import { describe, expect, test } from 'vitest';
import { cityLabel, cityOfTimeZone, nearestCity } from '../../../src/service/geocoding/cities.ts';

describe('nearestCity', () => {
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

  test('finds cities across the date line and near a pole', async () => {
    // These cities lie at the edges of the grid.
    const { cityMapping } = await import('city-timezones');
    const edge = cityMapping.filter(({ lat, lng }) => Math.abs(lng) > 179.5 || Math.abs(lat) > 89);
    expect(edge.length).toBeGreaterThan(0);
    for (const { lat, lng, city_ascii } of edge) {
      const west = lng > 0 ? lng - 360 + 0.01 : lng - 0.01;
      const shifted = west < -180 ? west + 360 : west;
      expect(await nearestCity(lat, shifted)).toBe(cityLabel(city_ascii));
    }
  });

  test('gives the same city as a search of the whole list, in less time', async () => {
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
    for (let round = 0; round < 10_000; round += 1) await nearestCity(next() * 180 - 90, next() * 360 - 180);
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
])('the time zone %s has the city %s', (zone, city) => {
  expect(cityOfTimeZone(zone)).toBe(city);
});
