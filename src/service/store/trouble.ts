// A database that cannot serve now, or not us: by kind, in our words, with the engine's code and nothing else of what it said.
import { Fault, type FaultKind } from '../../faults.ts';

/**
 * `unreachable`: no connection, or it was lost; an outcome may be unknown. `refused`: not this user or password.
 * `busy`: locked, too slow, or in conflict with others after all tries. `full`: no space left for it.
 */
export type TroubleKind = 'unreachable' | 'refused' | 'busy' | 'full';

const TEXTS: Record<TroubleKind, string> = {
  unreachable: 'the database cannot be reached',
  refused: 'the database refuses this user or password',
  busy: 'the database is busy',
  full: 'the database has no space left',
};

export class DatabaseTrouble extends Error {
  readonly kind: TroubleKind;
  /** SQLSTATE, or the system's code. */
  readonly code: string;

  constructor(kind: TroubleKind, code: string, cause: unknown) {
    super(`${TEXTS[kind]} (${code})`, { cause });
    this.kind = kind;
    this.code = code;
  }
}

const FAULTS: Record<TroubleKind, FaultKind> = {
  unreachable: 'network',
  refused: 'auth',
  busy: 'busy',
  full: 'disk',
};

/** The trouble as a command ends with it; `kept` says what is there all the same. */
export function troubleFault(trouble: DatabaseTrouble, kept: string): Fault {
  const retryable = trouble.kind === 'unreachable' || trouble.kind === 'busy';
  return new Fault(FAULTS[trouble.kind], trouble.message, { kept, retryable, cause: trouble });
}
