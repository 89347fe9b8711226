// Generates the sample archive: mails between fictional observatories. The same seed gives the same bytes.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { cityOfPhoto } from '../geocoding/exif-gps.ts';
import { parseMail } from '../mail/mail-record.ts';
import type { ImportItem, ImportedMessage } from '../records/import-items.ts';
import { type Random, csvTimings, jpegWithPosition, pdfPage, pngStarChart } from './files.ts';
import { type SampleFile, type SampleMail, formatMail } from './mail.ts';
import { ANSWERS, CLOSINGS, OPENINGS, REDACTION_REASONS, STATIONS, TOPICS } from './texts.ts';

/** The date of the first mail. */
const START_MS = Date.UTC(2019, 2, 1, 19, 0);
const HOUR_MS = 3_600_000;
/** Numbers of mails in the threads. The list is repeated. */
const THREAD_LENGTHS = [4, 1, 3, 6, 2, 3, 5, 1, 4, 3];
/** Mails that arrive late: index of the mail, and how many later mails arrive before it. */
const DELAYED_MAILS: ReadonlyArray<readonly [at: number, by: number]> = [
  [11, 4],
  [37, 9],
  [62, 2],
  [118, 15],
  [160, 5],
];

/**
 * Yields about 200 messages in 60 conversations with about 50 files, in order of arrival. The files are photos with GPS
 * positions, charts, PDF pages and tables from seven cities. Mail to the mailing list has the tier `external`, other mail
 * `internal`. Special cases: redacted files, an inline image that many mails share, mails that arrive late, a mail that
 * answers a missing one, a file with a wrong declared type, and a file with bytes after its end.
 */
export async function* sampleItems(seed: number): AsyncGenerator<ImportItem> {
  const random = seededRandom(seed);
  const emblem = pngStarChart(16, 16, 12, random);
  for (const [position, mail] of sampleMails(random, emblem).entries()) yield await messageOf(mail, position);
}

type RedactableMail = SampleMail & { redaction: string | null };

function sampleMails(random: Random, emblem: Buffer): RedactableMail[] {
  const subjects = shuffled(
    OPENINGS.flatMap((opening) => TOPICS.map((topic) => ({ opening, topic }))),
    random,
  );
  const mails: RedactableMail[] = [];
  for (const [thread, { opening, topic }] of subjects.entries()) {
    const length = THREAD_LENGTHS[thread % THREAD_LENGTHS.length] ?? 1;
    const first = STATIONS[thread % STATIONS.length] ?? STATIONS[0];
    const isPersonal = thread % 9 === 4;
    const references = thread === 23 ? ['lost.letter@meridian.example'] : [];
    let date_ms = START_MS + thread * 31 * HOUR_MS + Math.floor(random() * 6 * 60) * 60_000;
    for (let at = 0; at < length; at += 1) {
      const sender = STATIONS[(thread + at * 3) % STATIONS.length] ?? STATIONS[0];
      const id = `${thread + 1}.${at + 1}@meridian.example`;
      const number = mails.length;
      const body = at === 0 ? opening.open(topic, sender.city) : pick(ANSWERS, random);
      mails.push({
        sender,
        to: isPersonal ? (STATIONS[(thread + (at === 0 ? 3 : 0)) % STATIONS.length] ?? first) : null,
        id,
        references: [...references],
        date_ms,
        subject: at === 0 ? opening.title(topic) : `Re: ${opening.title(topic)}`,
        text: `${body}\n\n${pick(CLOSINGS, random)}\n${sender.person}\n`,
        files: number % 5 === 0 ? [fileOf(number, sender, random)] : [],
        inlineImage: number % 16 === 3 ? emblem : null,
        automatic: thread === 41,
        redaction: number % 35 === 15 ? pick(REDACTION_REASONS, random) : null,
      });
      references.push(id);
      date_ms += Math.floor(1 + random() * 28 * 60) * 60_000;
    }
  }
  return withDelays(mails.sort((a, b) => a.date_ms - b.date_ms));
}

/** The file of every fifth mail, of five kinds in turn. Number 30 has bytes after its end, 65 a wrong declared type. */
function fileOf(number: number, { city, lat, lon }: SampleMail['sender'], random: Random): SampleFile {
  const name = `${city}-${String(number).padStart(3, '0')}`;
  switch ((number / 5) % 5) {
    case 0: {
      const content = jpegWithPosition(lat + random() * 0.01, lon + random() * 0.01, random);
      return { filename: `${name}.jpg`, type: 'image/jpeg', content };
    }
    case 1: {
      const content = pngStarChart(48, 32, 60, random);
      const trailing = number === 30 ? Buffer.from('look again at the third star\n') : Buffer.alloc(0);
      return {
        filename: `${name}-chart.png`,
        type: 'image/png',
        content: Buffer.concat([content, trailing]),
      };
    }
    case 2:
      return { filename: `${name}-times.csv`, type: 'text/csv', content: csvTimings(24, random) };
    case 3: {
      const content = pdfPage([`Observing page, ${city}`, '', pick(ANSWERS, random).slice(0, 80)]);
      return { filename: `${name}-page.pdf`, type: number === 65 ? 'image/png' : 'application/pdf', content };
    }
    default: {
      const content = Buffer.from(`Night log of ${city}\n\n20:00 dome open\n${pick(ANSWERS, random)}\n`);
      return { filename: `${name}-log.txt`, type: 'text/plain', content };
    }
  }
}

/** Moves each mail of {@link DELAYED_MAILS} behind the mails that arrive before it. */
function withDelays(mails: RedactableMail[]): RedactableMail[] {
  for (const [at, by] of DELAYED_MAILS) mails.splice(at + by, 0, ...mails.splice(at, 1));
  return mails;
}

async function messageOf(mail: RedactableMail, position: number): Promise<ImportedMessage> {
  const raw = formatMail(mail);
  const sha256 = createHash('sha256').update(raw).digest('hex');
  // The archive publishes its mailing list, and no personal mail.
  const tier = mail.to === null ? 'external' : 'internal';
  const message = await parseMail({ kind: 'raw', path: 'sample', position, raw, sha256 }, tier);
  for (const attachment of message.attachments) {
    if (attachment.inline) continue;
    const { content, detected_type } = attachment;
    const photoCity = content === null ? null : await cityOfPhoto(content, detected_type);
    attachment.origin_city = photoCity ?? mail.sender.city;
    attachment.redaction = mail.redaction;
  }
  return message;
}

function pick<T>(list: readonly [T, ...T[]], random: Random): T {
  return list[Math.floor(random() * list.length)] ?? list[0];
}

function shuffled<T>(list: T[], random: Random): T[] {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
}

/** A linear congruential generator (modulus 2^32): the same numbers on every platform. */
function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 0x1000000;
  };
}
