// Checks a whole archive without changing it: the database, the relations of all rows, and every stored byte.
import type { FsckReport } from '../../contract/reports/archive.ts';
import type { Archive } from '../store/archive.ts';
import { filesPlaceOf } from '../store/meta-table/files-location.ts';
import { indexState } from '../store/search/index-state.ts';
import { isStoreDamaged } from '../store/sql/database-error.ts';
import { withAttachments } from './files.ts';
import { createFindings, type Findings, type FindingsState } from './findings.ts';
import { beginPagesCheck, type CheckPagesElsewhere } from './pages.ts';
import { inRanges, type Range } from './ranges.ts';
import { numbersBefore } from './recent.ts';
import { fullSteps, recentSteps, type StepOptions } from './steps.ts';
import { checkValueTypes, TYPED_TABLES } from './value-types.ts';

/** Where a check stands, for another run that continues it. */
export type FsckState = {
  began_at: string;
  since: NonNullable<FsckReport['since']> | null;
  step: string;
  /** What the step has done: numbers up to this one. */
  after: number;
  findings: FindingsState;
  /** What SQLite found in the pages of the file, null while that is not known. */
  pages: string[] | null;
};

/** How the check runs, what it checks, and how it is continued. */
export type FsckOptions = StepOptions & {
  checkPagesElsewhere?: CheckPagesElsewhere;
  /** Check only what was added or changed since this time, in milliseconds. */
  since?: number | undefined;
  /** The state of an interrupted check to continue. What it checked is not read again. */
  resume?: FsckState | undefined;
  /** Called with each state from which the check could be continued. */
  checkpoint?(state: FsckState): void;
};

/** Memory for pages of SQLite: the rows of a range of messages (ranges.ts), and the upper pages of all indexes. */
const CACHE_KIB = 64 * 1024;

/**
 * Checks an archive, in memory that does not grow with it. Others may write meanwhile: what they add may be left out,
 * but is never reported as damage. Throws the errors of the database that do not mean damage, and the reason of the
 * signal.
 */
export async function checkArchive(archive: Archive, options: FsckOptions): Promise<FsckReport> {
  const { database, blobs } = archive;
  const { resume, checkpoint } = options;
  const began_at = resume?.began_at ?? new Date(archive.now()).toISOString();
  const findings = createFindings(resume?.findings);
  if (database.engine === 'sqlite') await database.all(`PRAGMA cache_size = -${CACHE_KIB}`);
  const since = resume === undefined ? await recentFrom(archive, options) : (resume.since ?? undefined);
  const pages =
    since === undefined
      ? beginPagesCheck(database, options.checkPagesElsewhere, resume?.pages, options.signal)
      : undefined;
  const steps =
    pages === undefined
      ? recentSteps(archive, since!, findings, options)
      : fullSteps(archive, pages, findings, options);
  const first = Math.max(
    0,
    steps.findIndex(({ name }) => name === resume?.step),
  );
  try {
    for (const [at, { name, run }] of steps.slice(first).entries()) {
      options.signal.throwIfAborted();
      const done = (after: number): void =>
        checkpoint?.({
          began_at,
          since: since ?? null,
          step: name,
          after,
          findings: findings.state(),
          pages: pages?.known() ?? null,
        });
      const after = at === 0 ? (resume?.after ?? 0) : 0;
      done(after);
      await run(after, done);
    }
  } finally {
    pages?.stop();
  }
  if (database.engine === 'sqlite' && findings.isSuspicious())
    await checkAllValueTypes(archive, findings, options);
  const report = findings.report(database.engine, filesPlaceOf({ blobs }), since);
  // Rows that cannot be read are findings already.
  const named = await withAttachments(archive, report.findings).catch((error: unknown) => {
    if (isStoreDamaged(error)) return report.findings;
    throw error;
  });
  return {
    ...report,
    findings: named,
    ...(blobs.mark === undefined ? {} : { files_at: blobs.mark.place }),
    ...(report.verdict === 'ok' ? await notIndexed(archive) : {}),
    ...(resume === undefined ? {} : { began_at }),
  };
}

/** Returns how many messages wait to be indexed; nothing where none does. */
async function notIndexed({ database }: Archive): Promise<{ not_indexed?: number }> {
  const { of, indexed } = await indexState(database, 'mirror');
  return of > indexed ? { not_indexed: of - indexed } : {};
}

/** Returns the numbers above which rows were added since the time of the options, undefined for a check of everything. */
async function recentFrom(archive: Archive, { since }: FsckOptions): Promise<FsckReport['since']> {
  if (since === undefined) return undefined;
  return { time: new Date(since).toISOString(), ...(await numbersBefore(archive.database, since)) };
}

/** Names the values over which other checks may have failed. In a sound archive there are none, so nobody looks for them. */
async function checkAllValueTypes(archive: Archive, findings: Findings, options: FsckOptions): Promise<void> {
  for (const typed of TYPED_TABLES) {
    const { check, table } = typed;
    await findings.guard(check, table, () => checkValueTypes(archive.database, typed, 'outside', findings));
    const work = (range: Range) => checkValueTypes(archive.database, typed, range, findings);
    await inRanges(archive, { label: check, parts: [{ ...typed, work }] }, 0, findings, options);
  }
}
