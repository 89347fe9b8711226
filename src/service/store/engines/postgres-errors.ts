// Maps errors of the PostgreSQL server and its client to DatabaseAccessError.
import pg from 'pg';
import { DatabaseAccessError, type AccessErrorKind } from '../sql/database-error.ts';

/** By SQLSTATE or its class. Other codes are mistakes of ours or damage, and are thrown as they are. */
const KINDS: Record<string, AccessErrorKind> = {
  '08': 'unreachable',
  '28': 'refused',
  '40': 'busy',
  '53': 'busy',
  53100: 'full',
  53300: 'no_connection_left',
  '55P03': 'busy',
  '57': 'unreachable',
  57014: 'busy',
  25006: 'standby',
  '3D000': 'missing',
  42501: 'denied',
  58030: 'busy',
};

/** The function of the server that reports what pg_hba.conf decides. Its messages are in the language of the server. */
const BY_HBA = 'ClientAuthentication';

/** What PgBouncer says, always in English, and with a code that says nothing. */
const POOLER_MESSAGES: readonly [text: RegExp, kind: AccessErrorKind][] = [
  [/^SSL required/, 'needs_tls'],
  [/^(?:SASL|password|certificate|PAM|"trust") authentication failed|^no such user/, 'refused'],
  [/^no such database/, 'no_database'],
  [/^unsupported startup parameter|statement pooling mode/, 'pooler'],
];

/** By the messages of the client's own errors, which have no code. */
const CLIENT_MESSAGES: readonly [text: RegExp, kind: AccessErrorKind][] = [
  [/^SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a (?:non-empty )?string$/, 'no_password'],
  [/^The server does not support SSL connections$/, 'no_tls'],
  [/^Query read timeout$/, 'no_answer'],
];

/** By the codes of Node for a certificate. */
const CERTIFICATE_CODES: Readonly<Record<string, AccessErrorKind>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'other_name',
  CERT_HAS_EXPIRED: 'untrusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
};

/** Throws the {@link DatabaseAccessError} for an error of the database, or the error itself where there is none. */
export function throwAccessError(error: unknown): never {
  if (error instanceof DatabaseAccessError) throw error;
  if (error instanceof pg.DatabaseError) {
    const kind = kindOf(error);
    const code = error.code ?? '';
    throw kind === undefined ? error : new DatabaseAccessError(kind, code, error, deniedObject(error));
  }
  // Errors of these classes are mistakes of ours. All others of the client are about its connection.
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
  const kind = CLIENT_MESSAGES.find(([text]) => text.test(error.message))?.[1];
  if (kind !== undefined) throw new DatabaseAccessError(kind, undefined, error);
  const { code } = error as NodeJS.ErrnoException;
  throw new DatabaseAccessError(
    CERTIFICATE_CODES[code ?? ''] ?? 'unreachable',
    code ?? 'connection lost',
    error,
  );
}

/** Returns the object on which a right is missing, as far as an English message of the server names it. */
function deniedObject({ code, message }: pg.DatabaseError): string | undefined {
  if (code !== '42501') return undefined;
  const [, what, kind, name] =
    /^(permission denied for|must be owner of) (schema|database|table|view|sequence|tablespace) (\S+)$/.exec(
      message,
    ) ?? [];
  if (what === undefined) return undefined;
  return `${what === 'must be owner of' ? 'it must own' : 'on'} the ${kind} ${name}`;
}

function kindOf({ code = '', message, routine }: pg.DatabaseError): AccessErrorKind | undefined {
  if (code === '08P01') return POOLER_MESSAGES.find(([text]) => text.test(message))?.[1] ?? 'unreachable';
  if (code === '28000') {
    // Before version 14 the server says "SSL off".
    if (/no encryption|SSL off/.test(message)) return 'needs_tls';
    return routine === BY_HBA ? 'not_admitted' : 'refused';
  }
  return KINDS[code] ?? KINDS[code.slice(0, 2)];
}

/** Returns whether the connection was lost. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof DatabaseAccessError && error.kind === 'unreachable';
}

/** Returns whether a transaction failed by a serialization failure or a deadlock: nothing was done, it can be repeated. */
export function isConflict(error: unknown): boolean {
  return error instanceof DatabaseAccessError && (error.code === '40001' || error.code === '40P01');
}
