// Generates a mailing list in the distributions of a real one: words, lengths, quoted lines, senders, subjects, threads and times.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { randomFrom, type Random } from '../support/random.ts';

/** What is read of a real list. A draw from one of its lists has the distribution of that list. */
type Model = {
  senders: string[];
  subjects: string[];
  /** The fields of a header that say nothing about its message: how it came, and signatures of servers. */
  headers: string[];
  /** The lines of a message, without those of files. */
  bodies: string[][];
  /** Words that occur once. In a longer list as many are new. */
  once: Set<string>;
  /** For each message, how many messages before it the answered one stands; 0 where it begins a thread. */
  answers: number[];
};

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2000, 0, 1);
/** So many messages are written at a time. */
const MESSAGES = 1_000;

/** Writes an mbox of `count` messages, the same for the same seed. Returns its size in bytes. */
export function generateList(real: string, path: string, count: number, seed: string): number {
  const model = modelOf(readFileSync(real, 'latin1'));
  const random = randomFrom(seed);
  const threads: Thread[] = [];
  writeFileSync(path, '');
  let bytes = 0;
  for (let at = 0; at < count; at += MESSAGES) {
    const texts: string[] = [];
    for (let n = at; n < Math.min(count, at + MESSAGES); n += 1)
      texts.push(mailOf(model, n, threads, random));
    const text = texts.join('');
    bytes += text.length;
    appendFileSync(path, text, 'latin1');
  }
  return bytes;
}

/** Half of the lines of a message are those of a real message, the same for all of its thread. */
type Thread = { subject: string; topic: readonly string[] };

/** Fields that are made for each message, and those of its parts. */
const OWN_FIELDS =
  /^(?:message-id|in-reply-to|references|from|sender|subject|date|mime-version|content-[a-z-]+|list-id|precedence):/i;

function modelOf(text: string): Model {
  const model: Model = { senders: [], subjects: [], headers: [], bodies: [], once: new Set(), answers: [] };
  const numbers = new Map<string, number>();
  const more = new Set<string>();
  for (const mail of text.split(/^From (?=\S+ .*\d{4}$)/m).slice(1)) {
    const end = mail.indexOf('\n\n');
    const fields = mail.slice(mail.indexOf('\n') + 1, end).split(/\n(?![ \t])/);
    const field = (name: string): string => {
      const found = fields.find((line) => line.toLowerCase().startsWith(`${name}:`)) ?? '';
      return found
        .slice(name.length + 1)
        .replaceAll(/\s+/g, ' ')
        .trim();
    };
    model.senders.push(field('from'));
    model.subjects.push(field('subject').replace(/^re: */i, ''));
    model.headers.push(fields.filter((line) => !OWN_FIELDS.test(line)).join('\n'));
    const answered = numbers.get(field('in-reply-to'));
    model.answers.push(answered === undefined ? 0 : numbers.size - answered);
    numbers.set(field('message-id') || String(numbers.size), numbers.size);
    // A long line without a blank is one of a file in base64.
    const lines = mail
      .slice(end + 2)
      .split('\n')
      .filter((line) => line.length < 60 || line.includes(' '));
    model.bodies.push(lines);
    for (const word of lines.flatMap((line) => line.match(/[a-z0-9]+/gi) ?? [])) {
      if (more.has(word)) continue;
      if (model.once.delete(word)) more.add(word);
      else model.once.add(word);
    }
  }
  return model;
}

function mailOf(model: Model, n: number, threads: Thread[], random: Random): string {
  const drawn = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const back = drawn(model.answers);
  const answered = back > 0 && back <= n ? n - back : undefined;
  const thread = threads[answered ?? -1] ?? { subject: drawn(model.subjects), topic: drawn(model.bodies) };
  threads.push(thread);
  const body = drawn(model.bodies).map(() =>
    drawn(random() < 0.5 ? thread.topic : drawn(model.bodies)).replaceAll(/[a-z0-9]+/gi, (word) =>
      model.once.has(word) ? Math.floor(random() * 36 ** word.length).toString(36) : word,
    ),
  );
  return [
    'From list@example.org Sat Jan  1 00:00:00 2000',
    drawn(model.headers),
    `Message-ID: <${n}@example.org>`,
    ...(answered === undefined ? [] : [`In-Reply-To: <${answered}@example.org>`]),
    `From: ${drawn(model.senders)}`,
    `Subject: ${answered === undefined ? '' : 'Re: '}${thread.subject}`,
    // Eighty messages a day.
    `Date: ${new Date(FIRST_DAY + (n * DAY_MS) / 80).toUTCString()}`,
    'List-Id: <list.example.org>',
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...body.map((line) => line.replace(/^From /, '>From ')),
    '',
    '',
  ].join('\n');
}
