// `arx archive move FROM TO NAME…`: moves archives to another PostgreSQL database, while they are served.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { ArchiveMoveReport } from '../../contract/reports/archive.ts';
import { Fault, NOTHING_CHANGED, hintText } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { archiveMoveLines } from '../../format/views/index.ts';
import type { Archive, ArchiveLocation, OpenArchive } from '../../service/index.ts';
import { openLocalArchive } from '../../wiring/local-archive.ts';
import { archiveNamesInput } from './archive-names.ts';
import { CONFIRM_INPUT, confirm } from '../shared/confirm.ts';
import { eachArchive, missingArchiveFault, withServers, type DatabaseServer } from './database-servers.ts';
import { hashFiles } from './hash-files.ts';

export const Input = z.object({
  from: z.string().min(1),
  to: z.string().min(1),
  names: archiveNamesInput,
  fromBlobs: z.string().min(1).optional(),
  toBlobs: z.string().min(1).optional(),
  ...CONFIRM_INPUT,
});
type Input = z.infer<typeof Input>;

/** Runs `arx archive move`. */
export async function run(input: Input, app: App): Promise<void> {
  const { from, to, fromBlobs, toBlobs } = input;
  const options = { option: '<from>', blobsOption: '--from-blobs' };
  const report = await withServers({ databases: [from], blobs: fromBlobs, ...options }, app, ([source]) =>
    withServers(
      { databases: [to], blobs: toBlobs, option: '<to>', blobsOption: '--to-blobs' },
      app,
      async ([target]) => moveAll(source!, target!, input, app),
    ),
  );
  await app.printer.report(report, () => archiveMoveLines(report, app.screen));
  if (report.failed.length > 0)
    app.addFault(
      new Fault('store', `${plural(report.failed.length, 'archive')} not moved`, {
        kept: 'they are where they were',
        hint: 'repair what is named, and run the command again: it continues',
      }),
    );
}

async function moveAll(
  source: DatabaseServer,
  target: DatabaseServer,
  { names, ...input }: Input,
  app: App,
): Promise<ArchiveMoveReport> {
  const { UnusableArchive } = await import('../../service/index.ts');
  const { archiveNames, checkMayCreate, describeArchive } = await import('../../service/administration.ts');
  const there = new Set(await archiveNames(source.server));
  const arrived = new Set(await archiveNames(target.server));
  const missing = names.find((name) => !there.has(name) && !arrived.has(name));
  const kept = NOTHING_CHANGED;
  if (missing !== undefined) throw await missingArchiveFault(source.server, missing);
  for (const name of names)
    if (there.has(name) && arrived.has(name)) {
      const { state } = await describeArchive(target.server, name);
      if (state !== 'unfinished_copy')
        throw new Fault(
          'unsafe',
          `${name}: there is another archive of this name in ${target.server.place}`,
          {
            kept,
          },
        );
    }
  if (names.some((name) => !arrived.has(name)))
    await checkMayCreate(target.server).catch((error: unknown) => {
      throw error instanceof UnusableArchive
        ? new Fault('store', `no archive can be moved to ${target.server.place}: ${error.message}`, {
            kept,
            cause: error,
          })
        : error;
    });
  const report: ArchiveMoveReport = { version: 1, moved: [], there: [], failed: [] };
  if (input.dryRun) {
    const one = async (name: string): Promise<[string, Outcome]> => [
      name,
      there.has(name) ? await plan(source, name, app) : await finish(target, name, app, true),
    ];
    return collect({ ...report, dry_run: true }, eachArchive(names, app, one));
  }
  await confirm(
    `move ${plural(names.length, 'archive')}, and delete them in ${source.server.place}?`,
    input,
    app,
  );
  app.onInterrupt(() => ({
    kept: `${plural(report.moved.length, 'archive')} moved, the others are where they were`,
    next: 'run the same command to continue',
  }));
  const one = async (name: string): Promise<[string, Outcome]> => [
    name,
    await (there.has(name) ? move(source, target, name, app) : finish(target, name, app)),
  ];
  return collect(report, eachArchive(names, app, one));
}

