// Collects what the check of an archive looked at and found, in memory that does not grow with the archive.
import type { FsckReport } from '../../contract/reports/archive.ts';
import { isStoreDamaged } from '../store/sql/database-error.ts';

type Finding = FsckReport['findings'][number];
/** The name of a check in the report. */
export type CheckName = FsckReport['checks'][number]['name'];

/** A finding names its first subjects and counts all of them. */
const MAX_NAMED_SUBJECTS = 100;

/** Counts and findings so far. */
export type Findings = {
  /** Counts rows or files that a check looked at. */
  checked(check: CheckName, count: number): void;
  /** Counts bytes that were hashed. */
  hashed(bytes: number): void;
  /** Adds a problem of `subject`. A `notice` is unusual, but no damage. */
  add(check: CheckName, problem: string, subject: string, severity?: Finding['severity']): void;
  /**
   * Runs `work`. An error of the database that means damage becomes a finding about `subject`, and so does a TypeError after
   * damage was found. Others are thrown.
   */
  guard(check: CheckName, subject: string, work: () => Promise<void>): Promise<void>;
  report(engine: FsckReport['engine'], files: FsckReport['files']): FsckReport;
};

/** Returns an empty collection. */
export function createFindings(): Findings {
  const checks = new Map<CheckName, number>();
  const findings = new Map<string, Finding>();
  let bytes = 0;
  const add: Findings['add'] = (check, problem, subject, severity = 'damage') => {
    if (!checks.has(check)) checks.set(check, 0);
    const key = `${check} ${problem}`;
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
    async guard(check, subject, work) {
      try {
        await work();
      } catch (error) {
        // In a damaged row any column may hold NULL or a value of another type.
        const isOfDamage = error instanceof TypeError && isDamaged();
        if (!isStoreDamaged(error) && !isOfDamage) throw error;
        add(check, 'unreadable', subject);
      }
    },
    report(engine, files) {
      const all = [...findings.values()];
      // The check `engine` counts even where the archive has no rows, so it does not count as having checked something.
      const checked = [...checks].reduce((sum, [name, count]) => sum + (name === 'engine' ? 0 : count), 0);
      return {
        version: 1,
        engine,
        files,
        verdict: isDamaged() ? 'damaged' : checked === 0 ? 'nothing_checked' : 'ok',
        checks: [...checks].map(([name, count]) => ({ name, looked: count })),
        bytes,
        findings: all,
      };
    },
  };
}
