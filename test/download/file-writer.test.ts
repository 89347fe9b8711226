// Writing a downloaded file: bad inputs C9 to C17 and D1 to D4. A wrong file never gets the final name.
import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fc, test as property } from '@fast-check/vitest';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { openDiskWorker } from '../../src/download/disk-worker-client.ts';
import type { SavedFile, TargetFile } from '../../src/download/existing-file.ts';
import { createFileWriter, type SaveOptions } from '../../src/download/file-writer.ts';
import { scanFolder } from '../../src/download/folder-scan.ts';
import {
  createUniqueKeys,
  partialKeyOf,
  partialFileName,
  PARTIAL_FILE,
} from '../../src/download/partial-names.ts';
import { saveVerified as keepStream } from '../../src/download/save-verified.ts';
import type { World } from '../../src/world.ts';
import { sha256Of } from '../support/digest.ts';

async function* stream(...chunks: string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

let dir: string;
let serial = 0;
beforeEach(() => void (dir = tempFolder('keep')));

type Options = { force?: boolean; randomBytes?: World['randomBytes']; signal?: AbortSignal };
const keep = (
  bytes: AsyncIterable<Uint8Array>,
  target: TargetFile,
  more: Options = {},
): Promise<SavedFile> => {
  const { force = false, signal, randomBytes = (count) => Buffer.alloc(count, ++serial) } = more;
  const world = fakeWorld({ argv: [], dir, ...(signal === undefined ? {} : { signal }) });
  return keepStream(bytes, target, { force, world: { ...world, randomBytes } });
};
const target = (text: string, name = 'a.txt') => ({ dir, name, sha256: sha256Of(text) });

describe('a file that is saved', () => {
  test('has its name and mode 0600, and no other file is left', async () => {
    const kept = await keep(stream('hel', '', 'lo'), { ...target('hello'), bytes: 5 });
    expect(kept).toEqual({ path: join(dir, 'a.txt'), outcome: 'kept', bytes: 5, sha256: sha256Of('hello') });
    expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('hello');
    expect((await stat(join(dir, 'a.txt'))).mode & 0o777).toBe(0o600);
    expect(await readdir(dir)).toEqual(['a.txt']);
  });

  test('D3: an empty file', async () => {
    expect((await keep(stream(), target(''))).bytes).toBe(0);
  });

  test('C9: the same bytes are already there', async () => {
    await writeFile(join(dir, 'a.txt'), 'hello');
    const untouched = {
      [Symbol.asyncIterator]: () => {
        throw new Error('the stream was read');
      },
    };
    expect((await keep(untouched, target('hello'))).outcome).toBe('present');
  });

  test('C10: other content is replaced only with force, and only by verified bytes', async () => {
    await writeFile(join(dir, 'a.txt'), 'mine');
    await expect(keep(stream('hello'), target('hello'))).rejects.toMatchObject({
      kind: 'unsafe',
      detail: { hint: expect.stringContaining('--force') },
    });
    await expect(keep(stream('hullo'), target('hello'), { force: true })).rejects.toMatchObject({
      kind: 'integrity',
    });
    expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('mine');
    expect((await keep(stream('hello'), target('hello'), { force: true })).outcome).toBe('kept');
    expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('hello');
    expect(await readdir(dir)).toEqual(['a.txt']);
  });

  test.each([
    ['the same bytes', 'hello', undefined],
    ['other bytes', 'mine', 'unsafe'],
  ])('a file with %s that appears meanwhile is not overwritten', async (_, content, kind) => {
    async function* slow() {
      yield Buffer.from('hel');
      await writeFile(join(dir, 'a.txt'), content);
      yield Buffer.from('lo');
    }
    const kept = keep(slow(), target('hello'));
    if (kind === undefined) expect((await kept).outcome).toBe('present');
    else await expect(kept).rejects.toMatchObject({ kind });
    expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe(content);
    expect(await readdir(dir)).toEqual(['a.txt']);
  });
});

describe('a file that is not saved', () => {
  afterEach(async () => {
    expect((await readdir(dir).catch(() => [])).filter((name) => PARTIAL_FILE.test(name))).toEqual([]);
  });

  test.each([
    ['D1: one bit flipped', ['hellp'], {}],
    ['cut short', ['hell'], {}],
    ['D2: longer than the catalogue says', ['hello', 'hello'], { bytes: 5 }],
    ['shorter than the catalogue says', ['hello'], { bytes: 6 }],
  ])('%s', async (_, chunks, more) => {
    const failed = keep(stream(...chunks), { ...target('hello'), ...more });
    await expect(failed).rejects.toMatchObject({ kind: 'integrity' });
    expect(await readdir(dir)).toEqual([]);
  });

  test('D4: both hashes are shown, and what to do', async () => {
    const failed = keep(stream('other'), target('hello'));
    await expect(failed).rejects.toThrow(`expected sha256 ${sha256Of('hello')}, got ${sha256Of('other')}`);
    await expect(keep(stream('other'), target('hello'))).rejects.toMatchObject({
      detail: { hint: expect.stringContaining('list the attachments again') },
    });
  });

  test('a body that is too short: its length and the one that the row states', async () => {
    const failed = keep(stream('hell'), { ...target('hello'), bytes: 5 });
    await expect(failed).rejects.toMatchObject({
      message: expect.stringContaining('4 bytes came, the row states 5'),
      detail: { hint: expect.stringContaining('another number of bytes') },
    });
  });

  test('an endless stream ends at the size of the catalogue', async () => {
    async function* endless() {
      for (;;) yield Buffer.alloc(1024);
    }
    await expect(keep(endless(), { ...target('x'), bytes: 4096 })).rejects.toMatchObject({
      kind: 'integrity',
    });
  });

  test.each(['fifo', 'folder', 'symlink'])(
    'C12: a %s under the name is left alone, without waiting',
    async (kind) => {
      const path = join(dir, 'a.txt');
      if (kind === 'fifo') execFileSync('mkfifo', [path]);
      if (kind === 'folder') await mkdir(path);
      if (kind === 'symlink') await symlink('/dev/zero', path);
      for (const force of [false, true])
        await expect(keep(stream('hello'), target('hello'), { force })).rejects.toMatchObject({
          kind: 'unsafe',
        });
      expect((await lstat(path)).isFile()).toBe(false);
    },
  );

  test('C17: the folder is missing, a file, or removed meanwhile', async () => {
    await expect(keep(stream('a'), { ...target('a'), dir: join(dir, 'none') })).rejects.toMatchObject({
      kind: 'disk',
    });
    await writeFile(join(dir, 'file'), '');
    await expect(keep(stream('a'), { ...target('a'), dir: join(dir, 'file') })).rejects.toMatchObject({
      kind: 'unsafe',
    });
    async function* removing() {
      yield Buffer.from('a');
      await rm(dir, { recursive: true });
    }
    await expect(keep(removing(), target('a'))).rejects.toMatchObject({ kind: 'disk' });
  });

  test.skipIf(process.getuid?.() === 0)(
    'C17: the folder is not writable (skipped: root may write anywhere)',
    async () => {
      await chmod(dir, 0o500);
      await expect(keep(stream('a'), target('a'))).rejects.toMatchObject({ kind: 'disk' });
      await chmod(dir, 0o700);
    },
  );

  test('the stream fails, or the run is interrupted', async () => {
    async function* cut() {
      yield Buffer.from('hel');
      throw new Fault('network', 'cut after 3 of 5 bytes');
    }
    await expect(keep(cut(), target('hello'))).rejects.toMatchObject({ kind: 'network' });
    const stop = new AbortController();
    async function* stopped() {
      yield Buffer.from('hel');
      stop.abort(new Fault('interrupted', 'interrupted'));
      yield Buffer.from('lo');
    }
    await expect(keep(stopped(), target('hello'), { signal: stop.signal })).rejects.toMatchObject({
      kind: 'interrupted',
    });
    expect(await readdir(dir)).toEqual([]);
  });
});

test('C15: a temporary name that is taken, by a symlink too, is never followed', async () => {
  const first = partialFileName('c8'.repeat(4) + '0'.repeat(8), process.pid);
  await writeFile(join(dir, 'victim'), 'untouched');
  await symlink(join(dir, 'victim'), join(dir, first));
  await keep(stream('hello'), target('hello'), { randomBytes: (count) => Buffer.alloc(count, 0xc8) });
  expect(await readFile(join(dir, 'victim'), 'utf8')).toBe('untouched');
  expect((await readdir(dir)).sort()).toEqual([first, 'a.txt', 'victim'].sort());
  expect(PARTIAL_FILE.test(first)).toBe(true);
});

describe('files of one pull with the same bytes', () => {
  const ETAG = '"v1"';
  const optionsOf = async (force: boolean): Promise<SaveOptions> => {
    const world = { ...fakeWorld({ argv: [], dir }), thread: undefined };
    const freshKey = createUniqueKeys(world.randomBytes);
    return {
      world,
      force,
      uniqueKey: freshKey,
      diskWorker: openDiskWorker(world),
      scan: await scanFolder(dir, world),
    };
  };
  /** One file as a pull fetches it: its answer breaks off `cuts` times, and is resumed where possible. */
  async function fetched(name: string, text: string, options: SaveOptions, waits: number[], cuts: number) {
    const waiting = async () => {
      for (let turns = waits.shift() ?? 0; turns > 0; turns--) await setImmediate();
    };
    const writer = createFileWriter(target(text, name), options);
    const answer = async (from: number, isCut: boolean): Promise<SavedFile> => {
      async function* bytes() {
        await waiting();
        if (from < text.length) yield Buffer.from(text.slice(from, from + 1));
        await waiting();
        if (isCut) throw new Fault('network', 'cut');
        if (from + 1 < text.length) yield Buffer.from(text.slice(from + 1));
      }
      return writer.receive({ bytes: bytes(), from, etag: ETAG });
    };
    try {
      await waiting();
      const whole = await writer.completePartial();
      if (whole !== undefined) return whole;
      for (let cut = 0; cut < cuts; cut++)
        await answer(writer.resumePoint()?.from ?? 0, true).catch(() => undefined);
      return await answer(writer.resumePoint()?.from ?? 0, false);
    } finally {
      await waiting();
      await writer.close();
    }
  }
  const file = fc.record({
    waits: fc.array(fc.nat({ max: 12 }), { maxLength: 8 }),
    cuts: fc.nat({ max: 2 }),
  });

  property.prop(
    {
      text: fc.constantFrom('', 'x', 'hello'),
      left: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      files: fc.array(file, { minLength: 2, maxLength: 5 }),
      force: fc.boolean(),
    },
    { numRuns: 60 },
  )('all are complete, in whatever order their steps run, and no partial file stays', async (drawn) => {
    const { text, left, files, force } = drawn;
    await rm(dir, { recursive: true });
    await mkdir(dir);
    if (left !== undefined)
      await writeFile(
        join(dir, partialFileName(partialKeyOf(sha256Of(text)), 4_000_000, ETAG)),
        text.slice(0, left),
      );
    const options = await optionsOf(force);
    const names = files.map((_, at) => `${at}.txt`);
    const kept = await Promise.all(
      files.map(({ waits, cuts }, at) => fetched(names[at]!, text, options, [...waits], cuts)),
    );
    expect(kept.map(({ outcome }) => outcome)).toEqual(names.map(() => 'kept'));
    expect((await readdir(dir)).sort()).toEqual(names);
    for (const name of names) expect(await readFile(join(dir, name), 'utf8')).toBe(text);
  });

  test('a failed sync of one file does not remove the partial file of another', async () => {
    const options = await optionsOf(false);
    const steps = stopover();
    const diskWorker: SaveOptions['diskWorker'] = {
      ...options.diskWorker,
      commit: async (file) => {
        await options.diskWorker.commit(file);
        await steps.stop();
        throw Object.assign(new Error('the folder was not synced'), { code: 'EIO' });
      },
    };
    const failing = fetched('a.txt', 'hello', { ...options, diskWorker }, [], 0);
    failing.catch(() => {});
    await steps.reached;
    const other = createFileWriter(target('hello', 'b.txt'), options);
    async function* bytes() {
      yield Buffer.from('hello');
      steps.goOn();
      await failing.catch(() => {});
    }
    expect(await other.receive({ bytes: bytes(), from: 0, etag: ETAG })).toMatchObject({ outcome: 'kept' });
    await expect(failing).rejects.toMatchObject({ kind: 'disk' });
    expect((await readdir(dir)).sort()).toEqual(['a.txt', 'b.txt']);
  });
});

/** A point at which a test holds the code until it calls `goOn`. */
function stopover() {
  let reach = (): void => {};
  let goOn = (): void => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const left = new Promise<void>((resolve) => (goOn = resolve));
  return {
    reached,
    stop: async () => {
      reach();
      await left;
    },
    goOn: () => goOn(),
  };
}
