// Types and positions of real files against what libmagic and exiftool said of them (../shared/data).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cityOfPhoto, readGpsPosition } from '../../src/service/geocoding/exif-gps.ts';
import { detectContentType } from '../../src/service/file-type/content-type.ts';
import { countTrailingBytes } from '../../src/service/file-type/trailing-bytes.ts';
import { expectedRows, hasRealData, realData, unpackTar } from '../support/real-data.ts';
import { tempFolder } from '../support/temp-folder.ts';

const HERE = hasRealData('files.tar.xz');

/** Expected → detected, with how many files and why ours is kept. Unknown to both is agreement. */
const DIFFERENT: Record<string, readonly [files: number, why: string]> = {
  'application/octet-stream → application/zip': [1, 'an OOXML theme: it is a zip'],
  'application/vnd.ms-office → application/x-ole-storage': [
    2,
    'Quattro Pro in OLE2: another name for the same',
  ],
  'application/vnd.ms-powerpoint → application/x-ole-storage': [1, 'PowerPoint 4 names no stream of its own'],
  'application/vnd.oasis.opendocument.database → application/vnd.oasis.opendocument.base': [
    1,
    'the name the file itself declares, registered with ODF 1.3',
  ],
  'application/x-apple-diskimage → null': [1, 'a bare disk has no signature of its own'],
  'application/x-compress-ttcomp → null': [4, 'two bytes of magic; the files are DCA and DisplayWrite texts'],
  'application/x-wine-extension-ini → text/plain': [5, 'Ami Pro text that starts like an ini file'],
  'text/plain → null': [1, 'ff 7f 00 00 is no text'],
  'text/xml → application/xhtml+xml': [1, 'the more exact name'],
};

describe.skipIf(!HERE)('files.tar.xz', () => {
  let dir: string;
  beforeAll(() => {
    dir = tempFolder('corpus');
    unpackTar('files', dir);
  });

  const rowsOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
  const bytesOf = (path: string) => readFileSync(join(dir, 'files', path));

  test('types agree with libmagic except for the rows named above', () => {
    const rows = expectedRows('files');
    const different: Record<string, number> = {};
    for (const [, , type = '', path = ''] of rows) {
      const found = detectContentType(bytesOf(path));
      if (found === type || (found === null && type === 'application/octet-stream')) continue;
      different[`${type} → ${found}`] = (different[`${type} → ${found}`] ?? 0) + 1;
    }
    expect(rows).toHaveLength(397);
    expect(different).toEqual(
      Object.fromEntries(Object.entries(DIFFERENT).map(([key, [files]]) => [key, files])),
    );
  });

  test('bytes after the end are found in the five files that have them, and in no other', () => {
    const rows = expectedRows('files');
    const trailing = rows.flatMap(([, , , path = '']) => {
      const content = bytesOf(path);
      const bytes = countTrailingBytes(content, detectContentType(content));
      return bytes === 0 ? [] : [`${path.split('/').at(-1)} ${bytes}`];
    });
    expect(trailing.sort()).toEqual([
      'Nikon E5000.jpg 52168',
      'Pentax Optio S4.jpg 21819',
      'Pentax Optio S4i.jpg 63399',
      'T04_005_EOF-followed-by-junk-data.pdf 9',
      'T04_007_premature-EOF-only.pdf 353',
    ]);
  });

  /** Where the oracle has a position and we have none. */
  const WITHOUT: Record<string, string> = {
    'FLIR iPhone device.jpg': 'names no hemisphere, and none is guessed',
    'digikam-example.xmp': 'not a picture',
    'exiftool-9.74-example.xmp': 'not a picture',
    'with-gps.mov': 'not a picture',
    'with-gps.mp4': 'not a picture',
  };
  /** The oracle knows one city a time zone, we know 7,300: within 50 km ours is nearer or the same. */
  const CITIES: Record<string, string | null> = {
    'Apple iPhone 4.jpg': 'rome',
    'FujiFilm FinePixS1Pro (1).jpg': 'newcastle',
    'FujiFilm FinePixS1Pro (2).jpg': 'cardiff',
    'FujiFilm FinePixS1Pro (3).jpg': 'newcastle',
    'FujiFilm FinePixS1Pro (4).jpg': 'newcastle',
    'FujiFilm FinePixS1Pro (5).jpg': 'bournemouth',
    'FujiFilm FinePixS2Pro.jpg': 'paris',
    'HTC Desire.jpg': 'milan',
    'HTC Desire.webp': 'milan',
    'Issue 173 (dotnet).jpg': null,
    'Issue 473 (Java).webp': 'san_jose',
    'Issue 508.jpg': 'zadar',
    'Sony DSC-HX5V (2).jpg': 'bielefeld',
  };

  test('positions and cities of photos agree with exiftool', async () => {
    const [, ...rows] = rowsOf(readFileSync(realData('expected/files.gps.tsv'), 'utf8'));
    expect(rows).toHaveLength(18);
    for (const [path = '', lat, lon] of rows) {
      const name = path.split('/').at(-1) ?? '';
      const content = bytesOf(path);
      const type = detectContentType(content);
      const place = await readGpsPosition(content, type);
      if (name in WITHOUT) {
        expect(place, name).toBeNull();
        continue;
      }
      expect(place?.lat, name).toBeCloseTo(Number(lat), 3);
      expect(place?.lon, name).toBeCloseTo(Number(lon), 3);
      expect(await cityOfPhoto(content, type), name).toBe(CITIES[name]);
    }
  });
});
