// `archive copy`, `archive move` and `blobs move` ended at any step by SIGKILL or Ctrl-C, and what must be true afterwards.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { EXIT } from '../../src/exit.ts';
import { redact, withSchema } from '../../src/service/administration.ts';
import { createService, openArchive, type ArchiveLocation } from '../../src/service/index.ts';
import { digestLists } from '../../src/service/copy/compare-lists.ts';
import { importItems } from '../../src/service/import/index.ts';
import { sampleItems } from '../../src/service/sample/index.ts';
import { START, tokenFor } from './archive.ts';
import { freshDatabase } from './archives-database.ts';
import { call } from './call.ts';
import { arx } from './command.ts';
import { moved } from './event.ts';
import { countSteps, runUntil, type KilledStep } from './killed-step.ts';
import { buildProgram, type Program } from './program.ts';
import { tempFolder } from './temp-folder.ts';

/** The commands that are ended. */
export const KILLED_COMMANDS = ['archive copy', 'archive move', 'blobs move'] as const;
export type KilledCommand = (typeof KILLED_COMMANDS)[number];

const MESSAGES = 15;

/** What was made once: a source, its pages, two databases, and the number of steps of each command. */
export type KilledCopies = {
  /** The steps of the command where nothing ends it. */
  steps(command: KilledCommand): Promise<number>;
  /** Ends the command there and runs it again. Expects that no reader meets half of an archive, and that the second run completes it. */
  endAt(command: KilledCommand, end: KilledStep): Promise<void>;
};

/** One archive that a command works on: how it is called, where it is before, and where it may be after. */
type Case = { argv: string[]; before: Location; after: Location; keepsSource: boolean };
/** As `--database` and `--blobs` name it. */
type Location = { database: string; blobs?: string };

/** Makes the source. */
export async function killedCopies(): Promise<KilledCopies> {
  const dir = tempFolder('killed-copies');
  const program = buildProgram();
  const source = `sqlite:${join(dir, 'source')}`;
  await makeSource(join(dir, 'source'));
  const pages = await pagesOf({ database: source });
  const databases = [await freshDatabase(), await freshDatabase()] as const;
  let cases = 0;
  const makeCase = (command: KilledCommand): Promise<Case> =>
    caseOf(command, { dir, source, databases, name: `a${++cases}` });
  return {
    async steps(command) {
      const { argv } = await makeCase(command);
      return countSteps(program, argv, { dir });
    },
    async endAt(command, end) {
      const made = await makeCase(command);
      await endOne(program, made, { dir, end, pages });
      // The last check of all: the copy has what the source had.
      expect(await pagesOf({ database: source })).toEqual(pages);
    },
  };
}

async function caseOf(
  command: KilledCommand,
  {
    dir,
    source,
    databases: [first, second],
    name,
  }: { dir: string; source: string; databases: readonly [string, string]; name: string },
): Promise<Case> {
  const at = withSchema(first, name);
  const made = async (): Promise<void> => {
    expect(await arx(dir, '', { argv: ['archive', 'copy', source, at] })).toMatchObject({ exit: 0 });
  };
  if (command === 'archive copy') {
    const argv = ['archive', 'copy', source, at];
    return { argv, before: { database: source }, after: { database: at }, keepsSource: true };
  }
  await made();
  if (command === 'archive move') {
    const argv = ['archive', 'move', first, second, name, '--yes'];
    return {
      argv,
      before: { database: at },
      after: { database: withSchema(second, name) },
      keepsSource: false,
    };
  }
  const blobs = join(dir, `files-${name}`);
  const argv = ['blobs', 'move', '--database', at, '--to', blobs, '--yes'];
  return { argv, before: { database: at }, after: { database: at, blobs }, keepsSource: false };
}

async function endOne(
  program: Program,
  { argv, before, after, keepsSource }: Case,
  { dir, end, pages }: { dir: string; end: KilledStep; pages: readonly string[] },
): Promise<void> {
  const ended = await runUntil(program, argv, { dir, end });
  if (end.signal === 'SIGINT') {
    expect([0, EXIT.interrupted]).toContain(ended.exit);
    if (ended.exit !== 0) expect(ended.stderr).toMatch(/^arx: interrupted: .*\[signal, exit 130\]$/m);
  } else expect([ended.exit, ended.signal]).toContainEqual(ended.exit === null ? 'SIGKILL' : 0);
  // Whoever reads now finds the whole archive, or none.
  const found = [await readable(before), await readable(after)];
  for (const seen of found) if (seen !== undefined) expect(seen).toEqual(pages);
  const whole = found.filter((seen) => seen !== undefined).length;
  if (after.blobs !== undefined) expect(whole).toBe(1);
  else if (!keepsSource) expect(whole).toBeLessThanOrEqual(1);

  const again = await arx(dir, '', { argv });
  expect({ exit: again.exit, stderr: again.stderr }).toEqual({ exit: 0, stderr: '' });
  expect(await pagesOf(after)).toEqual(pages);
  const { database, blobs } = after;
  const fsck = ['fsck', '--database', database, ...(blobs === undefined ? [] : ['--blobs', blobs])];
  expect(await arx(dir, '', { argv: fsck })).toMatchObject({ exit: 0 });
  if (!keepsSource) expect(await readable(before)).toBeUndefined();
}

/** The pages of an archive as another process reads them; undefined where none can be opened. */
async function readable(place: Location): Promise<string[] | undefined> {
  return pagesOf(place).catch((error: unknown) => {
    const { message, why } = error as Error & { why?: string };
    if (/there is no (?:archive|schema)|an unfinished copy|keeps its files/.test(`${message} ${why}`))
      return undefined;
    throw error;
  });
}

/** Digests of all pages of all lists, and of the stored files. */
async function pagesOf({ database, blobs }: Location): Promise<string[]> {
  const place: ArchiveLocation = database.startsWith('sqlite:')
    ? { dir: database.slice('sqlite:'.length) }
    : { url: database, ...(blobs === undefined ? {} : { blobs }) };
  const archive = await openArchive({ ...place, readOnly: true, now: () => START, sleep, randomBytes });
  try {
    const digests: string[] = [];
    const options = { signal: new AbortController().signal, progress: () => {} };
    for await (const { name, rows, sha256 } of digestLists(archive, options))
      digests.push(`${name} ${rows} ${sha256}`);
    return digests;
  } finally {
    await archive.close();
  }
}

/** A sample with a redaction and an event. */
async function makeSource(dir: string): Promise<void> {
  const archive = await openArchive({ dir, now: Date.now, sleep, randomBytes });
  try {
    await importItems(archive, firstOf(sampleItems(7), MESSAGES));
    await redact(archive, 'att_3', 'names a minor');
    const service = createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });
    const token = await tokenFor(service);
    expect(
      await call(service, '/api/webhooks/ingest', { token, body: moved('evt_a', 5, 900) }),
    ).toMatchObject({ status: 200 });
  } finally {
    await archive.close();
  }
}

async function* firstOf<T>(items: AsyncIterable<T> | Iterable<T>, count: number): AsyncGenerator<T> {
  let at = 0;
  for await (const item of items) {
    if (at === count) return;
    at += 1;
    yield item;
  }
}
