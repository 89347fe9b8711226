// Where a picture says it was taken: the GPS position of its EXIF block, and the city near it.
import { Buffer } from 'node:buffer';
import { nearestCity } from './cities.ts';

const PICTURES = new Set([
  'image/jpeg',
  'image/tiff',
  'image/png',
  'image/webp',
  'image/heic',
  'image/heif',
  'image/avif',
]);

/** A real picture needs some hundreds of reads; a made one could ask for billions. */
const MOST_READS = 100_000;

/**
 * Position in degrees, south and west negative, or null: no picture (by its detected type), no position, one outside
 * the globe, or the null island that cameras without a fix write. Never throws; bounded time on hostile files.
 */
export async function readGpsPosition(
  content: Uint8Array,
  type: string | null,
): Promise<{ lat: number; lon: number } | null> {
  if (type === null || !PICTURES.has(type) || !namesExif(content, type)) return null;
  const { default: reader } = await import('exifreader');
  try {
    const tags = reader.loadView(meteredView(content), { expanded: true, includeTags: { gps: true } });
    const lat = tags.gps?.Latitude;
    const lon = tags.gps?.Longitude;
    if (lat === undefined || lon === undefined || (lat === 0 && lon === 0)) return null;
    return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
  } catch {
    return null;
  }
}

/** The label of the nearest city within 50 km of where a picture was taken, or null (issue: origin_city). */
export async function cityOfPhoto(content: Uint8Array, type: string | null): Promise<string | null> {
  const place = await readGpsPosition(content, type);
  return place === null ? null : nearestCity(place.lat, place.lon);
}

/** Spares most archives the load of the reader: every EXIF block but that of a TIFF is announced by this word. */
function namesExif(content: Uint8Array, type: string): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return type === 'image/tiff' || ['Exif', 'EXIF', 'eXIf'].some((word) => bytes.includes(word));
}

function meteredView(content: Uint8Array): DataView {
  // A view of a part of a buffer would be copied by the reader into a view without the meter.
  const whole = content.byteLength === content.buffer.byteLength ? content : Uint8Array.from(content);
  return new MeteredView(whole.buffer);
}

class MeteredView extends DataView<ArrayBufferLike> {
  #reads = 0;

  #spend(): void {
    this.#reads += 1;
    if (this.#reads > MOST_READS) throw new RangeError('too many reads for a picture');
  }
  override getUint8(at: number): number {
    this.#spend();
    return super.getUint8(at);
  }
  override getUint16(at: number, little?: boolean): number {
    this.#spend();
    return super.getUint16(at, little);
  }
  override getUint32(at: number, little?: boolean): number {
    this.#spend();
    return super.getUint32(at, little);
  }
}
