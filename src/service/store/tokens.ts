// Issues and finds tokens. Only their SHA-256 is stored, so a copy of the archive contains no token.
import { hash as digest } from 'node:crypto';
import type { Scope, Tier } from '../../contract/tier.ts';
import type { Archive } from './archive.ts';
import { revocations } from './meta-table/revocations.ts';
import { isNoSpace } from './sql/database-error.ts';
import type { Grant } from '../rules/tiers.ts';

/** Who holds a token. `expires_ms`: milliseconds since the epoch. */
export type Bearer = { tier: Tier; scope: readonly Scope[]; expires_ms: number };

/** How long an expired token is still known, so that its owner learns that it expired. */
const EXPIRED_TOKEN_KEPT_MS = 24 * 60 * 60 * 1000;

/** Tokens are valid for one hour, which is our choice (interface 8). */
export const TOKEN_LIFETIME_MS = 60 * 60 * 1000;

/** Issues a token `arx_<43 characters>`: 32 random bytes, valid for {@link TOKEN_LIFETIME_MS}. */
export async function issueToken(
  archive: Archive,
  clientId: string,
  { tier, scope }: Grant,
): Promise<{ token: string; expires_ms: number }> {
  const token = `arx_${Buffer.from(archive.randomBytes(32)).toString('base64url')}`;
  const expires_ms = archive.now() + TOKEN_LIFETIME_MS;
  const bearer = { tier, scope, expires_ms };
  if (archive.readOnly) await remember(archive, hashOf(token), bearer);
  else
    await store(archive, hashOf(token), clientId, bearer).catch(async (error: unknown) => {
      // A full disk keeps nobody from reading. One process alone serves a folder that it may write to.
      if (archive.database.engine !== 'sqlite' || !isNoSpace(error)) throw error;
      await remember(archive, hashOf(token), bearer);
    });
  return { token, expires_ms };
}

async function store(archive: Archive, hash: string, clientId: string, bearer: Bearer): Promise<void> {
  const { tier, scope, expires_ms } = bearer;
  await archive.database.transaction(async (statements) => {
    await statements.run('DELETE FROM tokens WHERE expires_ms < $1', [archive.now() - EXPIRED_TOKEN_KEPT_MS]);
    await statements.run('INSERT INTO tokens VALUES ($1, $2, $3, $4, $5)', [
      hash,
      clientId,
      tier,
      scope.join(' '),
      expires_ms,
    ]);
  });
}

/**
 * Returns the bearer of a token, undefined for an unknown token. `revoked` is the number of revocations (`ArchiveState`): what was
 * found under another one is not used.
 */
export type TokenLookup = (token: string, revoked: string | null) => Promise<Bearer | undefined>;

/** How long a token that was found is not looked up again while none is revoked, and how many such tokens are kept. */
const CACHED_MS = 5_000;
const MAX_CACHED_TOKENS = 1_000;

/**
 * Returns a function that finds the bearer of a token, also of an expired one. Its duration reveals nothing about the
 * token, because only hashes are compared. A found token is cached for five seconds, an unknown one is not.
 */
export function createTokenLookup(archive: Archive): TokenLookup {
  const known = new Map<string, Found & { asked: number }>();
  return async (token, revoked) => {
    const hash = hashOf(token);
    const remembered = UNSTORED.get(archive)?.get(hash);
    if (remembered?.revoked === revoked) return remembered.bearer;
    const before = known.get(hash);
    const now = archive.now();
    if (before?.revoked === revoked && Math.abs(now - before.asked) < CACHED_MS) return before.bearer;
    known.delete(hash);
    const row = await archive.database.get<{ tier: Tier; scope: string; expires_ms: number }>(
      'SELECT tier, scope, expires_ms FROM tokens WHERE sha256 = $1',
      [hash],
    );
    if (row === undefined) return undefined;
    const bearer = { ...row, scope: row.scope.split(' ') as Scope[] };
    if (known.size === MAX_CACHED_TOKENS) known.delete(known.keys().next().value!);
    known.set(hash, { bearer, revoked, asked: now });
    return bearer;
  };
}

/** A token that this process knows, and the number of revocations before it became known. */
type Found = { bearer: Bearer; revoked: string | null };

/** Tokens of archives that are read-only or have no space left. They end with the process; the oldest are dropped when there are too many. */
const UNSTORED = new WeakMap<Archive, Map<string, Found>>();
const MAX_UNSTORED_TOKENS = 10_000;

async function remember(archive: Archive, hash: string, bearer: Bearer): Promise<void> {
  const revoked = await revocations(archive.database);
  const tokens = UNSTORED.get(archive) ?? new Map<string, Found>();
  UNSTORED.set(archive, tokens);
  if (tokens.size === MAX_UNSTORED_TOKENS) tokens.delete(tokens.keys().next().value!);
  tokens.set(hash, { bearer, revoked });
}

function hashOf(token: string): string {
  return digest('sha256', token);
}
