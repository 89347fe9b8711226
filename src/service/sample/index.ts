// The sample archive: letters of a fictional chain of observatories, the same bytes for the same seed.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { cityOfPhoto } from '../geocoding/exif-gps.ts';
import { parseMail } from '../mail/mail-record.ts';
import type { ImportItem, ImportedMessage } from '../records/import-items.ts';
import { type Dice, onePage, photo, starChart, timings } from './files.ts';
import { type Letter, type SampleFile, mailOf } from './mail.ts';
import { ANGLES, ANSWERS, CLOSINGS, REASONS, STATIONS, THINGS } from './texts.ts';

/** First evening of the sample. */
const START_MS = Date.UTC(2019, 2, 1, 19, 0);
const HOUR_MS = 3_600_000;
/** Letters of a thread, over and over. */
const LENGTHS = [4, 1, 3, 6, 2, 3, 5, 1, 4, 3];
/** Letters that come in later than they were written: which, and by how many others. */
const LATE: ReadonlyArray<readonly [at: number, by: number]> = [
  [11, 4],
  [37, 9],
  [62, 2],
  [118, 15],
  [160, 5],
];

/**
 * About 200 messages in 60 conversations with some 50 files, in order of arrival: photographs with GPS positions,
 * charts, pages and tables from seven cities; some withheld, one emblem that returns in many letters, some letters
 * late, one that answers a lost letter, one file whose type is wrong and one that carries bytes after its end.
 */
export async function* sampleItems(seed: number): AsyncGenerator<ImportItem> {
  const dice = diceOf(seed);
  const emblem = starChart(16, 16, 12, dice);
  for (const [position, letter] of lettersOf(dice, emblem).entries()) yield await itemOf(letter, position);
}

type Sent = Letter & { withheld: string | null };

function lettersOf(dice: Dice, emblem: Buffer): Sent[] {
  const subjects = shuffled(
    ANGLES.flatMap((angle) => THINGS.map((thing) => ({ angle, thing }))),
    dice,
  );
  const letters: Sent[] = [];
  for (const [thread, { angle, thing }] of subjects.entries()) {
    const length = LENGTHS[thread % LENGTHS.length] ?? 1;
    const first = STATIONS[thread % STATIONS.length] ?? STATIONS[0];
    const personal = thread % 9 === 4;
    const references = thread === 23 ? ['lost.letter@meridian.example'] : [];
    let date_ms = START_MS + thread * 31 * HOUR_MS + Math.floor(dice() * 6 * 60) * 60_000;
    for (let at = 0; at < length; at += 1) {
      const from = STATIONS[(thread + at * 3) % STATIONS.length] ?? STATIONS[0];
      const id = `${thread + 1}.${at + 1}@meridian.example`;
      const number = letters.length;
      const body = at === 0 ? angle.open(thing, from.city) : pick(ANSWERS, dice);
      letters.push({
        from,
        to: personal ? (STATIONS[(thread + (at === 0 ? 3 : 0)) % STATIONS.length] ?? first) : null,
        id,
        references: [...references],
        date_ms,
        subject: at === 0 ? angle.title(thing) : `Re: ${angle.title(thing)}`,
        text: `${body}\n\n${pick(CLOSINGS, dice)}\n${from.person}\n`,
        files: number % 5 === 0 ? [fileOf(number, from, dice)] : [],
        emblem: number % 16 === 3 ? emblem : null,
        automatic: thread === 41,
        withheld: number % 35 === 15 ? pick(REASONS, dice) : null,
      });
      references.push(id);
      date_ms += Math.floor(1 + dice() * 28 * 60) * 60_000;
    }
  }
  return delayed(letters.sort((a, b) => a.date_ms - b.date_ms));
}

/** Every fifth letter brings a file, of five kinds in turn; two of them are not what they seem. */
function fileOf(number: number, { city, lat, lon }: Letter['from'], dice: Dice): SampleFile {
  const name = `${city}-${String(number).padStart(3, '0')}`;
  switch ((number / 5) % 5) {
    case 0: {
      const content = photo(lat + dice() * 0.01, lon + dice() * 0.01, dice);
      return { filename: `${name}.jpg`, type: 'image/jpeg', content };
    }
    case 1: {
      const content = starChart(48, 32, 60, dice);
      const carrier = number === 30 ? Buffer.from('look again at the third star\n') : Buffer.alloc(0);
      return { filename: `${name}-chart.png`, type: 'image/png', content: Buffer.concat([content, carrier]) };
    }
    case 2:
      return { filename: `${name}-times.csv`, type: 'text/csv', content: timings(24, dice) };
    case 3: {
      const content = onePage([`Observing page, ${city}`, '', pick(ANSWERS, dice).slice(0, 80)]);
      return { filename: `${name}-page.pdf`, type: number === 65 ? 'image/png' : 'application/pdf', content };
    }
    default: {
      const content = Buffer.from(`Night log of ${city}\n\n20:00 dome open\n${pick(ANSWERS, dice)}\n`);
      return { filename: `${name}-log.txt`, type: 'text/plain', content };
    }
  }
}

/** Some letters take their time: each is put behind so many others. */
function delayed(letters: Sent[]): Sent[] {
  for (const [at, by] of LATE) letters.splice(at + by, 0, ...letters.splice(at, 1));
  return letters;
}

async function itemOf(letter: Sent, position: number): Promise<ImportedMessage> {
  const raw = mailOf(letter);
  const sha256 = createHash('sha256').update(raw).digest('hex');
  const message = await parseMail({ kind: 'raw', path: 'sample', position, raw, sha256 });
  for (const attachment of message.attachments) {
    if (attachment.inline) continue;
    const { content, detected_type } = attachment;
    const seen = content === null ? null : await cityOfPhoto(content, detected_type);
    attachment.origin_city = seen ?? letter.from.city;
    attachment.redaction = letter.withheld;
  }
  return message;
}

function pick<T>(from: readonly [T, ...T[]], dice: Dice): T {
  return from[Math.floor(dice() * from.length)] ?? from[0];
}

function shuffled<T>(list: T[], dice: Dice): T[] {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(dice() * (at + 1));
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
}

/** A linear congruential row (modulus 2^32) is random enough for letters, and the same everywhere. */
function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 0x1000000;
  };
}
