// Databases in the PostgreSQL of the test run (`cluster.ts`): URLs of new archives, and a connection of the test's own.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CLUSTER, ROLE, type Cluster } from './cluster.ts';

/** Undefined where the machine has none: the setup of the run says aloud what is then skipped. */
function cluster(): Cluster | undefined {
  const json = process.env[CLUSTER];
  return json === undefined ? undefined : (JSON.parse(json) as Cluster);
}

export const noPostgres = cluster() === undefined;

export type Address = {
  database?: string;
  /** The archive's own part of the database. */
  schema?: string;
  /** By the port a password is asked for, by the socket none. */
  by?: 'socket' | 'port';
  password?: string;
};

export function urlOf({ database = 'postgres', schema, by = 'socket', password }: Address = {}): string {
  const { dir, port } = cluster()!;
  const who = password === undefined ? ROLE : `${ROLE}:${encodeURIComponent(password)}`;
  const url = new URL(`postgres://${who}@127.0.0.1:${port}/${database}`);
  if (by === 'socket') url.searchParams.set('host', dir);
  if (schema !== undefined) url.searchParams.set('options', `-csearch_path=${schema}`);
  return url.href;
}

/** The address of an archive that is not made yet. A schema of its own costs less than a database. */
export async function freshUrl(address: Omit<Address, 'schema'> = {}): Promise<string> {
  // Not by the number of the process: a long run meets the same one again.
  const schema = `t${randomBytes(8).toString('hex')}`;
  await withClient((client) => client.query(`CREATE SCHEMA ${schema}`));
  return urlOf({ ...address, schema });
}

/** The schema that an address names. */
export function schemaOf(url: string): string {
  return new URL(url).searchParams.get('options')!.split('=')[1]!;
}

/** One connection beside those of the program. */
export async function withClient<T>(work: (client: pg.Client) => Promise<T>, url = urlOf()): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      // It is being made.
      if (tries === 300) throw error;
      await sleep(50);
      continue;
    }
    return work(client).finally(() => client.end());
  }
}
