// City labels (interface 2.1, `origin_city`): of the city near a position, of a time zone, of a name.
import { ownValue } from '../../contract/own-value.ts';

/** A photo taken farther away gets no city. */
const MAX_DISTANCE_KM = 50;
/** Kilometres of one degree of latitude. */
const KM_PER_DEGREE = 111.195;
/** The mean radius of the earth. */
const EARTH_RADIUS_KM = 6371;

type City = { lat: number; lon: number; label: string };

/** Cities by the cell of one degree that they lie in, so that a lookup reads a few cells instead of all cities. */
let grid: Promise<Map<number, City[]>> | undefined;

/**
 * Returns the label of the nearest of some 7,300 cities within 50 km of a position in degrees; null when there is none.
 * Loads the list of cities on the first call.
 */
export async function nearestCity(lat: number, lon: number): Promise<string | null> {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return null;
  grid ??= loadGrid();
  const cells = await grid;
  // A degree of longitude is shorter near a pole. At the pole every cell of a row is near.
  const lengthFactor = Math.cos(radians(Math.min(Math.abs(lat) + 0.5, 89.9)));
  const columns = Math.min(180, Math.ceil(MAX_DISTANCE_KM / (KM_PER_DEGREE * lengthFactor)));
  let nearest: string | null = null;
  let nearestKm = MAX_DISTANCE_KM;
  for (let row = -1; row <= 1; row += 1) {
    for (let column = -columns; column <= columns; column += 1) {
      for (const city of cells.get(cellOf(lat + row, lon + column)) ?? []) {
        const km = distance(lat, lon, city);
        if (km <= nearestKm) [nearestKm, nearest] = [km, city.label];
      }
    }
  }
  return nearest;
}

async function loadGrid(): Promise<Map<number, City[]>> {
  const { default: gazetteer } = await import('city-timezones');
  const cells = new Map<number, City[]>();
  for (const { lat, lng, city_ascii } of gazetteer.cityMapping) {
    const cell = cellOf(lat, lng);
    const cities = cells.get(cell) ?? [];
    cities.push({ lat, lon: lng, label: cityLabel(city_ascii) });
    cells.set(cell, cities);
  }
  return cells;
}

function cellOf(lat: number, lon: number): number {
  return Math.floor(lat) * 360 + ((((Math.floor(lon) + 180) % 360) + 360) % 360);
}

/** The great-circle distance in kilometres (haversine formula). */
function distance(lat: number, lon: number, city: City): number {
  const across = Math.sin(radians(city.lat - lat) / 2) ** 2;
  const along = Math.sin(radians(city.lon - lon) / 2) ** 2;
  const part = across + Math.cos(radians(lat)) * Math.cos(radians(city.lat)) * along;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, part)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Returns a name in lower case, without accents, words joined by `_`: `São Luís` becomes `sao_luis`. May be empty. */
export function cityLabel(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^ -~]/g, (letter) => ASCII_LETTERS[letter] ?? letter)
    .replace(/['\u2019.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replaceAll(' ', '_');
}
/** Letters that Unicode does not decompose into an ASCII letter and an accent. */
const ASCII_LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  œ: 'oe',
  đ: 'd',
  ł: 'l',
  þ: 'th',
  ð: 'd',
  ı: 'i',
};

/** Labels of time zones whose name has a former spelling of the city. */
const RENAMED_CITIES: Record<string, string> = {
  calcutta: 'kolkata',
  katmandu: 'kathmandu',
  kiev: 'kyiv',
  saigon: 'ho_chi_minh_city',
  ho_chi_minh: 'ho_chi_minh_city',
  rangoon: 'yangon',
  dacca: 'dhaka',
  godthab: 'nuuk',
  ujung_pandang: 'makassar',
};

const AREAS = /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//;

/**
 * Returns the label of the city in the name of an IANA time zone (`Europe/Lisbon` → `lisbon`); null for a zone without
 * one (`UTC`, `Etc/GMT+3`, `US/Pacific`). The label only tells how a clock was set: a zone has many other cities.
 */
export function cityOfTimeZone(zone: string | null | undefined): string | null {
  if (zone === null || zone === undefined || !AREAS.test(zone) || zone.length > 64) return null;
  const label = cityLabel(zone.slice(zone.lastIndexOf('/') + 1));
  return label === '' ? null : (ownValue(RENAMED_CITIES, label) ?? label);
}
