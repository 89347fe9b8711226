// Compares a file on disk with what is expected: one verdict per file, and the report and Faults of all of them.
import type { PulledFile, Verdict, VerifiedFile, VerifyReport } from '../contract/reports/files.ts';
import { sameHash } from '../contract/scalars.ts';
import { cutText } from '../contract/search/cut-text.ts';
import { Fault, type FaultKind, type Hint } from '../faults.ts';
import { isHashFailure } from './hash-pool.ts';

/** A row of a manifest, the catalogue or a checksum list. `sha256` null: there is no hash to compare with. */
export type ExpectedFile = {
  id: string | null;
  /** Relative, with slashes; null where no file was written for it or its name is not known. */
  path: string | null;
  sha256: string | null;
  /** Null where it is not known. */
  bytes?: number | null;
  /** Its file may be missing, unless it has a path; that is no fault of the folder. */
  redacted?: boolean;
  /** The archive does not have its bytes. Its file may be missing, too. */
  absent?: boolean | undefined;
  /** The list of the archive no longer has it. */
  unlisted?: boolean | undefined;
  /** A pull kept it with another hash. */
  changed?: boolean | undefined;
  /** Why it is redacted, absent or was not kept by a pull, where that is known. */
  reason?: string | undefined;
};

/** `hash` is the SHA-256, or a {@link HashFailure}; then `bytes` has no meaning. */
export type FoundFile = { path: string; hash: string; bytes: number };

/**
 * Returns the line of the report for an expected file, a found file, or both. A redacted file is `withheld` if it is
 * missing and was never kept here (it has no path); if it is there, its hash is compared. The same holds for an `absent` one.
 */
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
    // The same string object saves memory where there are many files.
    actual: read === undefined ? null : read.hash === expectedHash ? expectedHash : read.hash,
    bytes: read?.bytes ?? null,
    ...(observed === undefined && expected?.reason !== undefined && !isKeptOnly(expected)
      ? { reason: expected.reason }
      : {}),
    ...(expected !== undefined && isKeptOnly(expected) ? { now: stateOf(expected) } : {}),
    ...(expected?.changed === true ? { changed: true } : {}),
  };
}

/** Whether a file was kept by a pull before it was withheld, absent or unlisted: the reason for that is not why it is missing. */
function isKeptOnly({ path, sha256, redacted, absent, unlisted }: ExpectedFile): boolean {
  return path !== null && sha256 !== null && (redacted === true || absent === true || unlisted === true);
}

function stateOf({ absent, unlisted }: ExpectedFile): 'withheld' | 'absent' | 'unlisted' {
  if (unlisted === true) return 'unlisted';
  return absent === true ? 'absent' : 'withheld';
}

function verdictOf(expected: ExpectedFile | undefined, observed: FoundFile | undefined): Verdict {
  if (observed === undefined) {
    if (expected !== undefined && isKeptOnly(expected)) return 'missing';
    if (expected?.redacted === true) return 'withheld';
    if (expected?.absent === true) return 'absent';
    // Without a hash a pull keeps no file.
    return expected?.sha256 === null && expected.reason !== undefined ? 'unverifiable' : 'missing';
  }
  if (observed.hash === 'unreadable') return 'unreadable';
  if (expected === undefined) return 'extra';
  if (observed.hash === 'special') return 'unreadable';
  if (observed.hash === 'changed' || expected.sha256 === null) return 'unverifiable';
  const sized = (expected.bytes ?? observed.bytes) === observed.bytes;
  return sized && sameHash(expected.sha256, observed.hash) ? 'match' : 'mismatch';
}

const UNAVAILABLE: ReadonlySet<Verdict> = new Set(['withheld', 'absent']);

/**
 * Returns the report of these files. `expectedWhole`: the expected files are known to be the whole collection. Otherwise
 * completeness is unknown, unless something is missing.
 */
