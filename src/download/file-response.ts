// An HTTP response that carries a file: its headers checked, its body limited in size and watched for speed.
import { isKnownEncoding } from '../client/content-encoding.ts';
import { withoutFramingHeaders } from '../client/response.ts';
import { safeText } from '../client/safe-text.ts';
import { hostAndPort, TransportFault, type TransportReply } from '../client/transport.ts';
import { Fault } from '../faults.ts';
import type { World } from '../world.ts';
import { decodedBody } from './decoded-body.ts';

/** A response whose headers are checked and whose body is not yet read. */
export type OpenFile = {
  /** 200: the whole file; 206: from `from` on. */
  status: 200 | 206;
  headers: Record<string, string>;
  /** Offset of the first byte. */
  from: number;
  /** Bytes of the whole file, where the server says. */
  size?: number;
  /** As sent; a weak one begins with W/ and allows no resuming. */
  etag?: string;
  acceptRanges: boolean;
  /** Throws Fault 'network' when it is cut or too slow, and 'protocol' when it exceeds {@link MAX_UNSIZED_BYTES}. */
  bytes: AsyncIterable<Uint8Array>;
  /** Must be called when the bytes were read, or will not be. */
  close(): void;
};

/** What a response is checked against: what was asked for, and the limits of its body. */
export type FileResponseOptions = {
  url: URL;
  /** The offset that was asked for; undefined where the whole file was. */
  rangeFrom: number | undefined;
  /** Bytes of the file by the catalogue. */
  size: number | undefined;
  /** The bytes of an earlier response were wrong. */
  isAgain: boolean;
  /** The body must reach {@link MIN_BYTES_PER_SECOND} over each such period. */
  timeoutMs: number;
  monotonic: World['monotonic'];
  /** Called when all bytes were read. */
  onRead: () => void;
};

const MIN_BYTES_PER_SECOND = 1000;
/** Limit for a file whose size neither the catalogue nor the server gives: an endless body would fill the disk. */
export const MAX_UNSIZED_BYTES = 4 * 1024 ** 3;

/** Fault 'protocol': the response holds another range than the one that was asked for, or several, or no file. */
export class WrongRange extends Fault {
  constructor(status: number) {
    super(
      'protocol',
      status === 206
        ? `file came with status ${status} and another range than asked for`
        : `the server gives no file: status ${status} in place of 200`,
      { status },
    );
  }
}

/**
 * Returns a reply of status 2xx as an open file. No encoding was asked for, so one that the server names may belong to the stored file or
 * only to its way here (RFC 9110 8.4). What the hash of the row is of is told by its size, else by trying: an encoded body is decoded
 * first, and where `isAgain` is set, the other way. Throws Fault 'protocol' for an encoding that cannot be decoded where the bytes as they
 * came were wrong, and {@link WrongRange}.
 */
export function fileFromReply(reply: TransportReply, options: FileResponseOptions): Omit<OpenFile, 'close'> {
  const { headers, status } = reply;
  const length = parseLength(headers['content-length']);
  const range = status === 206 ? parseContentRange(headers['content-range'], length) : undefined;
  if (status !== 200 && (range === undefined || range.from !== options.rangeFrom)) {
    throw new WrongRange(status);
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  const isEncoded = encoding !== 'identity';
  if (isEncoded && options.isAgain && !isKnownEncoding(encoding)) throw undecodable(encoding);
  const isAsStored = length !== undefined && length === options.size;
  if (isEncoded && isKnownEncoding(encoding) && isAsStored === options.isAgain) {
    // A part of an encoded body cannot be decoded alone.
    if (range !== undefined) throw new WrongRange(status);
    const maxBytes = options.size === undefined ? MAX_UNSIZED_BYTES : Infinity;
    const body = watchedBody(reply.body, length === undefined ? maxBytes : Infinity, options);
    return {
      status: 200,
      headers: withoutFramingHeaders(headers),
      from: 0,
      acceptRanges: false,
      bytes: decodedBody(body, encoding, maxBytes),
    };
  }
  const size = range === undefined ? length : range.size;
  const etag = headers['etag'];
  const maxBytes = (size ?? options.size) === undefined ? MAX_UNSIZED_BYTES : Infinity;
  return {
    status: range === undefined ? 200 : 206,
    headers: withoutFramingHeaders(headers),
    from: range?.from ?? 0,
    ...(size === undefined ? {} : { size }),
    ...(etag === undefined ? {} : { etag }),
    acceptRanges: range !== undefined || headers['accept-ranges']?.toLowerCase() === 'bytes',
    bytes: watchedBody(reply.body, maxBytes, options),
  };
}

function undecodable(encoding: string): Fault {
  return new Fault(
    'protocol',
    `the bytes of the file are wrong, and it has the content encoding ${safeText(encoding, 40)}, which cannot be decoded`,
  );
}

/**
 * Yields the body. A server that drips keeps idle timers from running out, so the speed is checked too. Only time spent
 * waiting for the server counts, not the time that our reader takes.
 */
async function* watchedBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  { url, timeoutMs, monotonic, onRead }: FileResponseOptions,
): AsyncGenerator<Uint8Array> {
  let totalBytes = 0;
  let periodMs = 0;
  let periodBytes = 0;
  let waitingSince = monotonic();
  for await (const chunk of body) {
    periodMs += monotonic() - waitingSince;
    periodBytes += chunk.length;
    totalBytes += chunk.length;
    if (totalBytes > maxBytes) {
      throw new Fault(
        'protocol',
        `${hostAndPort(url)}: file of unknown size is larger than ${maxBytes} bytes`,
      );
    }
    if (periodMs >= timeoutMs) {
      if (periodBytes < (MIN_BYTES_PER_SECOND * periodMs) / 1000) {
        const message = `${hostAndPort(url)}: too slow, ${periodBytes} bytes in ${(periodMs / 1000).toFixed(1)} s`;
        throw new TransportFault('network', message, true, { retryable: true });
      }
      periodMs = 0;
      periodBytes = 0;
    }
    yield chunk;
    waitingSince = monotonic();
  }
  onRead();
}

/** Undefined unless the range reaches to the end of the file and is as long as the body. */
function parseContentRange(
  header: string | undefined,
  bodyLength: number | undefined,
): { from: number; size: number } | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header ?? '');
  if (match === null) return undefined;
  const [from, to] = [Number(match[1]), Number(match[2])];
  const size = match[3] === '*' ? to + 1 : Number(match[3]);
  const isWhole = from <= to && to === size - 1 && (bodyLength ?? size - from) === size - from;
  return isWhole ? { from, size } : undefined;
}

function parseLength(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
