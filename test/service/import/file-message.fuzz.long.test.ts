// Fuzzing of files in folders: what a file is, what it hides and where a photo was taken are told by any bytes, within bounds.
import { test } from 'vitest';
import { readGpsPosition } from '../../../src/service/geocoding/exif-gps.ts';
import { jpegWithPosition } from '../../../src/service/sample/files.ts';
import { detectContentType } from '../../../src/service/file-type/content-type.ts';
import { countTrailingBytes } from '../../../src/service/file-type/trailing-bytes.ts';
import { chatHint, systemOf } from '../../../src/service/import/chat-export.ts';
import { isMail, isMailbox } from '../../../src/service/import/mail-detection.ts';
import { mayBeTar } from '../../../src/service/import/tar.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';
import { textsOf } from '../../support/fuzz-inputs.ts';
import { MAIL_TOKENS, MAILS, MBOXES } from '../../support/mail-inputs.ts';
import { rawTar } from '../../support/tar.ts';
import { zipOf } from '../../support/zip.ts';

const text = (bytes: Buffer): string => bytes.toString('latin1');

const PHOTO = text(Buffer.from(jpegWithPosition(38.7139, -9.1394, () => 0.5)));
const EXIF = PHOTO.slice(PHOTO.indexOf('Exif') + 6, -2);
const PNG_END = '\0\0\0\0IEND\xaeB`\x82';
/** Files of many formats. Those that failed once belong here. */
const FILES: readonly string[] = [
  `${PHOTO}hidden`,
  `\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xda\0\x02\xff\0\xff\xd9`,
  EXIF,
  `\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU${PNG_END}tail`,
  `\x89PNG\r\n\x1a\n\0\0\0\x08eXIf${EXIF}\0\0\0\0${PNG_END}`,
  'GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0!\xf9\x04\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;x',
  '%PDF-1.4\n1 0 obj\nendobj\ntrailer\n%%EOF\nmore',
  text(
    zipOf([
      ['word/document.xml', '<w/>'],
      ['[Content_Types].xml', ''],
    ]),
  ),
  text(
    zipOf([
      ['mimetype', 'application/epub+zip'],
      ['channels.json', '[]'],
    ]),
  ),
  text(zipOf([['mimetype', '../K,(']], { store: true })),
  text(rawTar([{ name: 'a', content: 'b' }])).slice(0, 700),
  'RIFF\x10\0\0\0WEBPVP8 \x04\0\0\0abcd',
  'OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x1e\x01vorbis',
  '\0\0\0\x18ftypheic\0\0\0\0mif1heic',
  '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'.padEnd(600, 'W\0o\0r\0d\0'),
  '\x1aE\xdf\xa3\x01\0\0\0\0\0\0#B\x82\x84webm',
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
  '<!DOCTYPE html><title>Exported Data</title>',
  '{"type":"version","version":1}\n{"type":"team"}',
  '{"zerver_message":[{}]}',
  '{"guild":{"id":"1"},"channel":{},"messages":[]}',
  'ID,Timestamp,Contents,Attachments\r\n1,2,3,4',
  '#!/bin/sh\necho\n',
  ...MAILS.slice(0, 2),
  ...MBOXES.slice(0, 2),
];
const TOKENS = [
  '\xff\xd8',
  '\xff\xd9',
  '\xff\xda',
  '\xff\xe1',
  '\xff\xff',
  'Exif\0\0',
  'EXIF',
  'eXIf',
  'II*\0',
  'MM\0*',
  'IHDR',
  'IDAT',
  PNG_END,
  'GIF87a',
  ';',
  ',\0\0\0\0',
  '!\xfe',
  '%%EOF',
  '%PDF-',
  'startxref',
  'PK\x03\x04',
  'PK\x01\x02',
  'PK\x05\x06',
  'RIFF',
  'WEBP',
  'OggS',
  'ftyp',
  'mif1',
  'moov',
  '\x1aE\xdf\xa3',
  '\x1f\x8b',
  'BM',
  'ustar',
  '<?xml',
  '<svg',
  '<html',
  'From ',
  '\0\0\0\0',
  '\xff\xff\xff\xff',
  '\x7f\xff\xff\xff',
  '\x80\0\0\0',
  '"messages":[',
  '"type":"',
  ...MAIL_TOKENS.slice(0, 12),
];
const texts = textsOf({ corpus: FILES, tokens: TOKENS, maxBytes: 700 });
/** The photos stand first. */
const photos = textsOf({ corpus: FILES.slice(0, 5), tokens: TOKENS, maxBytes: 700 });

test('any bytes are a file of some kind', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: texts,
    check(file) {
      const bytes = Buffer.from(file, 'latin1');
      const type = detectContentType(bytes);
      if (type !== null && !/^[a-z]+\/[\w.+-]+$/.test(type)) throw new Error(`type ${JSON.stringify(type)}`);
      const trailing = countTrailingBytes(bytes, type);
      if (!Number.isInteger(trailing) || trailing < 0 || trailing > bytes.length)
        throw new Error(`${trailing} bytes of ${bytes.length}`);
      const head = { text: file, isWhole: true };
      isMail(head);
      isMailbox(head);
      mayBeTar(file);
      const system = systemOf(file);
      if (system !== undefined) chatHint(system, 'whole');
    },
  }),
);

test('any photo has a place on earth or none', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: (draw) => Buffer.from(draw.below(4) === 0 ? texts(draw) : photos(draw), 'latin1'),
    async check(bytes) {
      const place = await readGpsPosition(bytes, detectContentType(bytes));
      if (place !== null && !(Math.abs(place.lat) <= 90 && Math.abs(place.lon) <= 180))
        throw new Error(JSON.stringify(place));
    },
    // The EXIF reader reads some thousand photos a second.
    inputs: 200_000,
  }),
);
