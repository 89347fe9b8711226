// Errors of a database, or of a bucket with its files, that cannot serve now or not this user, in our own words and without the engine's text.
import { Fault, type FaultKind } from '../../../faults.ts';
import { DATABASE_DAMAGED } from '../../rules/api-error.ts';
import { primaryCode, SQLITE } from './sqlite-result-codes.ts';

/**
 * `unreachable`: no connection, or the connection was lost; whether a commit happened may be unknown. `no_tls`: TLS is
 * required and the server offers none. `untrusted`, `other_name`: its certificate is of no known authority, has expired, or names another server. `needs_tls`: the server does not let this user in from here without TLS. `refused`: the server
 * refuses this user or password. `not_admitted`: the server does not let this user in from here, whatever the password.
 * `no_password`: the server asks for a password and none is known. `no_connection_left`: max_connections, or the limit of the user or the database. `pooler`: a pooler in front of the server does not
 * allow what is needed. `missing`: the server has no such database. `no_database`: a pooler knows no database of this name. `unwritable`: this user may only read the archive. `denied`: this user lacks another right.
 * `standby`: the server takes no writes now. `no_writable`, `no_standby`: no server of the address is of the kind that it asks
 * for. `busy`: locked, too slow, or in conflict with others after all attempts. `no_answer`: a statement
 * got no answer within the client's limit. `full`: no space left.
 * `failing`: the disk, or a limit of the system on open files or on the size of a file, does not let it be read or written.
 * `read_only`: its disk or its file is read-only. Those of the bucket: no answer, busy for all attempts, credentials refused or
 * missing rights, no such bucket, another region, a clock that differs, and answers that cannot be right.
 */
export type AccessErrorKind =
  | 'unreachable'
  | 'no_tls'
  | 'untrusted'
  | 'other_name'
  | 'needs_tls'
  | 'refused'
  | 'not_admitted'
  | 'no_password'
  | 'no_connection_left'
  | 'pooler'
  | 'missing'
  | 'no_database'
  | 'unwritable'
  | 'denied'
  | 'standby'
  | 'no_writable'
  | 'no_standby'
  | 'busy'
  | 'no_answer'
  | 'full'
  | 'failing'
  | 'read_only'
  | 'bucket_unreachable'
  | 'bucket_busy'
  | 'bucket_refused'
  | 'no_bucket'
  | 'bucket_region'
  | 'bucket_clock'
  | 'bucket_answer';

