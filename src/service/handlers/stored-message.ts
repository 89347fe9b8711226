// The stored bytes of a message on the asset origin, by the address its raw view gives: a piece at a time, never withheld ones.
import { TIERS } from '../../contract/token.ts';
import type { Archive } from '../store/archive.ts';
import { FORMAT_EXTENSIONS } from '../records/message-format.ts';
import { ApiError } from '../rules/api-error.ts';
import { isSignatureValid } from '../rules/signed-path.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { integrityOf } from '../rules/integrity.ts';
import { mayRead } from '../rules/tiers.ts';
import { attachmentsOf } from '../store/lists/attachments.ts';
import { findMessage, storedPiece, storedSize } from '../store/lists/messages.ts';
import { fileKey } from '../store/meta-table/summary.ts';

/** What the asset origin serves: `sha256` is that of import, `read` gives the bytes from `from` to `to` inclusive. */
export type Served = {
  sha256: string;
  size: number;
  type: string;
  filename: string;
  integrity: number;
  read(from: number, to: number): AsyncIterable<Uint8Array>;
};

/** What a slow reader makes us hold. */
const PIECE_BYTES = 1024 * 1024;

/**
 * `/messages/<id>/<tier>/<signature>` (our choice). 404 unknown, 403 asset_redacted where one of its files is redacted
 * by now, 403 asset_forbidden where the address does not open the message with all its files.
 */
export async function storedMessage(archive: Archive, target: string): Promise<Served> {
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
    filename: `${grant.id}.${FORMAT_EXTENSIONS[message.format]}`,
    integrity: integrityOf('message', message.failed),
    async *read(from, to) {
      for (let at = from; at <= to;) {
        const piece = await storedPiece(database, message.n, at, Math.min(PIECE_BYTES, to + 1 - at));
        if (piece.byteLength === 0) throw new Error(`the stored bytes of ${grant.id} end at ${at}`);
        yield piece;
        at += piece.byteLength;
      }
    },
  };
}
