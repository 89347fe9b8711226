// The tokens that an archive issued, for its operator: which there are, and their end before their time.
import type { Tier } from '../../contract/tier.ts';
import type { Archive } from './archive.ts';
import { noteRevocation } from './meta-table/revocations.ts';
import { chunksOf, parameterList } from './sql/bulk-statements.ts';
import type { Statements } from './sql/database.ts';
import { TOKEN_LIFETIME_MS } from './tokens.ts';

/** A stored token without itself. `sha256` is its hash in hexadecimal; times are in milliseconds since the epoch. */
export type IssuedToken = {
  sha256: string;
  client_id: string;
  tier: Tier;
  scope: string;
  issued_ms: number;
  expires_ms: number;
};

/** Returns the stored tokens, those that were issued last first. Expired ones are there for a day. */
export async function issuedTokens(statements: Statements): Promise<IssuedToken[]> {
  const rows = await statements.all<Omit<IssuedToken, 'issued_ms'>>(
    'SELECT sha256, client_id, tier, scope, expires_ms FROM tokens ORDER BY expires_ms DESC, sha256',
  );
  return rows.map((row) => ({ ...row, issued_ms: row.expires_ms - TOKEN_LIFETIME_MS }));
}

/**
 * Deletes the tokens that are selected, and returns them. Every process that serves the archive notices with its next request that
 * reads the state of the archive. It also forgets the tokens that it keeps in memory alone, since nobody can select those.
 */
export function revokeTokens(
  { database }: Pick<Archive, 'database'>,
  isSelected: (token: IssuedToken) => boolean,
): Promise<IssuedToken[]> {
  return database.transaction(async (statements) => {
    const selected = (await issuedTokens(statements)).filter(isSelected);
    for (const chunk of chunksOf(selected))
      await statements.run(
        `DELETE FROM tokens WHERE sha256 IN (${parameterList(chunk, 1)})`,
        chunk.map(({ sha256 }) => sha256),
      );
    await noteRevocation(statements);
    return selected;
  });
}