/** The text of each kind, the fault that a command ends with, and whether trying again may help. */
const KINDS: Record<AccessErrorKind, { text: string; fault: FaultKind; isTemporary?: true; hint?: string }> =
  {
    unreachable: { text: 'the database cannot be reached', fault: 'network', isTemporary: true },
    no_tls: { text: 'the server of the database offers no TLS', fault: 'network' },
    untrusted: {
      text: 'the certificate of the server of the database is not trusted',
      fault: 'network',
      hint: 'name the certificate of its authority in the address: sslrootcert=FILE',
    },
    other_name: {
      text: 'the certificate of the server of the database is for another name',
      fault: 'network',
      hint: 'name the server in the address as its certificate does',
    },
    needs_tls: {
      text: 'the database does not admit this user from this address without TLS',
      fault: 'network',
      hint: 'add sslmode=verify-full to the address; if that is not it, look at pg_hba.conf of the server',
    },
    refused: { text: 'the database refuses this user or password', fault: 'auth' },
    not_admitted: {
      text: 'the database does not admit this user from this address',
      fault: 'auth',
      hint: 'look at the name of the user, and at pg_hba.conf of the server',
    },
    no_password: {
      text: 'the database asks for a password, and none was given',
      fault: 'auth',
      hint: 'set PGPASSWORD or add a line to ~/.pgpass',
    },
    no_connection_left: {
      text: 'the database has no connection left for this user',
      fault: 'busy',
      isTemporary: true,
      hint: 'each process holds up to ten: raise max_connections or the limit of the user, or use PgBouncer',
    },
    pooler: {
      text: 'the pooler in front of the database refuses what is needed',
      fault: 'store',
      hint: 'PgBouncer needs pool_mode = transaction or session; set no PGOPTIONS, put options into the address',
    },
    missing: {
      text: 'there is no such database',
      fault: 'store',
      hint: 'arx does not make it: arx help postgresql has the statement',
    },
    no_database: {
      text: 'the pooler in front of the database knows no database of this name',
      fault: 'store',
    },
    unwritable: {
      text: 'the database may not be written to by this user',
      fault: 'store',
      hint: 'arx serve --read-only and arx fsck write nothing',
    },
    denied: {
      text: 'the database denies this user a right that is needed',
      fault: 'store',
      hint: 'arx help postgresql names the rights',
    },
    standby: {
      text: 'the database takes no writes now: it is a standby, or read-only',
      fault: 'busy',
      isTemporary: true,
      hint: 'name the primary, or all servers with target_session_attrs=read-write',
    },
    no_writable: {
      text: 'no server of the address takes writes now',
      fault: 'network',
      isTemporary: true,
    },
    no_standby: {
      text: 'no server of the address is a standby now',
      fault: 'network',
      isTemporary: true,
    },
    busy: {
      text: 'the database is busy',
      fault: 'busy',
      isTemporary: true,
      hint: 'another process writes to it: try again when that has ended',
    },
    no_answer: {
      text: 'the database does not answer in time',
      fault: 'busy',
      isTemporary: true,
      hint: 'look at the log of its server, or of the pooler in front of it',
    },
    full: {
      text: 'the database has no space left',
      fault: 'disk',
      hint: 'what was stored before is kept: make room, and run the same command again',
    },
    failing: {
      text: 'the database cannot be read or written',
      fault: 'disk',
      hint: 'look at the disk, and at the limits of ulimit -a: file size, open files',
    },
    read_only: {
      text: 'the database cannot be written to: its disk or its file is read-only',
      fault: 'disk',
    },
    bucket_unreachable: {
      text: 'the bucket of the files cannot be reached',
      fault: 'network',
      isTemporary: true,
    },
    bucket_busy: {
      text: 'the service of the bucket is busy or failing, after several attempts',
      fault: 'busy',
      isTemporary: true,
    },
    bucket_refused: {
      text: 'the bucket refuses these credentials, or what they are used for',
      fault: 'auth',
      hint: 'arx needs to get, put and list objects, and to list and abort uploads: arx help postgresql',
    },
    no_bucket: { text: 'there is no such bucket', fault: 'store' },
    bucket_region: {
      text: 'the bucket is in another region, or at another endpoint',
      fault: 'store',
      hint: 'name it: s3://BUCKET?region=REGION&endpoint=URL',
    },
    bucket_clock: {
      text: 'the clock of this machine differs too much from that of the service of the bucket',
      fault: 'auth',
      hint: 'set the clock, e.g. by NTP',
    },
    bucket_answer: {
      text: 'the service of the bucket answers what S3 does not',
      fault: 'store',
      hint: 'is the endpoint that of an S3 service?',
    },
  };

/** The database cannot serve now, or not this user. The message contains no text of the engine. */
export class DatabaseAccessError extends Error {
  readonly kind: AccessErrorKind;
  /** SQLSTATE or the code of the system, where there is one. */
  readonly code: string | undefined;

  /**
   * `place`: the database and its servers, where the connection itself failed, the object on which a right is missing, or what a bucket
   * says of its region or its clock.
   */
  constructor(kind: AccessErrorKind, code: string | undefined, cause: unknown, place?: string) {
    const { text } = KINDS[kind];
    super(`${text}${code === undefined ? '' : ` (${code})`}${place === undefined ? '' : `: ${place}`}`, {
      cause,
    });
    this.kind = kind;
    this.code = code;
  }
}

/** Returns the fault that a command ends with. `kept` says what was stored nevertheless, where that is known. */
export function accessFault(error: DatabaseAccessError, kept?: string): Fault {
  const { fault, isTemporary, hint } = KINDS[error.kind];
  return new Fault(fault, error.message, {
    ...(kept === undefined ? {} : { kept }),
    ...(hint === undefined ? {} : { hint }),
    retryable: isTemporary === true,
    cause: error,
  });
}

/**
 * Returns the fault that a command ends with where its database cannot serve or is damaged; any other error comes back as it is.
 * `kept` as in {@link accessFault}.
 */
