// Decides whether a signed address of the asset origin opens a record now.
import type { Tier } from '../../contract/tier.ts';
import { ApiError } from '../rules/api-error.ts';
import { isExpired, isSignatureValid, type SignedPath } from '../rules/signed-path.ts';
import { mayRead } from '../rules/tiers.ts';
import type { Archive } from '../store/archive.ts';
import { fileKey } from '../store/meta-table/file-key.ts';

/** The record of an address: its hash, the tiers of all rows that its bytes belong to, and whether one is redacted. */
type Addressed<Row> = { record: Row; sha256: string; tiers: readonly Tier[]; redacted: boolean };

const NO_HASH = '0'.repeat(64);

/**
 * Returns the record that an address opens. Without a valid signature every address gets the same answer, so that it shows
 * nothing of what exists. `maxTier` is the ceiling of the service. Throws ApiError `asset_forbidden`, and `asset_redacted`
 * for an address that was given out before the redaction.
 */
export async function checkGrant<Row>(
  archive: Archive,
  { path: { id, tier, lastDay, signature }, maxTier }: { path: SignedPath; maxTier: Tier },
  addressed: Addressed<Row> | undefined,
): Promise<Row> {
  const key = await fileKey(archive);
  const forbidden = (reason: string) => new ApiError('asset_forbidden', reason);
  // Also for a row that is missing, so that the time tells nothing.
  const sha256 = addressed?.sha256 ?? NO_HASH;
  const isValid = isSignatureValid(key, { id, sha256, tier: tier ?? 'mirror', lastDay }, signature);
  if (
    addressed === undefined ||
    tier === undefined ||
    !isValid ||
    !addressed.tiers.every((row) => mayRead(tier, row)) ||
    !mayRead(maxTier, tier)
  ) {
    throw forbidden('this address opens nothing');
  }
  if (addressed.redacted)
    throw new ApiError('asset_redacted', 'this file, or a file in this message, is redacted');
  if (isExpired(lastDay, archive.now())) throw forbidden('this address has expired; read its record again');
  return addressed.record;
}
