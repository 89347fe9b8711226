// What a file on disk is, held against what it should be: one verdict a file, and what follows from all of them.
import type { Verdict, VerifiedFile, VerifyReport } from '../contract/reports/files.ts';
import { sameHash } from '../contract/scalars.ts';
import { Fault } from '../faults.ts';
import { isHashFailure } from './hash-pool.ts';

/** What is expected: a row of a manifest, the catalogue or a sums file. `sha256` null: nothing to check against. */
export type ExpectedFile = {
  id: string | null;
  /** Relative, with slashes; null where the record was never written or its name is not known. */
  path: string | null;
  sha256: string | null;
  /** Null where it is not known. */
  bytes?: number | null;
  /** There may be no file of it: that is no fault of the folder. */
  redacted?: boolean;
};

/** What is there: its SHA-256, or why there is none; `bytes` counts where it was read. */
export type FoundFile = { path: string; hash: string; bytes: number };

/** At least one of the two. A redacted row without its file is `withheld`; with it, the bytes are held against its hash. */
export function verdictRow(
  expected: ExpectedFile | undefined,
  observed: FoundFile | undefined,
): VerifiedFile {
  const read = observed !== undefined && !isHashFailure(observed.hash) ? observed : undefined;
  const expectedHash = expected?.sha256?.toLowerCase() ?? null;
  return {
    path: observed?.path ?? expected?.path ?? null,
    id: expected?.id ?? null,
    verdict: verdictOf(expected, observed),
    expected: expectedHash,
    // One string for both, where there are many.
    actual: read === undefined ? null : read.hash === expectedHash ? expectedHash : read.hash,
    bytes: read?.bytes ?? null,
  };
}

function verdictOf(expected: ExpectedFile | undefined, observed: FoundFile | undefined): Verdict {
  if (observed === undefined) return expected?.redacted === true ? 'withheld' : 'missing';
  if (observed.hash === 'unreadable') return 'unreadable';
  if (expected === undefined) return 'extra';
  if (observed.hash === 'special') return 'unreadable';
  if (observed.hash === 'changed' || expected.sha256 === null) return 'unverifiable';
  const sized = (expected.bytes ?? observed.bytes) === observed.bytes;
  return sized && sameHash(expected.sha256, observed.hash) ? 'match' : 'mismatch';
}

/**
 * Adds up the files of a report. `expectedWhole`: whether the expectation is known to be the whole collection; if not,
 * completeness is unknown unless something is seen to be missing.
 */
export function verifyReportOf(files: VerifiedFile[], expectedWhole: boolean): VerifyReport {
  const verdicts = {
    match: 0,
    mismatch: 0,
    missing: 0,
    extra: 0,
    withheld: 0,
    unreadable: 0,
    unverifiable: 0,
  };
  for (const { verdict } of files) verdicts[verdict]++;
  const checked = verdicts.match + verdicts.mismatch;
  const lacking = verdicts.missing + verdicts.withheld + verdicts.unreadable + verdicts.unverifiable;
  return {
    version: 1,
    checked,
    verdicts,
    bytes: files.reduce((sum, file) => sum + (file.bytes ?? 0), 0),
    files,
    fixity: verdicts.mismatch > 0 ? 'failed' : checked > 0 ? 'ok' : 'nothing_checked',
    completeness: lacking > 0 ? 'incomplete' : expectedWhole ? 'complete' : 'unknown',
  };
}

/**
 * Every reason why a verification did not pass, for the exit code of the most severe: 12 for different and missing
 * files, 14 for unreadable ones, 3 for what could not be checked and where nothing was. Extra files are named, no fault.
 */
export function verifyFaultsOf(report: Pick<VerifyReport, 'verdicts' | 'checked'>): Fault[] {
  const { mismatch, missing, unreadable, withheld, unverifiable } = report.verdicts;
  const faults: Fault[] = [];
  if (mismatch > 0) faults.push(new Fault('integrity', `${count(mismatch)} of another content`));
  if (missing > 0) faults.push(new Fault('integrity', `${count(missing)} missing`));
  if (unreadable > 0) faults.push(new Fault('disk', `${count(unreadable)} unreadable`));
  if (withheld > 0) faults.push(new Fault('partial', `${count(withheld)} withheld, not checkable`));
  if (unverifiable > 0) faults.push(new Fault('partial', `${count(unverifiable)} not checkable`));
  if (faults.length === 0 && report.checked === 0) faults.push(new Fault('partial', 'nothing was checked'));
  return faults;
}

const count = (files: number) => (files === 1 ? '1 file' : `${files} files`);