export function storeFault(error: unknown, kept?: string): unknown {
  if (error instanceof DatabaseAccessError) return accessFault(error, kept);
  if (!isStoreDamaged(error)) return error;
  return new Fault('integrity', DATABASE_DAMAGED, { ...(kept === undefined ? {} : { kept }), cause: error });
}

/** Returns whether waiting does not help: the address, the rights or the server must be changed. A disk can have space again. */
export function isForOperator({ kind }: DatabaseAccessError): boolean {
  const { fault, isTemporary } = KINDS[kind];
  return isTemporary !== true && fault !== 'disk';
}

/** Returns an error that passes by itself, such as a database that restarts or is locked; undefined for any other. */
export function passingFailure(error: unknown): DatabaseAccessError | undefined {
  const meant = accessErrorOf(error);
  return meant instanceof DatabaseAccessError && KINDS[meant.kind].isTemporary === true ? meant : undefined;
}

/** Returns whether a table or the schema is missing in PostgreSQL. */
export function isMissing(error: unknown): boolean {
  return ['42P01', '3F000'].includes(String((error as { code?: unknown }).code));
}

/** Codes of errors that pass or that the operator must repair. The client cannot. */
const UNAVAILABLE_RESULT_CODES = new Set([
  SQLITE.BUSY,
  SQLITE.LOCKED,
  SQLITE.NOMEM,
  SQLITE.READONLY,
  SQLITE.IOERR,
  SQLITE.FULL,
  SQLITE.CANTOPEN,
]);
const UNAVAILABLE_SYSTEM_CODES = new Set(['ENOSPC', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EDQUOT']);

/** Returns whether a thrown value means that the archive cannot serve any request now. */
export function isStoreUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof DatabaseAccessError) return true;
  const resultCode = primaryCode(error);
  if (resultCode !== undefined) return UNAVAILABLE_RESULT_CODES.has(resultCode);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && UNAVAILABLE_SYSTEM_CODES.has(code);
}

/**
 * Returns whether an error of the database means that its content is damaged, or that a table or column is missing. SQLite often
 * gives its general code for it. PostgreSQL has class XX for damage and 22… for invalid values.
 */
export function isStoreDamaged(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DatabaseAccessError) return false;
  const resultCode = primaryCode(error);
  if (resultCode === SQLITE.CORRUPT || resultCode === SQLITE.NOTADB) return true;
  const { code } = error as { code?: unknown };
  // The statements are constants that tests run, so SQLite refuses one only where the schema in the file is another.
  if (code === 'ERR_SQLITE_ERROR' && (resultCode === undefined || resultCode === SQLITE.ERROR)) return true;
  return typeof code === 'string' && /^(?:XX...|22021|22P0.|42P01|42703)$/.test(code);
}

const NO_SPACE_CODES = new Set<unknown>([SQLITE.FULL, SQLITE.IOERR_SHMSIZE, 'ENOSPC', 'EDQUOT']);

/** Returns whether a thrown value means that no space is left. */
export function isNoSpace(error: unknown): boolean {
  if (error instanceof DatabaseAccessError) return error.kind === 'full';
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return NO_SPACE_CODES.has(errcode) || NO_SPACE_CODES.has(code);
}

const FAILING_CODES = new Set(['EIO', 'EMFILE', 'ENFILE', 'EFBIG']);

/** Returns an error of SQLite or of the system as the one that it means for a command; any other comes back as it is. */
export function accessErrorOf(error: unknown): unknown {
  if (error instanceof DatabaseAccessError || !(error instanceof Error)) return error;
  const { code: name = '' } = error as NodeJS.ErrnoException;
  if (isNoSpace(error)) return new DatabaseAccessError('full', undefined, error);
  const code = primaryCode(error);
  if (code === SQLITE.READONLY || name === 'EROFS')
    return new DatabaseAccessError('read_only', undefined, error);
  if (code === SQLITE.BUSY || code === SQLITE.LOCKED)
    return new DatabaseAccessError('busy', undefined, error);
  const isFailing = code === SQLITE.IOERR || code === SQLITE.NOMEM || FAILING_CODES.has(name);
  return isFailing ? new DatabaseAccessError('failing', undefined, error) : error;
}

/** Returns class and code of a thrown value for a log. Its message is left out, because it may contain data. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return [error.constructor.name, code, errcode]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(' ');
}
