// Collects what the check of an archive looked at and found, in memory that does not grow with the archive.
import { FSCK_CHECKS, type FsckReport } from '../../contract/reports/archive.ts';
import { errorName, isStoreDamaged } from '../store/sql/database-error.ts';

type Finding = FsckReport['findings'][number];
/** The name of a check in the report. */
export type CheckName = FsckReport['checks'][number]['name'];

/** A finding names its first subjects and counts all of them. */
const MAX_NAMED_SUBJECTS = 100;

/** The problem of a part that the database cannot read. */
const UNREADABLE = 'unreadable';

/** Counts and findings so far. */
export type Findings = {
  /** Counts rows or files that a check looked at. */
  checked(check: CheckName, count: number): void;
  /** Counts bytes that were hashed. */
  hashed(bytes: number): void;
  /** Adds a problem of `subject`. A `notice` is unusual, but no damage. */
  add(check: CheckName, problem: string, subject: string, severity?: Finding['severity']): void;
  /** Adds a value that its column cannot hold. Internal errors are explained by it. */
  addWrongValue(check: CheckName, problem: string, subject: string): void;
  /** Returns whether the database is damaged, or a part of the archive was not checked. */
  isSuspicious(): boolean;
  /**
   * Runs `work`. An error of the database that means damage becomes a finding about `subject`. An error of this program is no
   * damage: `subject` was not checked. Others are thrown.
   */
  guard(check: CheckName, subject: string, work: () => Promise<void>): Promise<void>;
  report(engine: FsckReport['engine'], files: FsckReport['files'], since?: FsckReport['since']): FsckReport;
  /** Returns all that was counted and found so far. */
  state(): FindingsState;
};

/** What a check counted and found before it was interrupted. */
export type FindingsState = {
  checks: [CheckName, number][];
  findings: Finding[];
  unchecked: NonNullable<FsckReport['unchecked']>;
  has_wrong_values: boolean;
  bytes: number;
};

const keyOf = ({ check, problem }: Pick<Finding, 'check' | 'problem'>): string => `${check} ${problem}`;

/** Returns an empty collection, or that of a check which is continued. */
export function createFindings(before?: FindingsState): Findings {
  const checks = new Map<CheckName, number>(before?.checks);
  const findings = new Map<string, Finding>(
    before?.findings.map((finding) => [keyOf(finding), { ...finding, subjects: [...finding.subjects] }]),
  );
  const unchecked: NonNullable<FsckReport['unchecked']> = [...(before?.unchecked ?? [])];
  let hasWrongValues = before?.has_wrong_values ?? false;
  let bytes = before?.bytes ?? 0;
  const add: Findings['add'] = (check, problem, subject, severity = 'damage') => {
    if (!checks.has(check)) checks.set(check, 0);
    const key = keyOf({ check, problem });
    const finding = findings.get(key) ?? { check, problem, severity, count: 0, subjects: [] };
    finding.count += 1;
    if (finding.subjects.length < MAX_NAMED_SUBJECTS) finding.subjects.push(subject);
    findings.set(key, finding);
  };
  const isDamaged = (): boolean => [...findings.values()].some(({ severity }) => severity === 'damage');
  return {
    checked: (check, count) => void checks.set(check, (checks.get(check) ?? 0) + count),
    hashed: (count) => void (bytes += count),
    add,
    addWrongValue(check, problem, subject) {
      hasWrongValues = true;
      add(check, problem, subject);
    },
    isSuspicious: () =>
      unchecked.length > 0 ||
      [...findings.values()].some(({ check, problem }) => check === 'engine' || problem === UNREADABLE),
    async guard(check, subject, work) {
      try {
        await work();
      } catch (error) {
        if (isStoreDamaged(error)) add(check, UNREADABLE, subject);
        else if (isOfThisProgram(error)) unchecked.push({ check, subject, error: errorName(error) });
        else throw error;
      }
    },
    // A copy: the check goes on.
    state: () =>
      structuredClone({
        checks: [...checks],
        findings: [...findings.values()],
        unchecked,
        has_wrong_values: hasWrongValues,
        bytes,
      }),
    report(engine, files, since) {
      // Checks of the same rows run together. The report has each for itself.
      const placeOf = (name: string): number => FSCK_CHECKS.findIndex((check) => check === name);
      const all = [...findings.values()].toSorted((a, b) => placeOf(a.check) - placeOf(b.check));
      // The check `engine` counts even where the archive has no rows, so it does not count as having checked something.
      const checked = [...checks].reduce((sum, [name, count]) => sum + (name === 'engine' ? 0 : count), 0);
      return {
        version: 1,
        engine,
        files,
        verdict: isDamaged()
          ? 'damaged'
          : unchecked.length > 0
            ? 'partly_checked'
            : since === undefined
              ? checked === 0
                ? 'nothing_checked'
                : 'ok'
              : checked === 0
                ? 'nothing_new'
                : 'ok_since',
        ...(since === undefined ? {} : { since }),
        checks: [...checks]
          .toSorted(([a], [b]) => placeOf(a) - placeOf(b))
          .map(([name, count]) => ({ name, looked: count })),
        bytes,
        findings: all,
        ...(unchecked.length === 0 ? {} : { unchecked, unchecked_is_explained: hasWrongValues }),
      };
    },
  };
}

/** Returns whether a thrown value is a bug, or the work of a value that its column cannot hold. */
function isOfThisProgram(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  );
}
