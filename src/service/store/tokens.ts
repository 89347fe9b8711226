// Issued tokens, known only by the sha256 of each: a copy of the archive gives nobody a token.
import { createHash } from 'node:crypto';
import type { Scope, Tier } from '../../contract/token.ts';
import type { Archive } from '../archive.ts';
import { TOKEN_LIFE_MS, type Grant } from '../rules/tiers.ts';

export type Bearer = { tier: Tier; scope: readonly Scope[]; expires_ms: number };

/** How long an expired token is still recognised, so that its owner is told that it expired. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** A new token `arx_<43 characters>`: 32 random bytes, valid for {@link TOKEN_LIFE_MS}. */
export async function issueToken(
  archive: Archive,
  clientId: string,
  { tier, scope }: Grant,
): Promise<{ token: string; expires_ms: number }> {
  const token = `arx_${Buffer.from(archive.randomBytes(32)).toString('base64url')}`;
  const expires_ms = archive.now() + TOKEN_LIFE_MS;
  if (archive.readOnly) {
    remember(archive, hashOf(token), { tier, scope, expires_ms });
    return { token, expires_ms };
  }
  await archive.database.transaction(async (statements) => {
    await statements.run('DELETE FROM tokens WHERE expires_ms < $1', [archive.now() - REMEMBERED_MS]);
    await statements.run('INSERT INTO tokens VALUES ($1, $2, $3, $4, $5)', [
      hashOf(token),
      clientId,
      tier,
      scope.join(' '),
      expires_ms,
    ]);
  });
  return { token, expires_ms };
}

/** Who holds this token, expired or not. The time of the look-up says nothing of the token: only its hash is compared. */
export async function bearerOf(archive: Archive, token: string): Promise<Bearer | undefined> {
  const remembered = REMEMBERED.get(archive)?.get(hashOf(token));
  if (remembered !== undefined) return remembered;
  const row = await archive.database.get<{ tier: Tier; scope: string; expires_ms: number }>(
    'SELECT tier, scope, expires_ms FROM tokens WHERE sha256 = $1',
    [hashOf(token)],
  );
  return row && { tier: row.tier, scope: row.scope.split(' ') as Scope[], expires_ms: row.expires_ms };
}

/** Tokens of archives that can store none: they end with the process, and the oldest make room. */
const REMEMBERED = new WeakMap<Archive, Map<string, Bearer>>();
const MOST_REMEMBERED = 10_000;

function remember(archive: Archive, hash: string, bearer: Bearer): void {
  const tokens = REMEMBERED.get(archive) ?? new Map<string, Bearer>();
  REMEMBERED.set(archive, tokens);
  if (tokens.size === MOST_REMEMBERED) tokens.delete(tokens.keys().next().value!);
  tokens.set(hash, bearer);
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
