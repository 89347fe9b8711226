// Stored bytes of a message on the asset origin, by the signed address in its raw view. Never sent where a file is withheld.
import { NO_ROUTE } from '../../contract/error.ts';
import { storedExtension } from '../../contract/message-format.ts';
import type { Tier } from '../../contract/tier.ts';
import type { Archive } from '../store/archive.ts';
import type { FileHeaders } from '../store/files/blobs.ts';
import { ApiError } from '../rules/api-error.ts';
import { parseSignedPath } from '../rules/signed-path.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { integrityOf } from '../rules/integrity.ts';
import { attachmentsOf } from '../store/lists/attachments.ts';
import { findMessage, storedPiece, storedSize } from '../store/lists/messages.ts';
import { checkGrant } from './signed-grant.ts';

/** What the asset origin serves. `read` yields the bytes from `from` to `to`, both included. */
export type ServedFile = {
  /** The hash and the size of import. */
  sha256: string;
  size: number;
  /** The size of the bytes as they are stored now. Absent where `readSmall` tells it. */
  storedSize?: number;
  type: string;
  filename: string;
  integrity: number;
  read(from: number, to: number): AsyncIterable<Uint8Array>;
  /** `read` gets the bytes from another service. */
  isRemote?: boolean;
  /** Returns an address of the file elsewhere, for this many seconds and with these headers. */
  address?(seconds: number, headers: FileHeaders): Promise<string>;
  /** Returns bytes that are hashed before the response, with their size now; undefined where there are none. */
  readSmall?(): Promise<{ bytes: Uint8Array; size: number } | undefined>;
};

/** Bytes that are read at once, and held in memory while a client reads slowly. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Returns the message at `/messages/<id>/<tier>/<last day>/<signature>` (our choice). Throws ApiError `not_found` for another
 * path, `asset_forbidden` where the address does not open the message and all its files, `asset_redacted` where one of its
 * files is redacted now.
 */
export async function storedMessage(archive: Archive, target: string, maxTier: Tier): Promise<ServedFile> {
  const { database } = archive;
  const path = parseSignedPath('messages', target);
  if (path === undefined) throw new ApiError('not_found', NO_ROUTE);
  const n = numberOf('msg', path.id);
  const found = n === undefined ? undefined : await findMessage(database, n);
  const files = found === undefined ? [] : await attachmentsOf(database, found.n);
  const message = await checkGrant(
    archive,
    { path, maxTier },
    found && {
      record: found,
      sha256: found.raw_sha256,
      tiers: [found.tier, ...files.map(({ tier }) => tier)],
      redacted: files.some(({ redacted }) => redacted === 1),
    },
  );
  const id = idOf('msg', message.n);
  return {
    sha256: message.raw_sha256,
    size: message.raw_bytes,
    storedSize: await storedSize(database, message.n),
    // A mail is a page with scripts for some browsers.
    type: 'application/octet-stream',
    filename: `${id}.${storedExtension(message.format)}`,
    integrity: integrityOf('message', message.failed),
    async *read(from, to) {
      for (let at = from; at <= to;) {
        const chunk = await storedPiece(database, message.n, at, Math.min(CHUNK_BYTES, to + 1 - at));
        if (chunk.byteLength === 0) throw new Error(`the stored bytes of ${id} end at ${at}`);
        yield chunk;
        at += chunk.byteLength;
      }
    },
  };
}
