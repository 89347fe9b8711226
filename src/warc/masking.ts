// Masks secrets in bytes as they pass: each, and each part of one, is replaced by as many asterisks, so that lengths stay the same.
import { decodedEscapes, encodedForms, MAX_ESCAPE_BYTES } from './encoded-secrets.ts';

const ASTERISK = 0x2a;
/** A part of a secret is masked when it is at least this long, as in messages. */
const MIN_PART_BYTES = 8;
/** Every part of a secret has a block of this length at a multiple of it, wherever the part is. */
const BLOCK_BYTES = 4;
/** A secret that repeats itself has a block at very many places. Its parts are found at the first ones. */
const MAX_PLACES_OF_BLOCK = 8;

/** Bytes `from` to `to`, which is not included. */
type Range = { from: number; to: number };
/** Where a block of a secret is in it. */
type Place = { secret: Buffer; at: number };

/** Masks all secrets that it knows. */
export type SecretMasker = {
  /** Adds a secret, also as base64 and in hex. Escapes of JSON, URLs and HTML hide no secret. */
  add(secret: string): void;
  /** Returns the text with secrets masked. All characters must be below U+0100. */
  text(text: string): string;
  /** Returns a masker for the bytes of one body. */
  body(): BodyMasker;
};

/** Masks a body that arrives in chunks. */
export type BodyMasker = {
  /** Returns the masked bytes so far, in memory of its own. Keeps back what could be the beginning of a secret. */
  push(chunk: Uint8Array): Buffer;
  /** Returns the masked rest. */
  end(): Buffer;
  /** Returns whether anything was masked. */
  isMasked(): boolean;
};

/** Returns a masker that knows no secret yet. */
export function createSecretMasker(): SecretMasker {
  const forms = new Set<string>();
  /** Longest first, because one may be the beginning of another. */
  let secrets: Buffer[] = [];

  /** Secrets that are too short to have parts. */
  let words: Buffer[] = [];
  let blocks = new Map<number, Place[]>();

  /** Returns where secrets and parts of them are, in any order. Ranges may overlap. */
  function find(bytes: Buffer): Range[] {
    const found = findIn(bytes);
    const decoded = secrets.length === 0 ? undefined : decodedEscapes(bytes);
    if (decoded === undefined) return found;
    const { places } = decoded;
    const escaped = findIn(decoded.bytes).map(({ from, to }) => ({ from: places[from]!, to: places[to]! }));
    return [...found, ...escaped];
  }
  function findIn(bytes: Buffer): Range[] {
    const found: Range[] = [];
    for (const word of words)
      for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + word.length))
        found.push({ from: at, to: at + word.length });
    if (blocks.size === 0) return found;
    for (let at = 0; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) {
      const part = longestPart(bytes, at, blocks.get(bytes.readInt32LE(at)));
      if (part === undefined) continue;
      found.push(part);
      // The next part may begin within this one.
      at = Math.max(at, (Math.floor(part.to / BLOCK_BYTES) - 2) * BLOCK_BYTES);
    }
    return found;
  }
  return {
    add(secret) {
      if (secret === '') return;
      const quoted = JSON.stringify(secret).slice(1, -1);
      forms.add(secret).add(quoted);
      forms.add(quoted.replaceAll('/', String.raw`\/`)).add(encodeURIComponent(secret));
      for (const form of encodedForms(secret)) if (form.length >= MIN_PART_BYTES) forms.add(form);
      secrets = [...forms].map((form) => Buffer.from(form, 'latin1')).sort((a, b) => b.length - a.length);
      words = secrets.filter(({ length }) => length < MIN_PART_BYTES);
      blocks = blocksOf(secrets.filter(({ length }) => length >= MIN_PART_BYTES));
    },
    text(text) {
      const bytes = Buffer.from(text, 'latin1');
      return fill(bytes, find(bytes)) ? bytes.toString('latin1') : text;
    },
    body() {
      let held = Buffer.alloc(0);
      let isMasked = false;
      /** Returns the masked bytes up to `end`. */
      const masked = (bytes: Buffer, end: number, found: readonly Range[]): Buffer => {
        const start = Buffer.from(bytes.subarray(0, end));
        isMasked = fill(start, found) || isMasked;
        return start;
      };
      return {
        push(chunk) {
          const bytes = Buffer.concat([held, chunk]);
          const found = find(bytes);
          const longest = (secrets[0]?.length ?? 0) * MAX_ESCAPE_BYTES;
          const limit = bytes.length - Math.max(0, longest - 1);
          // A part is not divided: the rest of it could be too short to be found.
          const divided = found.filter(({ from, to }) => from < limit && limit < to);
          const end = Math.max(0, Math.min(limit, ...divided.map(({ from }) => from)));
          held = Buffer.from(bytes.subarray(end));
          return masked(bytes, end, found);
        },
        end: () => masked(held, held.length, find(held)),
        isMasked: () => isMasked,
      };
    },
  };
}

function blocksOf(secrets: readonly Buffer[]): Map<number, Place[]> {
  const blocks = new Map<number, Place[]>();
  for (const secret of secrets) {
    for (let at = 0; at + BLOCK_BYTES <= secret.length; at += 1) {
      const block = secret.readInt32LE(at);
      const places = blocks.get(block) ?? [];
      if (places.length < MAX_PLACES_OF_BLOCK) places.push({ secret, at });
      blocks.set(block, places);
    }
  }
  return blocks;
}

/** Returns the longest part of a secret around the block at `at`; undefined where none is long enough. */
function longestPart(bytes: Buffer, at: number, places: readonly Place[] = []): Range | undefined {
  let longest: Range | undefined;
  for (const { secret, at: place } of places) {
    let [before, after] = [0, BLOCK_BYTES];
    while (before < Math.min(at, place) && bytes[at - before - 1] === secret[place - before - 1]) before += 1;
    while (place + after < secret.length && bytes[at + after] === secret[place + after]) after += 1;
    const length = before + after;
    if (length < Math.max(MIN_PART_BYTES, longest === undefined ? 0 : longest.to - longest.from + 1))
      continue;
    longest = { from: at - before, to: at + after };
  }
  return longest;
}

/** Writes asterisks over the ranges, as far as the bytes reach. Returns whether any is in them. */
function fill(bytes: Buffer, ranges: readonly Range[]): boolean {
  const inside = ranges.filter(({ from }) => from < bytes.length);
  for (const { from, to } of inside) bytes.fill(ASTERISK, from, Math.min(to, bytes.length));
  return inside.length > 0;
}

/** Returns as many asterisks as the text has UTF-16 code units. */
export function asterisks(text: string): string {
  return '*'.repeat(text.length);
}
