// A PostgreSQL database of a test's own, whose schemas are archives.
import { randomBytes } from 'node:crypto';
import { urlOf, withClient } from './postgres.ts';

/** Creates an empty database in the PostgreSQL of the test run, and returns its address. */
export async function freshDatabase(): Promise<string> {
  const database = `d${randomBytes(8).toString('hex')}`;
  await withClient((client) => client.query(`CREATE DATABASE ${database}`));
  return urlOf({ database });
}
