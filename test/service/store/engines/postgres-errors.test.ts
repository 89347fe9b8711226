// What errors of PostgreSQL and of PgBouncer mean.
import pg from 'pg';
import { expect, test } from 'vitest';
import { accessFault, type DatabaseAccessError } from '../../../../src/service/store/sql/database-error.ts';
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
  ['53300', 'too many connections for role "a"', 'no_connection_left'],
  ['57P03', 'the database system is starting up', 'unreachable'],
])('%s %s', (code, message, kind) => {
  const error = new pg.DatabaseError(message, 0, 'error');
  const routine = message.includes('pg_hba') ? 'ClientAuthentication' : 'other';
  expect(() => throwAccessError(Object.assign(error, { code, routine }))).toThrow(
    expect.objectContaining({ kind, code }),
  );
});

test.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'untrusted', 'sslrootcert=FILE'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'untrusted', 'sslrootcert=FILE'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'untrusted', 'sslrootcert=FILE'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'other_name', 'as its certificate does'],
  ['ECONNREFUSED', 'unreachable', undefined],
])('%s of a connection', (code, kind, hint) => {
  const thrown = (() => {
    try {
      return throwAccessError(Object.assign(new Error('of Node'), { code }));
    } catch (error) {
      return error as DatabaseAccessError;
    }
  })();
  expect(thrown).toMatchObject({ kind, code });
  const fault = accessFault(thrown);
  expect(fault.kind).toBe('network');
  if (hint === undefined) expect(fault.detail.hint).toBeUndefined();
  else expect(fault.detail.hint).toContain(hint);
});

// As of a pooler that waits for its own connection: nobody else has to be writing.
test('no answer in time is not another process that writes', () => {
  const late = () => throwAccessError(new Error('Query read timeout'));
  expect(late).toThrow(expect.objectContaining({ kind: 'no_answer', code: undefined }));
  try {
    late();
  } catch (error) {
    const { kind, message, detail } = accessFault(error as DatabaseAccessError);
    expect([kind, message, detail.retryable]).toEqual(['busy', 'the database does not answer in time', true]);
    expect(detail.hint).toContain('the pooler in front of it');
  }
});
