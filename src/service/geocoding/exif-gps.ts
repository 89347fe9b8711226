// Reads the GPS position in the EXIF data of a photo, and finds the city near it.
import { Buffer } from 'node:buffer';
import { nearestCity } from './cities.ts';

/** Content types that can have EXIF data. */
const PHOTO_TYPES = new Set([
  'image/jpeg',
  'image/tiff',
  'image/png',
  'image/webp',
  'image/heic',
  'image/heif',
  'image/avif',
]);

/** A real photo needs some hundreds of reads. A hostile file could cause billions. */
const MAX_READS = 100_000;

/**
 * Returns the position in degrees, south and west negative. Returns null for a file of another type, for a photo without
 * a position, and for an invalid one; 0,0 counts as invalid, because cameras without GPS signal write it. `type` is the
 * detected content type. Takes bounded time on hostile files. Never throws.
 */
export async function readGpsPosition(
  content: Uint8Array,
  type: string | null,
): Promise<{ lat: number; lon: number } | null> {
  if (type === null || !PHOTO_TYPES.has(type) || !mayHaveExif(content, type)) return null;
  const { default: reader } = await import('exifreader');
  try {
    const tags = reader.loadView(countingView(content), { expanded: true, includeTags: { gps: true } });
    const lat = tags.gps?.Latitude;
    const lon = tags.gps?.Longitude;
    if (lat === undefined || lon === undefined || (lat === 0 && lon === 0)) return null;
    return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
  } catch {
    return null;
  }
}

/** Returns the label of the nearest city within 50 km of where a photo was taken, or null (interface 2.1). */
export async function cityOfPhoto(content: Uint8Array, type: string | null): Promise<string | null> {
  const place = await readGpsPosition(content, type);
  return place === null ? null : nearestCity(place.lat, place.lon);
}

/** Avoids loading the EXIF reader for most archives. Except in TIFF, EXIF data is preceded by one of these words. */
function mayHaveExif(content: Uint8Array, type: string): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return type === 'image/tiff' || ['Exif', 'EXIF', 'eXIf'].some((word) => bytes.includes(word));
}

/** A view of the content that throws a RangeError after {@link MAX_READS} reads. */
function countingView(content: Uint8Array): DataView {
  // The reader copies a view of a part of a buffer into a plain DataView, which does not count.
  const whole = content.byteLength === content.buffer.byteLength ? content : Uint8Array.from(content);
  return new CountingView(whole.buffer);
}

class CountingView extends DataView<ArrayBufferLike> {
  #reads = 0;

  #countRead(): void {
    this.#reads += 1;
    if (this.#reads > MAX_READS) throw new RangeError('too many reads for a photo');
  }
  override getUint8(at: number): number {
    this.#countRead();
    return super.getUint8(at);
  }
  override getUint16(at: number, little?: boolean): number {
    this.#countRead();
    return super.getUint16(at, little);
  }
  override getUint32(at: number, little?: boolean): number {
    this.#countRead();
    return super.getUint32(at, little);
  }
}
