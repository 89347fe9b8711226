// What errors of PostgreSQL and of PgBouncer mean.
import pg from 'pg';
import { expect, test } from 'vitest';
import { throwAccessError } from '../../../../src/service/store/engines/postgres-errors.ts';

test.each([
  // PgBouncer has one code for everything.
  ['08P01', 'SSL required', 'needs_tls'],
  ['08P01', 'SASL authentication failed', 'refused'],
  ['08P01', 'password authentication failed', 'refused'],
  ['08P01', 'no such user: x', 'refused'],
  ['08P01', 'no such database: x', 'no_database'],
  ['08P01', 'unsupported startup parameter: options', 'pooler'],
  ['08P01', 'transaction blocks not allowed in statement pooling mode', 'pooler'],
  ['08P01', 'server login has been failing, try again later (server_login_retry)', 'unreachable'],
  ['28000', 'no pg_hba.conf entry for host "::1", user "a", database "d", no encryption', 'needs_tls'],
  ['28000', 'no pg_hba.conf entry for host "::1", user "a", database "d", SSL off', 'needs_tls'],
  ['28000', 'no pg_hba.conf entry for host "::1", user "a", database "d", SSL encryption', 'not_admitted'],
  ['28000', 'role "a" does not exist', 'refused'],
  ['28P01', 'password authentication failed for user "a"', 'refused'],
  ['3D000', 'database "x" does not exist', 'missing'],
  ['25006', 'cannot execute INSERT in a read-only transaction', 'standby'],
  ['57P03', 'the database system is starting up', 'unreachable'],
])('%s %s', (code, message, kind) => {
  const error = new pg.DatabaseError(message, 0, 'error');
  const routine = message.includes('pg_hba') ? 'ClientAuthentication' : 'other';
  expect(() => throwAccessError(Object.assign(error, { code, routine }))).toThrow(
    expect.objectContaining({ kind, code }),
  );
});
