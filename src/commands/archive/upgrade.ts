// `arx archive upgrade DATABASE`: brings the tables of all archives of a database to the newest version.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { ArchiveUpgradeReport } from '../../contract/reports/archive.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { archiveUpgradeLines } from '../../format/views/index.ts';
import type { ArchiveEntry } from '../../service/administration.ts';
import { eachArchive, withServers, type DatabaseServer } from './database-servers.ts';

export const Input = z.object({ database: z.string().min(1), dryRun: z.boolean().default(false) });
type Input = z.infer<typeof Input>;

/** How long the writer of one archive is waited for, so that one that is locked does not hold up the others. */
const LOCK_TIMEOUT_MS = 30_000;

/** Runs `arx archive upgrade`. */
export async function run({ database, dryRun }: Input, app: App): Promise<void> {
  const report = await withServers(
    { databases: [database], option: '<database>', lockTimeoutMs: LOCK_TIMEOUT_MS },
    app,
    ([only]) => upgrade(only!, dryRun, app),
  );
  await app.printer.report(report, () => archiveUpgradeLines(report, app.screen));
  if (report.failed.length > 0)
    app.addFault(
      new Fault('store', `${plural(report.failed.length, 'archive')} not upgraded`, {
        kept: 'the others are upgraded',
        hint: 'repair what is named, and run the same command again',
      }),
    );
}

async function upgrade(
  { server, placeOf }: DatabaseServer,
  dryRun: boolean,
  app: App,
): Promise<ArchiveUpgradeReport> {
  const { DatabaseAccessError, errorName, UnusableArchive } = await import('../../service/index.ts');
  const { archiveNames, describeArchive, upgradeArchive } = await import('../../service/administration.ts');
  const { sleep } = app.world;
  const names = await archiveNames(server);
  const report: ArchiveUpgradeReport = {
    version: 1,
    ...(dryRun ? { dry_run: true } : {}),
    archives: names.length,
    current: 0,
    upgraded: 0,
    failed: [],
  };
  app.onInterrupt(() => ({
    kept: `${plural(report.upgraded, 'archive')} upgraded`,
    next: 'run the same command to continue',
  }));
  const one = async (name: string): Promise<Outcome> => {
    const { state } = await describeArchive(server, name);
    const problem = REFUSALS[state];
    if (problem !== undefined) return { name, problem };
    if (state === 'ready') return 'current';
    if (dryRun) return 'upgraded';
    try {
      return (await upgradeArchive({ ...placeOf(name), name, sleep })) ? 'upgraded' : 'current';
    } catch (error) {
      // A server that is gone is so for all others too.
      if (error instanceof DatabaseAccessError && error.kind === 'unreachable') throw error;
      const isOurs = error instanceof DatabaseAccessError || error instanceof UnusableArchive;
      return { name, problem: isOurs ? error.message : errorName(error) };
    }
  };
  for await (const outcome of eachArchive(names, app, one)) {
    if (typeof outcome === 'string') report[outcome] += 1;
    else report.failed.push(outcome);
  }
  return report;
}

/** What became of one archive. */
type Outcome = 'current' | 'upgraded' | ArchiveUpgradeReport['failed'][number];

/** Why an archive is not upgraded. A copy is completed by what makes it. */
const REFUSALS: Partial<Record<ArchiveEntry['state'], string>> = {
  newer: 'a newer arx wrote it',
  damaged: 'tables of the archive are missing',
};
