// Tokens that must not be written: found in bytes as they pass, and covered by as many stars, so that lengths stay true.

const STAR = 0x2a;
/** A beginning of a token is covered too where a body was cut within it, if it is so long. */
const PART = 8;

export type Masks = {
  /** From now on it is covered, also as JSON and as an address write it. */
  add(secret: string): void;
  /** Text of bytes below 256. */
  text(text: string): string;
  /** Bytes of one body in turn. */
  body(): MaskedBody;
};

export type MaskedBody = {
  /** What can be told of the bytes so far, in memory of its own; the rest comes with the next. */
  push(piece: Uint8Array): Buffer;
  /** What is left. `isCut`: more should have come. */
  end(isCut: boolean): Buffer;
  /** Whether anything was covered. */
  isMasked(): boolean;
};

export function createMasks(): Masks {
  const known = new Set<string>();
  /** Longest first: one may be the beginning of another. */
  let needles: Buffer[] = [];

  function cover(bytes: Buffer): boolean {
    let found = false;
    for (const needle of needles) {
      for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length)) {
        bytes.fill(STAR, at, at + needle.length);
        found = true;
      }
    }
    return found;
  }
  function coverCut(bytes: Buffer): boolean {
    for (const needle of needles) {
      for (let count = Math.min(needle.length - 1, bytes.length); count >= PART; count -= 1) {
        if (!bytes.subarray(bytes.length - count).equals(needle.subarray(0, count))) continue;
        bytes.fill(STAR, bytes.length - count);
        return true;
      }
    }
    return false;
  }
  return {
    add(secret) {
      if (secret === '') return;
      const quoted = JSON.stringify(secret).slice(1, -1);
      const forms = [secret, quoted, quoted.replaceAll('/', String.raw`\/`), encodeURIComponent(secret)];
      for (const form of forms) known.add(form);
      needles = [...known].map((form) => Buffer.from(form, 'latin1')).sort((a, b) => b.length - a.length);
    },
    text(text) {
      const bytes = Buffer.from(text, 'latin1');
      return cover(bytes) ? bytes.toString('latin1') : text;
    },
    body() {
      let held = Buffer.alloc(0);
      let isMasked = false;
      return {
        push(piece) {
          const bytes = Buffer.concat([held, piece]);
          isMasked = cover(bytes) || isMasked;
          const count = Math.min(bytes.length, Math.max(0, (needles[0]?.length ?? 0) - 1));
          held = Buffer.from(bytes.subarray(bytes.length - count));
          return bytes.subarray(0, bytes.length - count);
        },
        end(isCut) {
          if (isCut) isMasked = coverCut(held) || isMasked;
          return held;
        },
        isMasked: () => isMasked,
      };
    },
  };
}

/** As many stars. */
export function stars(text: string): string {
  return '*'.repeat(text.length);
}
