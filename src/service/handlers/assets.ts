// The service of the asset origin: stored files and messages by signed address, with ranges, never redacted ones.
import { HEADERS } from '../../contract/routes.ts';
import { TIERS, type Tier } from '../../contract/token.ts';
import {
  firstHeader,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from '../../contract/exchange.ts';
import type { Archive } from '../store/archive.ts';
import { ApiError } from '../rules/api-error.ts';
import { parseByteRange } from '../rules/byte-range.ts';
import { isSignatureValid } from '../rules/signed-path.ts';
import { numberOf } from '../rules/identifier.ts';
import { integrityOf } from '../rules/integrity.ts';
import { mayRead } from '../rules/tiers.ts';
import { summaryOf } from '../store/meta-table/summary.ts';
import { fileKey } from '../store/meta-table/file-key.ts';
import { attachmentDisposition, servedType } from './content-disposition.ts';
import type { ServiceOptions } from './call.ts';
import { toApiError, errorResponse, newRequestId } from './error-response.ts';
import { storedMessage, type ServedFile } from './stored-message.ts';

const ALLOW = 'GET, HEAD, OPTIONS';

/**
 * Returns the service for `GET|HEAD /files/<id>/<tier>/<signature>` and `/messages/<id>/<tier>/<signature>`. The first is
 * the path of `file_url` (interface 2.1); its form is our choice. No token is read: the address is the permission. Errors
 * have the error body (interface 7): 404 for a file that is unknown or not stored, 403 `asset_redacted` or
 * `asset_forbidden`, 416 for a range outside of the file.
 */
export function createAssetService(
  archive: Archive,
  { onFailure }: Pick<ServiceOptions, 'onFailure'> = {},
): Service {
  return async (request) => {
    const requestId = newRequestId(archive.randomBytes);
    const response = await respond(archive, request).catch(async (error: unknown) => {
      if (!(error instanceof ApiError)) onFailure?.(requestId, error);
      const integrity = await summaryOf(archive).then(
        (summary) => summary.integrity,
        () => 0,
      );
      return errorResponse(toApiError(error), requestId, integrity);
    });
    const headers = {
      ...response.headers,
      date: new Date(archive.now()).toUTCString(),
      [HEADERS.requestId]: requestId,
    };
    const logContext = { route: request.target.startsWith('/messages/') ? 'stored_message' : 'file' };
    return { ...response, headers, body: request.method === 'HEAD' ? '' : response.body, logContext };
  };
}

async function respond(archive: Archive, request: ServiceRequest): Promise<ServiceResponse> {
  if (request.method === 'OPTIONS') return { status: 204, headers: { allow: ALLOW }, body: '' };
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ApiError('method_not_allowed', 'files can only be read', { allow: ALLOW });
  }
  const file = request.target.startsWith('/messages/')
    ? await storedMessage(archive, request.target)
    : await storedFile(archive, request.target);
  const { size } = file;

  const etag = `"${file.sha256}"`;
  const headers: Record<string, string> = {
    etag,
    'accept-ranges': 'bytes',
    // A cached copy must be validated before use, because a file can be redacted at any time.
    'cache-control': 'private, no-cache',
    'content-type': file.type,
    'content-disposition': attachmentDisposition(file.filename),
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'repr-digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    [HEADERS.integrity]: String(file.integrity),
  };
  if (matchesEtag(firstHeader(request.headers, 'if-none-match'), etag))
    return { status: 304, headers, body: '' };

  const range = parseByteRange(rangeHeader(request, etag), size);
  if (range === 'unsatisfiable') {
    throw new ApiError('range_not_satisfiable', `the file has ${size} bytes`, {
      'content-range': `bytes */${size}`,
    });
  }
  if (range === 'whole') {
    headers['content-length'] = String(size);
    return { status: 200, headers, body: size === 0 ? '' : file.read(0, size - 1) };
  }
  headers['content-length'] = String(range.to - range.from + 1);
  headers['content-range'] = `bytes ${range.from}-${range.to}/${size}`;
  return { status: 206, headers, body: file.read(range.from, range.to) };
}

async function storedFile(archive: Archive, target: string): Promise<ServedFile> {
  const { sha256, declared_type, filename, failed, stored } = await permittedFile(archive, target);
  const size = stored === 1 ? await archive.blobs.size(sha256) : undefined;
  if (size === undefined) throw new ApiError('not_found', 'the archive does not hold the bytes of this file');
  return {
    sha256,
    size,
    type: servedType(declared_type),
    filename,
    integrity: integrityOf('attachment', failed),
    read: (from, to) => archive.blobs.read(sha256, from, to),
  };
}

type FileRow = {
  filename: string;
  sha256: string;
  declared_type: string;
  stored: number;
  redacted: number;
  tier: Tier;
  failed: number;
};

/** Returns the file of a signed address. Redaction is checked first: it applies to addresses that were signed before it. */
async function permittedFile(archive: Archive, target: string): Promise<FileRow> {
  const [, id = '', tierName, signature = ''] = /^\/files\/([^/?]+)\/([^/?]+)\/([^/?]+)$/.exec(target) ?? [];
  const n = numberOf('att', id);
  const tier = TIERS.find((known) => known === tierName);
  const file =
    n === undefined || tier === undefined
      ? undefined
      : await archive.database.get<FileRow>(
          'SELECT filename, sha256, declared_type, stored, redacted, tier, failed FROM attachments WHERE n = $1',
          [n],
        );
  if (file === undefined || tier === undefined) throw new ApiError('not_found', 'there is no such file');
  if (file.redacted === 1) throw new ApiError('asset_redacted', 'this file is redacted');
  const signed = isSignatureValid(await fileKey(archive), { id, sha256: file.sha256, tier }, signature);
  if (!signed || !mayRead(tier, file.tier)) {
    throw new ApiError('asset_forbidden', 'this address does not open the file');
  }
  return file;
}

/** Returns the Range header where it applies: for GET, and with If-Range only for the same file (RFC 9110 13.1.5). */
function rangeHeader(request: ServiceRequest, etag: string): string | undefined {
  const condition = firstHeader(request.headers, 'if-range');
  if (request.method !== 'GET' || (condition !== undefined && condition !== etag)) return undefined;
  return firstHeader(request.headers, 'range');
}

/** Returns whether If-None-Match names the tag; weak tags count (RFC 9110 13.1.2). */
function matchesEtag(header: string | undefined, etag: string): boolean {
  return (
    header?.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag) ?? false
  );
}
