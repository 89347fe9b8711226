// Fuzzing of mbox splitting: every byte is in a mail, in its separator, or is named as skipped.
import { test } from 'vitest';
import { readMboxFrom } from '../../../src/service/import/mbox.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';
import { textsOf } from '../../support/fuzz-inputs.ts';
import { MAIL_TOKENS, MBOXES, SEPARATORS } from '../../support/mail-inputs.ts';

const texts = textsOf({
  corpus: MBOXES,
  tokens: [...SEPARATORS, ...SEPARATORS, ...MAIL_TOKENS],
  maxBytes: 1_000,
});
/** Chunks in which parts of a separator end, and one that holds every input. */
const CHUNK_BYTES = [200, 3_000] as const;

/** The text as it is split: without the byte order mark of UTF-8, and with LF where its lines end with CR alone. Each byte stays at its place. */
function asRead(text: string): string {
  const unmarked = text.replace(/^\u00ef\u00bb\u00bf/, '\n\n\n');
  return text.includes('\r') && !text.includes('\n') ? unmarked.replaceAll('\r', '\n') : unmarked;
}

test('no byte of an mbox gets lost', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: (draw) => ({ text: texts(draw), chunkBytes: draw.of(CHUNK_BYTES) }),
    async check({ text: asGiven, chunkBytes }) {
      const given = Buffer.from(asGiven, 'latin1');
      const text = asRead(asGiven);
      const bytes = Buffer.from(text, 'latin1');
      const source = {
        path: 'box',
        readAt: async (into: Buffer, at: number) => ({ bytesRead: given.copy(into, 0, at) }),
        size: async () => given.length,
      };
      const isMboxrd = /^[\r\n]*From mboxrd@z /.test(text.slice(0, 80));
      let begun: { position: number; raw: Uint8Array } | undefined;
      let next = 0;
      /** Compares the mail before `end` with the bytes from its separator up to there. */
      const finish = (end: number): void => {
        if (begun === undefined) return;
        const { position, raw } = begun;
        const separatorEnd = text.indexOf('\n', position) + 1 || text.length;
        const stretch = bytes.subarray(Math.min(separatorEnd, end), end);
        if (!text.startsWith(position === 0 && text.startsWith('>') ? '>From ' : 'From ', position))
          throw new Error(`no separator at ${position}`);
        if (isMboxrd ? raw.length > stretch.length : !stretch.equals(raw))
          throw new Error(`the mail at ${position} is changed`);
      };
      for await (const item of readMboxFrom(source, { chunkBytes })) {
        if (item.kind === 'refused') throw new Error(item.reason);
        if (item.kind === 'skipped') next = item.bytes!;
        if (item.kind !== 'raw') continue;
        if (begun === undefined && item.position !== next)
          throw new Error(`bytes ${next} to ${item.position} are lost`);
        finish(item.position);
        begun = { position: item.position, raw: Buffer.from(item.raw) };
      }
      finish(bytes.length);
      if (begun === undefined && next !== bytes.length)
        throw new Error(`only ${next} of ${bytes.length} bytes are named`);
    },
  }),
);
