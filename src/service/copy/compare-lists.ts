// Reads every list of an archive to its end as a client gets it, and hashes all pages.
import { createHash } from 'node:crypto';
import { createTurns } from '../../concurrency/turns.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { pathOf } from '../../contract/routes.ts';
import { ARC_RECONSTRUCTION, MIRROR_RELAY } from '../../contract/sequence.ts';
import type { ServiceResponse } from '../../contract/exchange.ts';
import { createService } from '../handlers/service.ts';
import { grantTier } from '../rules/tiers.ts';
import type { Archive } from '../store/archive.ts';
import { issueToken } from '../store/tokens.ts';

/** The pages of one list and the SHA-256 of their texts. */
type ListDigest = { name: string; pages: number; rows: number; sha256: string };

const LISTS = {
  conversations: pathOf('conversations'),
  messages: pathOf('messages'),
  attachments: pathOf('attachments'),
  events: pathOf('events'),
  [ARC_RECONSTRUCTION]: pathOf('sequence', { name: ARC_RECONSTRUCTION }),
  [MIRROR_RELAY]: pathOf('sequence', { name: MIRROR_RELAY }),
} as const;

/**
 * Yields a digest of each list, as a reader of the highest tier gets it. Nothing is written: the archive must be read-only.
 * `progress` is called with the rows of each page.
 */
export async function* digestLists(
  archive: Archive,
  { signal, progress }: { signal: AbortSignal; progress(rows: number): void },
): AsyncGenerator<ListDigest> {
  // Addresses of files have this origin in both archives.
  let failure: unknown;
  const service = createService(archive, {
    assetUrl: 'http://127.0.0.1:9',
    version: '0',
    onFailure: (_requestId, error) => (failure = error),
  });
  const tier = { client_id: 'arx archive copy', observer_tier: 'mirror', requested_tier: 'mirror' };
  const { token } = await issueToken(archive, tier.client_id, grantTier(tier, 'mirror'));
  const turn = createTurns();
  for (const [name, path] of Object.entries(LISTS)) {
    const digest = createHash('sha256');
    let [pages, rows] = [0, 0];
    for (let after = ''; ;) {
      await turn();
      signal.throwIfAborted();
      const response = await service({
        method: 'GET',
        target: `${path}?limit=${PAGE_LIMIT.maximum}${after}`,
        headers: [['authorization', `Bearer ${token}`]],
        body: null,
        peer: 'local',
      });
      const text = await textOf(response.body);
      if (response.status >= 300)
        throw failure ?? new Error(`the list ${name} is ${response.status}: ${text}`);
      digest.update(`${response.status} ${text}\n`);
      const page = JSON.parse(text) as { data: { id?: string; entry?: string }[]; has_more: boolean };
      pages += 1;
      rows += page.data.length;
      progress(page.data.length);
      const last = page.data.at(-1);
      if (!page.has_more || last === undefined) break;
      // Positions of a sequence have no id: their cursors are entries.
      after = `&starting_after=${encodeURIComponent(last.id ?? last.entry ?? '')}`;
    }
    yield { name, pages, rows, sha256: digest.digest('hex') };
  }
}

async function textOf(body: ServiceResponse['body']): Promise<string> {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
