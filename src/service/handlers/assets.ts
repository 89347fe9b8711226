// The service of the asset origin: stored files and messages by signed address, with ranges, never redacted ones.
import { NO_ROUTE, ONLY_FILES } from '../../contract/error.ts';
import { HEADERS } from '../../contract/routes.ts';
import type { Tier } from '../../contract/tier.ts';
import {
  firstHeader,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from '../../contract/exchange.ts';
import type { Archive } from '../store/archive.ts';
import type { Blobs } from '../store/files/blobs.ts';
import { ApiError } from '../rules/api-error.ts';
import { parseByteRange } from '../rules/byte-range.ts';
import { parseSignedPath } from '../rules/signed-path.ts';
import { numberOf } from '../rules/identifier.ts';
import { integrityOf } from '../rules/integrity.ts';
import { summariesOf } from '../store/meta-table/summary.ts';
import { withNewerSchema } from '../store/schema/migrate.ts';
import { checkedBytes, checkSize, MAX_BYTES_HASHED_FIRST, missing } from './checked-bytes.ts';
import { attachmentDisposition, servedType } from './content-disposition.ts';
import type { ServiceOptions } from './call.ts';
import { toApiError, errorResponse, newRequestId } from './error-response.ts';
import { checkGrant } from './signed-grant.ts';
import { storedMessage, type ServedFile } from './stored-message.ts';

const ALLOW = 'GET, HEAD, OPTIONS';

/**
 * Returns the service for `GET|HEAD /files/<id>/<tier>/<last day>/<signature>` and the same under `/messages`. The first is
 * the path of `file_url` (interface 2.1); its form is our choice. No token is read: the address is the permission. Errors
 * have the error body (interface 7): 403 `asset_forbidden` for every address that this service would not give out now,
 * whether the file exists or not, 403 `asset_redacted`, 404 for a file that is not stored, 416 for a range outside of the
 * file, 500 `asset_damaged`. `maxTier` is the highest tier whose addresses are open. Default: `mirror`. With `redirectSeconds`, GET of a
 * large file in a bucket is 307 to an address of the bucket.
 */
export function createAssetService(
  archive: Archive,
  {
    onFailure,
    maxTier = 'mirror',
    redirectSeconds,
  }: Pick<ServiceOptions, 'onFailure' | 'maxTier' | 'redirectSeconds'> = {},
): Service {
  return async (request) => {
    const requestId = newRequestId(archive.randomBytes);
    const response = await respond(archive, request, { maxTier, redirectSeconds }).catch(
      async (thrown: unknown) => {
        const error = await withNewerSchema(archive.database, thrown);
        if (!(error instanceof ApiError)) onFailure?.(requestId, error);
        const integrity = await summariesOf(archive).then(
          ({ external }) => external.integrity,
          () => 0,
        );
        return errorResponse(toApiError(error), requestId, integrity);
      },
    );
    const headers = {
      ...response.headers,
      date: new Date(archive.now()).toUTCString(),
      [HEADERS.requestId]: requestId,
    };
    const logContext = { route: request.target.startsWith('/messages/') ? 'stored_message' : 'file' };
    return { ...response, headers, body: request.method === 'HEAD' ? '' : response.body, logContext };
  };
}

async function respond(
  archive: Archive,
  request: ServiceRequest,
  { maxTier, redirectSeconds }: { maxTier: Tier; redirectSeconds: number | undefined },
): Promise<ServiceResponse> {
  if (request.method === 'OPTIONS') return { status: 204, headers: { allow: ALLOW }, body: '' };
  if (!/^\/(?:files|messages)\//.test(request.target)) throw new ApiError('not_found', ONLY_FILES);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ApiError('method_not_allowed', 'files can only be read', { allow: ALLOW });
  }
  const file = request.target.startsWith('/messages/')
    ? await storedMessage(archive, request.target, maxTier)
    : await storedFile(archive, request.target, maxTier);
  const { size, isRemote = false } = file;

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
  if (redirectSeconds !== undefined && file.address !== undefined && request.method === 'GET') {
    checkSize(file);
    const type = file.type;
    const disposition = attachmentDisposition(file.filename);
    const location = await file.address(redirectSeconds, { type, disposition });
    return { status: 307, headers: { location, ...NOT_KEPT }, body: '' };
  }

  const range = parseByteRange(rangeHeader(request, etag), size);
  if (range === 'unsatisfiable') {
    throw new ApiError('range_not_satisfiable', `the file has ${size} bytes`, {
      'content-range': `bytes */${size}`,
    });
  }
  if (range === 'whole') {
    headers['content-length'] = String(size);
    return { status: 200, headers, body: await checkedBytes(file, range), isRemote };
  }
  headers['content-length'] = String(range.to - range.from + 1);
  headers['content-range'] = `bytes ${range.from}-${range.to}/${size}`;
  return { status: 206, headers, body: await checkedBytes(file, range), isRemote };
}

/** Of a response with an address that opens a file for anyone. */
const NOT_KEPT = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'content-length': '0' };

type FileRow = {
  filename: string;
  sha256: string;
  bytes: number;
  declared_type: string;
  stored: number;
  redacted: number;
  tier: Tier;
  failed: number;
};

async function storedFile(archive: Archive, target: string, maxTier: Tier): Promise<ServedFile> {
  const path = parseSignedPath('files', target);
  if (path === undefined) throw new ApiError('not_found', NO_ROUTE);
  const n = numberOf('att', path.id);
  const file =
    n === undefined
      ? undefined
      : await archive.database.get<FileRow>(
          'SELECT filename, sha256, bytes, declared_type, stored, redacted, tier, failed FROM attachments WHERE n = $1',
          [n],
        );
  const { filename, sha256, bytes, declared_type, stored, failed } = await checkGrant(
    archive,
    { path, maxTier },
    file && { record: file, sha256: file.sha256, tiers: [file.tier], redacted: file.redacted === 1 },
  );
  if (stored !== 1) throw new ApiError('not_found', 'the archive does not hold the bytes of this file');
  const { blobs } = archive;
  return {
    sha256,
    size: bytes,
    ...(await storedBytes(blobs, sha256, bytes)),
    type: servedType(declared_type),
    filename,
    integrity: integrityOf('attachment', failed),
    isRemote: blobs.mark?.kind === 'bucket',
    read: (from, to) => blobs.read(sha256, from, to),
  };
}

/** Returns the size of a stored file, or where one request has both, how its size and bytes are read. */
async function storedBytes(
  blobs: Blobs,
  sha256: string,
  bytes: number,
): Promise<Pick<ServedFile, 'storedSize' | 'readSmall' | 'address'>> {
  const { readSmall, address } = blobs;
  if (readSmall !== undefined && bytes > 0 && bytes <= MAX_BYTES_HASHED_FIRST)
    return { readSmall: () => readSmall(sha256, bytes) };
  const storedSize = await blobs.size(sha256);
  if (storedSize === undefined) throw missing();
  // A smaller one is hashed before it is sent, and fetched sooner without a redirect.
  if (address === undefined || bytes <= MAX_BYTES_HASHED_FIRST) return { storedSize };
  return { storedSize, address: (seconds, headers) => address(sha256, seconds, headers) };
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