export function verifyReportOf(
  files: (VerifiedFile & Partial<Pick<PulledFile, 'attempts'>>)[],
  expectedWhole: boolean,
): VerifyReport {
  const verdicts = {
    match: 0,
    mismatch: 0,
    missing: 0,
    extra: 0,
    withheld: 0,
    absent: 0,
    unreadable: 0,
    unverifiable: 0,
  };
  for (const { verdict } of files) verdicts[verdict]++;
  // A pull says of a file that it is withheld now, also where it was kept earlier and is here.
  const kept = files.filter(({ verdict, actual }) => UNAVAILABLE.has(verdict) && actual !== null).length;
  const checked = verdicts.match + verdicts.mismatch + kept;
  const { missing, withheld, absent, unreadable, unverifiable } = verdicts;
  // What was asked for and has other bytes is not kept.
  const notKept = files.filter(({ verdict, attempts = 0 }) => verdict === 'mismatch' && attempts > 0).length;
  const lacking = missing + withheld + absent - kept + unreadable + unverifiable + notKept;
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

/** What the files were compared with. */
export type Reference = 'manifest' | 'catalogue' | 'sums' | 'bag';

const FROM_COPY = 'take these files from another copy; the report names them';
/** What to do about a damaged bag. */
export const BAG_AGAIN = 'take another copy of the bag, or export it again';
const PULL_AGAIN = 'run that pull again';
/** The pull knows of each file whether the archive still has it as it was. */
const PULL_OVER = `${PULL_AGAIN}: it says of each file whether it can be fetched again, and how`;

const MOVE_AWAY = `move away what stands in their place, or make it readable; then ${PULL_AGAIN}`;

/** How a message begins about a file that had another hash when it was downloaded. */
export const CHANGED_HASH = 'the archive gives another hash';

const AS_DOWNLOADED = `--against manifest checks them as they were downloaded; ${PULL_AGAIN}: it says how to get the others`;

const PULL_PART: Hint = ({ arx }) =>
  `${arx} attachments pull --all --to DIR downloads them; for a part of the catalogue give verify and pull the same options, e.g. --city`;

/** What to do about files with other content, missing ones, and those that cannot be read: also a folder or a link in the place of a file. */
const REPAIR: Record<Reference, { mismatch: Hint; missing: Hint; unreadable: Hint }> = {
  manifest: { mismatch: PULL_OVER, missing: PULL_AGAIN, unreadable: MOVE_AWAY },
  catalogue: { mismatch: PULL_OVER, missing: PULL_PART, unreadable: MOVE_AWAY },
  sums: { mismatch: FROM_COPY, missing: FROM_COPY, unreadable: FROM_COPY },
  bag: { mismatch: BAG_AGAIN, missing: BAG_AGAIN, unreadable: BAG_AGAIN },
};

/**
 * Returns every reason why a verification failed; the most severe decides the exit code. 'integrity' (12) is for wrong and
 * missing files, 'disk' (14) for unreadable ones, 'partial' (3) for what could not be checked. Extra files are no reason.
 * `isPart`: the pull did not end, so its manifest may lack files that it was asked for. `allowWithheld`: withheld and absent files are no
 * reason.
 */
export function verifyFaultsOf(
  report: Pick<VerifyReport, 'verdicts' | 'checked' | 'files'>,
  reference: Reference,
  { isPart = false, allowWithheld = false } = {},
): Fault[] {
  const { mismatch, missing, unreadable, withheld, absent, unverifiable } = report.verdicts;
  const hints = REPAIR[reference];
  const faults: Fault[] = [];
  const fail = (kind: FaultKind, what: string, hint?: Hint) =>
    void faults.push(new Fault(kind, what, hint === undefined ? {} : { hint }));
  const named = (isOne: (file: VerifiedFile) => boolean) => firstNames(report.files.filter(isOne));
  const judged = (verdict: VerifiedFile['verdict']) => named((file) => file.verdict === verdict);
  const numberOf = (isOne: (file: VerifiedFile) => boolean) => report.files.filter(isOne).length;
  const isNotKept = (file: VerifiedFile) => file.verdict === 'missing' && file.reason !== undefined;
  const notKept = numberOf(isNotKept);
  const least = isPart ? 'at least ' : '';
  const isKeptAs = (verdict: Verdict) => (file: VerifiedFile) =>
    file.verdict === verdict && file.now !== undefined && !isChanged(file);
  const isChanged = (file: VerifiedFile) => file.verdict === 'mismatch' && file.changed === true;
  const changed = numberOf(isChanged);
  const nowOf = (verdict: Verdict): string =>
    report.files.some((file) => isKeptAs(verdict)(file) && file.now === 'unlisted')
      ? 'withheld, absent or no longer listed now'
      : 'withheld or absent now';
  const damaged = numberOf(isKeptAs('mismatch'));
  const gone = numberOf(isKeptAs('missing'));
  if (changed > 0) {
    const they = changed === 1 ? 'it was' : 'they were';
    fail(
      'integrity',
      `${CHANGED_HASH} for ${count(changed)} than when ${they} downloaded: ${named(isChanged)}`,
      AS_DOWNLOADED,
    );
  }
  if (mismatch > damaged + changed) {
    const names = named((file) => file.verdict === 'mismatch' && file.now === undefined && !isChanged(file));
    fail(
      'integrity',
      `${count(mismatch - damaged - changed)} with different content: ${names}`,
      hints.mismatch,
    );
  }
  if (missing > notKept + gone) {
    const names = named((file) => file.verdict === 'missing' && file.now === undefined && !isNotKept(file));
    fail('integrity', `${least}${count(missing - notKept - gone)} missing: ${names}`, hints.missing);
  }
  if (damaged > 0) {
    const names = named(isKeptAs('mismatch'));
    fail(
      'integrity',
      `${count(damaged)} with different content, ${nowOf('mismatch')}: ${names}`,
      damaged === 1 ? 'only another copy can replace it' : 'only other copies can replace them',
    );
  }
  if (gone > 0) {
    const names = named(isKeptAs('missing'));
    const copy = gone === 1 ? 'only another copy can replace it' : 'only other copies can replace them';
    fail(
      'integrity',
      `${count(gone)} missing, ${nowOf('missing')}: ${names}`,
      `${copy}; if deleted on purpose, that pull with --force accepts it`,
    );
  }
  if (notKept > 0) {
    const them = notKept === 1 ? 'it' : 'them';
    fail(
      'integrity',
      `${least}${count(notKept)} missing: the pull could not keep ${them} (${named(isNotKept)})`,
      PULL_AGAIN,
    );
  }
  if (unreadable > 0)
    fail('disk', `${count(unreadable)} unreadable: ${judged('unreadable')}`, hints.unreadable);
  if (withheld > 0 && !allowWithheld) fail('partial', `${count(withheld)} withheld, not checkable`);
  if (absent > 0 && !allowWithheld)
    fail('partial', `${count(absent)} absent from the archive, not checkable`);
  if (unverifiable > 0) fail('partial', `${count(unverifiable)} not checkable`);
  if (faults.length === 0 && report.checked === 0) fail('partial', 'nothing was checked');
  return faults;
}

const count = (files: number) => (files === 1 ? '1 file' : `${files} files`);

/** So many files are named. */
const MAX_NAMES = 3;
/** Characters of a name that are shown. */
const MAX_NAME = 120;

/** Returns the names of the first files, and how many more there are: where nobody keeps the report, this is all that is known. */
function firstNames(files: readonly VerifiedFile[]): string {
  const names = files.slice(0, MAX_NAMES).map(({ path, id }) => cutText(path ?? id ?? '', MAX_NAME));
  const more = files.length - names.length;
  return `${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
