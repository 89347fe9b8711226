// Masks secrets in bytes as they pass: each secret is replaced by as many asterisks, so that lengths stay the same.

const ASTERISK = 0x2a;
/** If a body was cut inside a secret, its beginning is masked when it is at least this long. */
const MIN_PARTIAL_SECRET_BYTES = 8;

/** Masks all secrets that it knows. */
export type SecretMasker = {
  /** Adds a secret, also in the forms that it has in JSON and in URLs. */
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
  /** Returns the masked rest. `isCut`: the body ended too early, so a beginning of a secret is masked too. */
  end(isCut: boolean): Buffer;
  /** Returns whether anything was masked. */
  isMasked(): boolean;
};

/** Returns a masker that knows no secret yet. */
export function createSecretMasker(): SecretMasker {
  const forms = new Set<string>();
  /** Longest first, because one may be the beginning of another. */
  let secrets: Buffer[] = [];

  function mask(bytes: Buffer): boolean {
    let found = false;
    for (const secret of secrets) {
      for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + secret.length)) {
        bytes.fill(ASTERISK, at, at + secret.length);
        found = true;
      }
    }
    return found;
  }
  function maskPartialAtEnd(bytes: Buffer): boolean {
    for (const secret of secrets) {
      const longest = Math.min(secret.length - 1, bytes.length);
      for (let count = longest; count >= MIN_PARTIAL_SECRET_BYTES; count -= 1) {
        if (!bytes.subarray(bytes.length - count).equals(secret.subarray(0, count))) continue;
        bytes.fill(ASTERISK, bytes.length - count);
        return true;
      }
    }
    return false;
  }
  return {
    add(secret) {
      if (secret === '') return;
      const quoted = JSON.stringify(secret).slice(1, -1);
      forms.add(secret).add(quoted);
      forms.add(quoted.replaceAll('/', String.raw`\/`)).add(encodeURIComponent(secret));
      secrets = [...forms].map((form) => Buffer.from(form, 'latin1')).sort((a, b) => b.length - a.length);
    },
    text(text) {
      const bytes = Buffer.from(text, 'latin1');
      return mask(bytes) ? bytes.toString('latin1') : text;
    },
    body() {
      let held = Buffer.alloc(0);
      let isMasked = false;
      return {
        push(chunk) {
          const bytes = Buffer.concat([held, chunk]);
          isMasked = mask(bytes) || isMasked;
          const count = Math.min(bytes.length, Math.max(0, (secrets[0]?.length ?? 0) - 1));
          held = Buffer.from(bytes.subarray(bytes.length - count));
          return bytes.subarray(0, bytes.length - count);
        },
        end(isCut) {
          if (isCut) isMasked = maskPartialAtEnd(held) || isMasked;
          return held;
        },
        isMasked: () => isMasked,
      };
    },
  };
}

/** Returns as many asterisks as the text has UTF-16 code units. */
export function asterisks(text: string): string {
  return '*'.repeat(text.length);
}