async function collect(
  report: ArchiveMoveReport,
  outcomes: AsyncIterable<[string, Outcome]>,
): Promise<ArchiveMoveReport> {
  for await (const [name, outcome] of outcomes) {
    if (typeof outcome === 'string') report[outcome].push(name);
    else report.failed.push(outcome);
  }
  return report;
}

/** Finds what would keep an archive from being moved, without changing anything. */
async function plan(source: DatabaseServer, name: string, app: App): Promise<Outcome> {
  const { OlderSchema } = await import('../../service/index.ts');
  const { checkDroppable } = await import('../../service/administration.ts');
  return attempt(name, app, async () => {
    const place = { ...source.placeOf(name), mustExist: true, readOnly: true };
    const archive = await openLocalArchive(place, app.world, app.notice).catch((error: unknown) => {
      // Moving it brings it to the newest schema.
      if (error instanceof Fault && error.detail.cause instanceof OlderSchema) return undefined;
      throw error;
    });
    await archive?.close();
    await checkDroppable(source.server.catalogue, name);
    return 'moved';
  });
}

/** What became of one archive. */
type Outcome = 'moved' | 'there' | ArchiveMoveReport['failed'][number];

async function move(
  source: DatabaseServer,
  target: DatabaseServer,
  name: string,
  app: App,
): Promise<Outcome> {
  const { moveArchive } = await import('../../service/copy/index.ts');
  const { checkArchive } = await import('../../service/fsck/check-archive.ts');
  const options = { signal: app.world.signal, progress: () => {} };
  const places = {
    from: { ...source.placeOf(name), mustExist: true },
    to: { ...target.placeOf(name), createSchema: true, asCopy: true },
  };
  return attempt(name, app, () =>
    withArchive(places.from, app, (from) =>
      withArchive(places.to, app, async (to) => {
        const check = async (copy: Archive): Promise<boolean> =>
          SOUND.has((await checkArchive(copy, { ...options, hash: hashFiles(app) })).verdict);
        const { report, isMoved } = await moveArchive(from, to, name, { ...options, check });
        if (isMoved) return 'moved';
        const isDifferent = report.verdict !== 'equal';
        return {
          name,
          problem: isDifferent ? 'the copy differs from it' : 'it is damaged; arx fsck says where',
        };
      }),
    ),
  );
}

/** Opens an archive for `work`, and closes it however that ends. */
async function withArchive<T>(
  place: ArchiveLocation,
  app: App,
  work: (archive: OpenArchive) => Promise<T>,
): Promise<T> {
  const archive = await openLocalArchive(place, app.world, app.notice);
  return work(archive).finally(() => archive.close());
}

/** Verdicts of a check that found nothing. An empty archive has nothing to check. */
const SOUND = new Set<string>(['ok', 'nothing_checked']);

/** Completes a move that was interrupted after the archive was dropped in the first database; `readOnly`: says what would be done. */
async function finish(
  { placeOf }: DatabaseServer,
  name: string,
  app: App,
  readOnly = false,
): Promise<Outcome> {
  const { finishMove, isUnfinishedMove } = await import('../../service/copy/index.ts');
  const place = { ...placeOf(name), mustExist: true, asCopy: true, readOnly };
  return attempt(name, app, () =>
    withArchive(place, app, async ({ database }) =>
      (await (readOnly ? isUnfinishedMove : finishMove)(database)) ? 'moved' : 'there',
    ),
  );
}

/** Returns what failed with the name of the archive. A server that is gone, or an interruption, ends the command. */
async function attempt(name: string, app: App, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    const { errorName, storeFault, UnusableArchive } = await import('../../service/index.ts');
    const { CopyTakenOver, CopyTargetError } = await import('../../service/copy/index.ts');
    const fault = storeFault(error);
    if (app.world.signal.aborted || (fault instanceof Fault && fault.kind === 'network')) throw fault;
    const isOurs = [Fault, CopyTakenOver, CopyTargetError, UnusableArchive].some(
      (kind) => fault instanceof kind,
    );
    const hint =
      fault instanceof Fault && fault.detail.hint !== undefined ? `; ${hintText(fault.detail.hint)}` : '';
    return { name, problem: isOurs ? `${(fault as Error).message}${hint}` : errorName(fault) };
  }
}
