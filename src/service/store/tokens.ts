// Issued tokens, known only by the sha256 of each: a copy of the archive gives nobody a token.
import { hash as digest } from 'node:crypto';
import type { Scope, Tier } from '../../contract/token.ts';
import type { Archive } from './archive.ts';
import { TOKEN_LIFETIME_MS, type Grant } from '../rules/tiers.ts';

export type Bearer = { tier: Tier; scope: readonly Scope[]; expires_ms: number };

/** How long an expired token is still recognised, so that its owner is told that it expired. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** A new token `arx_<43 characters>`: 32 random bytes, valid for {@link TOKEN_LIFETIME_MS}. */
export async function issueToken(
  archive: Archive,
  clientId: string,
  { tier, scope }: Grant,
): Promise<{ token: string; expires_ms: number }> {
  const token = `arx_${Buffer.from(archive.randomBytes(32)).toString('base64url')}`;
  const expires_ms = archive.now() + TOKEN_LIFETIME_MS;
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

export type TokenLookup = (token: string) => Promise<Bearer | undefined>;

/** How long a token is not asked for again, in milliseconds, and how many are known at once. */
const KNOWN_MS = 5_000;
const MOST_KNOWN = 1_000;

/**
 * Tells who holds a token, expired or not. The time of the look-up says nothing of the token: only its hash is compared.
 * What was found is believed for five seconds; what was not is asked for each time.
 */
export function createTokenLookup(archive: Archive): TokenLookup {
  const known = new Map<string, { bearer: Bearer; asked: number }>();
  return async (token) => {
    const hash = hashOf(token);
    const remembered = REMEMBERED.get(archive)?.get(hash);
    if (remembered !== undefined) return remembered;
    const before = known.get(hash);
    const now = archive.now();
    if (before !== undefined && Math.abs(now - before.asked) < KNOWN_MS) return before.bearer;
    known.delete(hash);
    const row = await archive.database.get<{ tier: Tier; scope: string; expires_ms: number }>(
      'SELECT tier, scope, expires_ms FROM tokens WHERE sha256 = $1',
      [hash],
    );
    if (row === undefined) return undefined;
    const bearer = { ...row, scope: row.scope.split(' ') as Scope[] };
    if (known.size === MOST_KNOWN) known.delete(known.keys().next().value!);
    known.set(hash, { bearer, asked: now });
    return bearer;
  };
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
  return digest('sha256', token);
}
