// City labels (interface 2.1, origin_city): the city near a position, the city of a time zone, a label as typed.

/** Beyond this a picture was taken somewhere else than in the city (issue: origin_city). */
const MOST_KM = 50;
/** Kilometres of one degree of latitude. */
const KM_OF_DEGREE = 111.195;
const KM_OF_RADIAN = 6371;

type City = { lat: number; lon: number; label: string };

/** Cities by the whole degree they lie in, so that a look-up reads some cells and not the list. */
let grid: Promise<Map<number, City[]>> | undefined;

/**
 * Label of the nearest of some 7,300 cities within 50 km of a position in degrees, or null.
 * The list is loaded at the first call.
 */
export async function nearestCity(lat: number, lon: number): Promise<string | null> {
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return null;
  grid ??= loadGrid();
  const cells = await grid;
  // Degrees of longitude shrink towards the poles; around one every cell of a row is near.
  const shrunk = Math.cos(radians(Math.min(Math.abs(lat) + 0.5, 89.9)));
  const columns = Math.min(180, Math.ceil(MOST_KM / (KM_OF_DEGREE * shrunk)));
  let nearest: string | null = null;
  let least = MOST_KM;
  for (let row = -1; row <= 1; row += 1) {
    for (let column = -columns; column <= columns; column += 1) {
      for (const city of cells.get(cellOf(lat + row, lon + column)) ?? []) {
        const km = distance(lat, lon, city);
        if (km <= least) [least, nearest] = [km, city.label];
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

/** Great-circle kilometres (haversine). */
function distance(lat: number, lon: number, city: City): number {
  const across = Math.sin(radians(city.lat - lat) / 2) ** 2;
  const along = Math.sin(radians(city.lon - lon) / 2) ** 2;
  const part = across + Math.cos(radians(lat)) * Math.cos(radians(city.lat)) * along;
  return 2 * KM_OF_RADIAN * Math.asin(Math.sqrt(Math.min(1, part)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Lower case, without accents, words joined by `_`: `São Luís` is `sao_luis`. Empty where no letter is left. */
export function cityLabel(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^ -~]/g, (letter) => FOLDED[letter] ?? letter)
    .replace(/['\u2019.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}
const FOLDED: Record<string, string> = {
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

/** Zones whose last word is a former spelling, or no city of its own. */
const RENAMED: Record<string, string> = {
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
 * The city an IANA time zone is named for (`Europe/Lisbon` → `lisbon`), or null for zones that name none (`UTC`,
 * `Etc/GMT+3`, `US/Pacific`). A zone is named for one of its cities: the label says where the clock was set, no more.
 */
export function cityOfTimeZone(zone: string | null | undefined): string | null {
  if (zone === null || zone === undefined || !AREAS.test(zone) || zone.length > 64) return null;
  const label = cityLabel(zone.slice(zone.lastIndexOf('/') + 1));
  return label === '' ? null : (RENAMED[label] ?? label);
}
