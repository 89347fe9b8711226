// What a check of an archive looked at and what it found, in bounded memory: every problem counted, the first of each named.
import type { FsckReport } from '../../contract/reports/archive.ts';
import { DatabaseAccessError } from '../store/sql/database-error.ts';

type Finding = FsckReport['findings'][number];
export type CheckName = FsckReport['checks'][number]['name'];

/** Subjects named of one problem; all are counted. */
const MOST_NAMED = 100;

export type Ledger = {
  looked(check: CheckName, count: number): void;
  hashed(bytes: number): void;
  /** Something is wrong with the subject; a `notice` is odd, and no damage. */
  found(check: CheckName, problem: string, subject: string, severity?: Finding['severity']): void;
  /** Runs a piece of work; what the engine cannot read of its own is a finding about `subject`, not the end. */
  reading(check: CheckName, subject: string, work: () => Promise<void>): Promise<void>;
  report(engine: FsckReport['engine'], files: FsckReport['files']): FsckReport;
};

export function createLedger(): Ledger {
  const checks = new Map<CheckName, number>();
  const findings = new Map<string, Finding>();
  let bytes = 0;
  const found: Ledger['found'] = (check, problem, subject, severity = 'damage') => {
    if (!checks.has(check)) checks.set(check, 0);
    const key = `${check} ${problem}`;
    const known = findings.get(key) ?? { check, problem, severity, count: 0, subjects: [] };
    known.count += 1;
    if (known.subjects.length < MOST_NAMED) known.subjects.push(subject);
    findings.set(key, known);
  };
  return {
    looked: (check, count) => void checks.set(check, (checks.get(check) ?? 0) + count),
    hashed: (count) => void (bytes += count),
    found,
    async reading(check, subject, work) {
      try {
        await work();
      } catch (error) {
        if (!isDamage(error)) throw error;
        found(check, 'unreadable', subject);
      }
    },
    report(engine, files) {
      const all = [...findings.values()];
      // An engine that is well says nothing of an archive without rows.
      const looked = [...checks].reduce((sum, [name, count]) => sum + (name === 'engine' ? 0 : count), 0);
      const isDamaged = all.some(({ severity }) => severity === 'damage');
      return {
        version: 1,
        engine,
        files,
        verdict: isDamaged ? 'damaged' : looked === 0 ? 'nothing_checked' : 'ok',
        checks: [...checks].map(([name, count]) => ({ name, looked: count })),
        bytes,
        findings: all,
      };
    },
  };
}

/**
 * SQLITE_CORRUPT and SQLITE_NOTADB, whose codes are not always given; PostgreSQL's class XX, and text or numbers that are
 * none. A table or column that is gone, on both.
 */
function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DatabaseAccessError) return false;
  const { code } = error as { code?: unknown };
  if (code === 'ERR_SQLITE_ERROR')
    return /malformed|not a database|no such (?:table|column)/.test(error.message);
  return typeof code === 'string' && /^(XX...|22021|22P0.|42P01|42703)$/.test(code);
}
