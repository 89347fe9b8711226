// Addresses of PostgreSQL: one host or several, the kind of server, and settings.
import { describe, expect, test } from 'vitest';
import {
  NAME_RULE,
  parseAddress,
  shownAddress,
  withSchema,
  withVariables,
} from '../../../../src/service/store/engines/postgres-address.ts';

describe('an address', () => {
  test.each([
    ['postgres://a@h/d', ['postgres://a@h/d'], undefined, {}],
    ['postgres://a:p%40@h:1/d?sslmode=require', ['postgres://a:p%40@h:1/d?sslmode=require'], undefined, {}],
    ['postgres:///d?host=/run/x', ['postgres:///d?host=%2Frun%2Fx'], undefined, {}],
    ['postgres://a@/d?host=/run/x', ['postgres://a@localhost/d?host=%2Frun%2Fx'], undefined, {}],
    [
      'postgres://a:p@h,i:2/d?target_session_attrs=read-write',
      ['postgres://a:p@h/d?host=h', 'postgres://a:p@h/d?host=i&port=2'],
      'read-write',
      {},
    ],
    [
      'postgres://a@[::1]:1,[::2]/d',
      ['postgres://a@[::1]/d?host=%3A%3A1&port=1', 'postgres://a@[::1]/d?host=%3A%3A2'],
      undefined,
      {},
    ],
    [
      'postgres:///d?host=h,i&port=1,2',
      ['postgres:///d?host=h&port=1', 'postgres:///d?host=i&port=2'],
      undefined,
      {},
    ],
    [
      'postgres:///d?host=h,i&port=1',
      ['postgres:///d?host=h&port=1', 'postgres:///d?host=i&port=1'],
      undefined,
      {},
    ],
    [
      'postgres://h/d?target_session_attrs=prefer-standby&lock_timeout=9',
      ['postgres://h/d'],
      'prefer-standby',
      { lock_timeout: '9' },
    ],
    ['postgres://h/d?options=-csearch_path=x', ['postgres://h/d'], undefined, { search_path: 'x' }],
    [
      'postgres://h/d?options=-c%20search_path%3Dx,y\\%20z%20--work-mem=1MB',
      ['postgres://h/d'],
      undefined,
      { search_path: 'x,y z', work_mem: '1MB' },
    ],
    // The client decodes the name of a database only as far as a whole path.
    ['postgres://h/a%40b%2Fc%3Ad%25e%20f%2540', ['postgres://h/a@b/c:d%25e%20f%2540'], undefined, {}],
    ['postgres://h?dbname=a%40b', ['postgres://h/a@b'], undefined, {}],
    ['postgres://h/x?dbname=a', ['postgres://h/a'], undefined, {}],
    // What is no setting is sent as it is: some services find the database by it.
    ['postgres://h/d?options=project%3Dx', ['postgres://h/d?options=project%3Dx'], undefined, {}],
  ] as const)('%s', (text, urls, kind, settings) => {
    expect(parseAddress(text)).toEqual({ urls, kind, settings });
  });

  test('names the schema of an archive', () => {
    expect(parseAddress('postgres://h/d?schema=lists-2024&sslmode=require')).toEqual({
      urls: ['postgres://h/d?sslmode=require'],
      kind: undefined,
      settings: { search_path: '"lists-2024"' },
      schema: 'lists-2024',
    });
    expect(parseAddress(withSchema('postgres://h,i/d?port=1', 'x'))).toMatchObject({ schema: 'x' });
    expect(parseAddress(withSchema('postgres://h/d', '0_a'))).toMatchObject({ schema: '0_a' });
  });

  test.each([
    ['postgres://h/d?schema=a&schema=b', `schema: ${NAME_RULE}`],
    ...['', 'A', 'a b', 'a"b', '-a', 'pg_a', 'information_schema', 'a'.repeat(64)].map((name) => [
      `postgres://h/d?schema=${encodeURIComponent(name)}`,
      `schema: ${NAME_RULE}`,
    ]),
    [
      'postgres://h/d?schema=a&options=-csearch_path=b',
      'the schema is named twice: by schema and by search_path',
    ],
    ['postgres://h/d?shcema=a', 'the address has an unknown parameter; did you mean schema=…?'],
    [
      'postgres://h/d?sslmode=require&ssl_mode=x',
      'the address has an unknown parameter; did you mean sslmode=…?',
    ],
    ['postgres://h/d?zzzzzz=secret', 'the address has an unknown parameter; schema=NAME names an archive'],
    ['postgres://[', 'the address is not a URL'],
    ...[
      'postgres://a:se@cr/et@h/d',
      'postgres://a:1#b@h/d',
      'postgres://a:p%p@h/d',
      'postgres://h/d%',
      'postgres://a:%C3@h/d',
    ].map((text) => [
      text,
      'in its user, password and database, write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25',
    ]),
    ['postgres://h/a%3Fb', 'the name of a database with ? or # cannot be used'],
    ['postgres://h:x,i/d', 'the address is not a URL'],
    ['postgres://h,i:/d?port=1,2,3', 'the address has another number of ports than of hosts'],
    [
      'postgres://h/d?target_session_attrs=master',
      'target_session_attrs is one of any, read-write, read-only, primary, standby, prefer-standby',
    ],
  ])('that is wrong: %s', (text, why) => {
    expect(parseAddress(text)).toBe(why);
  });

  test.each([
    ['postgres://h/d', { PGHOST: 'x,y' }, 'postgres://h/d'],
    ['postgres://h/d', { PGTARGETSESSIONATTRS: 'primary' }, 'postgres://h/d?target_session_attrs=primary'],
    ['postgres:///d?a=b', { PGHOST: 'x,y', PGPORT: '1,2' }, 'postgres:///d?a=b&host=x%2Cy&port=1%2C2'],
    ['postgres:///d', { PGHOST: 'x', PGPORT: '1' }, 'postgres:///d'],
    [
      'postgres://h/d?target_session_attrs=any',
      { PGTARGETSESSIONATTRS: 'primary' },
      'postgres://h/d?target_session_attrs=any',
    ],
    [
      'postgres://h/d?sslmode=verify-full&sslcert=c',
      { PGSSLROOTCERT: 'r', PGSSLCERT: 'x', PGSSLKEY: 'k' },
      'postgres://h/d?sslmode=verify-full&sslcert=c&sslkey=k&sslrootcert=r',
    ],
    [
      'postgres://h/d',
      { PGSSLMODE: 'verify-full', PGSSLROOTCERT: 'r' },
      'postgres://h/d?sslmode=verify-full&sslrootcert=r',
    ],
    // The client asks for TLS where a file is named.
    ['postgres://h/d', { PGSSLROOTCERT: 'r' }, 'postgres://h/d'],
    [
      'postgres://h/d',
      { PGSSLMODE: 'disable', PGSSLROOTCERT: 'r' },
      'postgres://h/d?sslmode=disable&sslrootcert=r',
    ],
    [
      'postgres://h/d?sslrootcert=r',
      { PGSSLMODE: 'disable' },
      'postgres://h/d?sslrootcert=r&sslmode=disable',
    ],
  ])('%s with %j', (text, env, whole) => {
    expect(withVariables(text, env)).toBe(whole);
  });
});

test.each([
  ['postgres://me:secret@h:1/d?password=secret&schema=a&sslmode=require', 'postgres://h:1/d?schema=a'],
  ['postgres://me@h:1,i/d', 'postgres://h:1,i/d'],
  ['postgres://me@/d?host=/run/x&port=2', 'postgres:///run/x:2/d'],
  ['postgres://h/a%40b%20%25c', 'postgres://h/a%40b%20%25c'],
  ['postgres://h', 'postgres://h'],
])('%s is shown without what is secret', (text, shown) => expect(shownAddress(text)).toBe(shown));
