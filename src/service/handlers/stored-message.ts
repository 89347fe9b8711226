// Stored bytes of a message on the asset origin, by the signed address in its raw view. Never sent where a file is withheld.
import { storedExtension } from '../../contract/message-format.ts';
import { TIERS } from '../../contract/token.ts';
import type { Archive } from '../store/archive.ts';
import { ApiError } from '../rules/api-error.ts';
import { isSignatureValid } from '../rules/signed-path.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { integrityOf } from '../rules/integrity.ts';
import { mayRead } from '../rules/tiers.ts';
import { attachmentsOf } from '../store/lists/attachments.ts';
import { findMessage, storedPiece, storedSize } from '../store/lists/messages.ts';
import { fileKey } from '../store/meta-table/file-key.ts';

/** What the asset origin serves. `sha256` is that of import; `read` yields the bytes from `from` to `to`, both included. */
export type ServedFile = {
  sha256: string;
  size: number;
  type: string;
  filename: string;
  integrity: number;
  read(from: number, to: number): AsyncIterable<Uint8Array>;
};

/** Bytes that are read at once, and held in memory while a client reads slowly. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Returns the message at `/messages/<id>/<tier>/<signature>` (our choice). Throws ApiError `not_found`, `asset_redacted`
 * where one of its files is redacted now, `asset_forbidden` where the address does not open the message and all its files.
 */
export async function storedMessage(archive: Archive, target: string): Promise<ServedFile> {
  const { database } = archive;
  const [, id = '', tierName, signature = ''] =
    /^\/messages\/([^/?]+)\/([^/?]+)\/([^/?]+)$/.exec(target) ?? [];
  const n = numberOf('msg', id);
  const tier = TIERS.find((known) => known === tierName);
  const message = n === undefined ? undefined : await findMessage(database, n);
  if (message === undefined || tier === undefined)
    throw new ApiError('not_found', 'there is no such message');
  const files = await attachmentsOf(database, message.n);
  if (files.some((file) => file.redacted === 1)) {
    throw new ApiError('asset_redacted', 'a file in this message is redacted');
  }
  const grant = { id: idOf('msg', message.n), sha256: message.raw_sha256, tier };
  const signed = isSignatureValid(await fileKey(archive), grant, signature);
  if (!signed || ![message, ...files].every((row) => mayRead(tier, row.tier))) {
    throw new ApiError('asset_forbidden', 'this address does not open the message');
  }
  return {
    sha256: message.raw_sha256,
    size: await storedSize(database, message.n),
    // A mail is a page with scripts for some browsers.
    type: 'application/octet-stream',
    filename: `${grant.id}.${storedExtension(message.format)}`,
    integrity: integrityOf('message', message.failed),
    async *read(from, to) {
      for (let at = from; at <= to;) {
        const chunk = await storedPiece(database, message.n, at, Math.min(CHUNK_BYTES, to + 1 - at));
        if (chunk.byteLength === 0) throw new Error(`the stored bytes of ${grant.id} end at ${at}`);
        yield chunk;
        at += chunk.byteLength;
      }
    },
  };
}
