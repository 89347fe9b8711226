// A database that cannot serve now, or not us: by kind, in our words, with the engine's code and nothing else of what it said.
import { Fault, type FaultKind } from '../../../faults.ts';
import { primaryCode, SQLITE } from './sqlite-result-codes.ts';

/**
 * `unreachable`: no connection, or it was lost; an outcome may be unknown. `open`: TLS is wanted and not offered.
 * `refused`: not this user or password. `unproven`: no password is known. `unwritable`: this user may only read it.
 * `denied`: any other right that this user lacks. `busy`: locked, too slow, or in conflict with others after all tries.
 * `full`: no space left for it.
 */
export type AccessErrorKind =
  'unreachable' | 'open' | 'refused' | 'unproven' | 'unwritable' | 'denied' | 'busy' | 'full';

/** What is said of each kind, and how a command ends with it. */
const TROUBLES: Record<AccessErrorKind, { text: string; fault: FaultKind; passes?: true; hint?: string }> = {
  unreachable: { text: 'the database cannot be reached', fault: 'network', passes: true },
  open: { text: 'the server of the database offers no TLS', fault: 'network' },
  refused: { text: 'the database refuses this user or password', fault: 'auth' },
  unproven: {
    text: 'the database asks for a password, and none was given',
    fault: 'auth',
    hint: 'PGPASSWORD or a line of ~/.pgpass gives it',
  },
  unwritable: {
    text: 'the database may not be written to by this user',
    fault: 'store',
    hint: 'arx serve --read-only and arx fsck write nothing',
  },
  denied: { text: 'the database denies this user a right that is needed', fault: 'store' },
  busy: { text: 'the database is busy', fault: 'busy', passes: true },
  full: { text: 'the database has no space left', fault: 'disk' },
};

export class DatabaseAccessError extends Error {
  readonly kind: AccessErrorKind;
  /** SQLSTATE, or the system's code, where there is one. */
  readonly code: string | undefined;

  constructor(kind: AccessErrorKind, code: string | undefined, cause: unknown) {
    super(code === undefined ? TROUBLES[kind].text : `${TROUBLES[kind].text} (${code})`, { cause });
    this.kind = kind;
    this.code = code;
  }
}

/** The trouble as a command ends with it; `kept` says what is there all the same, where that is known. */
export function accessFault(trouble: DatabaseAccessError, kept?: string): Fault {
  const { fault, passes, hint } = TROUBLES[trouble.kind];
  return new Fault(fault, trouble.message, {
    ...(kept === undefined ? {} : { kept }),
    ...(hint === undefined ? {} : { hint }),
    retryable: passes === true,
    cause: trouble,
  });
}

/** What passes or needs the keeper, never the client. */
const ENGINE_TROUBLE = new Set([
  SQLITE.BUSY,
  SQLITE.LOCKED,
  SQLITE.NOMEM,
  SQLITE.READONLY,
  SQLITE.IOERR,
  SQLITE.FULL,
  SQLITE.CANTOPEN,
]);
const DISK_TROUBLE = new Set(['ENOSPC', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EDQUOT']);

/** Whether a thrown value says that the archive cannot serve now, whatever it was asked. */
export function isStoreUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof DatabaseAccessError) return true;
  const ofEngine = primaryCode(error);
  if (ofEngine !== undefined) return ENGINE_TROUBLE.has(ofEngine);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && DISK_TROUBLE.has(code);
}

const FULL = new Set<unknown>([SQLITE.FULL, SQLITE.IOERR_SHMSIZE, 'ENOSPC', 'EDQUOT']);

/** Whether it is that no space is left. */
export function isNoSpace(error: unknown): boolean {
  if (error instanceof DatabaseAccessError) return error.kind === 'full';
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return FULL.has(errcode) || FULL.has(code);
}

/** Kind and code of a thrown value for a log: its message may hold data, so it is left out. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return [error.constructor.name, code, errcode]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(' ');
}
