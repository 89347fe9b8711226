// How often tokens of an archive were revoked, stored in the table `meta` as text: a process that keeps tokens in memory compares it.
import type { Statements } from '../sql/database.ts';
import { REVOCATIONS } from '../sql/prepared-texts.ts';

/** Counts a revocation, in the transaction that deletes the tokens. */
export async function noteRevocation(statements: Statements): Promise<void> {
  await statements.run(
    `INSERT INTO meta (key, value) VALUES ('${REVOCATIONS}', '1')
     ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS INTEGER) + 1 AS TEXT)`,
  );
}

/** Returns the stored value, null where no token was ever revoked. */
export async function revocations(statements: Pick<Statements, 'get'>): Promise<string | null> {
  const row = await statements.get<{ value: string }>(`SELECT value FROM meta WHERE key = '${REVOCATIONS}'`);
  return row?.value ?? null;
}
