// The files of one chat message: read in turn, and no more bytes of them than a message may hold in memory.
import { expect, test } from 'vitest';
import { chatFile, filesOfMessage, holdFiles } from '../../../src/service/import/chat-file.ts';
import { type FileSet, TooLargeError } from '../../../src/service/import/file-set.ts';

/** A set with one file of so many bytes, which counts what is held at once. */
function setOf(bytes: number) {
  const seen = { reads: 0, atOnce: 0, most: 0 };
  const files: FileSet = {
    names: ['big'],
    unreadable: [],
    hidden: [],
    async read(_, maxBytes) {
      if (bytes > maxBytes) throw new TooLargeError(maxBytes);
      seen.reads += 1;
      seen.atOnce += 1;
      seen.most = Math.max(seen.most, seen.atOnce);
      await Promise.resolve();
      seen.atOnce -= 1;
      return new Uint8Array(bytes);
    },
    stream: () => {
      throw new Error('not read as a stream');
    },
    close: () => {},
  };
  return { files, seen };
}

const DECLARED = { filename: 'big', type: null, bytes: null, city: null, redaction: null };

test('a message that names one file a thousand times holds the bytes of a few', async () => {
  const { files, seen } = setOf(1_000);
  const held = holdFiles(files);
  const names = Array.from({ length: 1_000 }, (_, n) => ({ n }));
  const read = await filesOfMessage(
    names,
    async (file, maxBytes) => chatFile({ ...DECLARED, declared: file }, await held.read(['big'], maxBytes)),
    4_500,
  );
  expect(seen).toMatchObject({ reads: 4, most: 1 });
  expect(read).toHaveLength(1_000);
  expect(read.filter(({ content }) => content !== null)).toHaveLength(4);
  expect(read[4]).toMatchObject({
    content: null,
    absence: 'could not be read: is beyond the bytes that are read of the files of one message',
  });
  // It was read, so the report does not refuse it.
  expect(held.outcomes.get('big')).toBeNull();
});

test('a file that is too large by itself is said to be so', async () => {
  const { files } = setOf(300 * 1024 * 1024);
  const held = holdFiles(files);
  const [file] = await filesOfMessage([{}], async (_, maxBytes) =>
    chatFile({ ...DECLARED, declared: {} }, await held.read(['big'], maxBytes)),
  );
  expect(file?.absence).toBe('could not be read: is larger than 268435456 bytes');
  expect(held.outcomes.get('big')).toBe('is larger than 268435456 bytes');
});
