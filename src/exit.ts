// The exit code of each kind of Fault.
import { Fault, type FaultKind } from './faults.ts';

/** Kind of a Fault → exit code. */
export const EXIT: Record<FaultKind, number> = {
  internal: 1,
  usage: 2,
  partial: 3,
  auth: 4,
  forbidden: 5,
  not_found: 6,
  conflict: 7,
  unstable: 8,
  busy: 9,
  network: 10,
  protocol: 11,
  integrity: 12,
  unsafe: 13,
  disk: 14,
  store: 15,
  unconfirmed: 16,
  interrupted: 130,
};

const SIGNALS: Record<string, number> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 };

/** Kinds, the most severe first. Of several failures the most severe decides; a signal and a bug come before all others. */
const SEVERITY: FaultKind[] = [
  'interrupted',
  'internal',
  'usage',
  'integrity',
  'unsafe',
  'disk',
  'unconfirmed',
  'store',
  'protocol',
  'network',
  'busy',
  'unstable',
  'conflict',
  'forbidden',
  'auth',
  'not_found',
  'partial',
];

/** Returns the exit codes of failures, the most severe first. A signal has many codes and is not among them. */
export function exitCodesBySeverity(): number[] {
  return SEVERITY.filter((kind) => kind !== 'interrupted').map((kind) => EXIT[kind]);
}

/** Returns the exit code of a run that ended with this fault. */
export function exitCodeOf(fault: Fault): number {
  return SIGNALS[fault.detail.signal ?? ''] ?? EXIT[fault.kind];
}

/** Returns the most severe of several faults, the first one where they are equal. */
export function worstOf(faults: readonly Fault[]): Fault | undefined {
  return faults.reduce<Fault | undefined>(
    (worst, fault) =>
      worst === undefined || SEVERITY.indexOf(fault.kind) < SEVERITY.indexOf(worst.kind) ? fault : worst,
    undefined,
  );
}
