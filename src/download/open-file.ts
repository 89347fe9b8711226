// Attachment files as byte streams: only from origins that were allowed, never with a token.
import { Fault } from '../faults.ts';
import type { World } from '../world.ts';
import { checkStatus, readResponse, withoutFramingHeaders, type ApiResponse } from '../client/response.ts';
import { deadline } from '../client/deadline.ts';
import { checkedFileUrl, checkedRedirect } from './allowed-origins.ts';
import { faultOfResponse } from '../client/error-response.ts';
import { withRetries, withTryCount } from '../client/retry.ts';
import { redactFault, safeText } from '../client/safe-text.ts';
import { hostAndPort, TransportFault, type Transport, type TransportReply } from '../client/transport.ts';

export { allowedOriginsOf as originsOf } from './allowed-origins.ts';

export type FileOptions = {
  transport: Transport;
  world: Pick<World, 'now' | 'monotonic' | 'sleep' | 'randomBytes' | 'signal'>;
  /** Origins files may come from (see {@link originsOf}). */
  allowedOrigins: ReadonlySet<string>;
  /** First byte wanted, with the strong ETag under which the bytes before it were read. */
  range?: { from: number; ifRange: string };
  /** Size of the file, where the catalogue has it: who reads the bytes holds them to it. */
  size?: number | undefined;
  /** The token of the session, which is never sent: a server may know it, and no Fault shows it. */
  bearer?: () => Promise<string | undefined>;
  /** Tries after the first. */
  retries?: number;
  /** {@link downloadFile} waits for its turn, and calls what it gets when the bytes are read, or will not be. */
  turn?: () => Promise<() => void>;
  /** Called when all bytes of a file were read. */
  onRead?: () => void;
  /** Called before the file is asked for, each time; redirects do not count. */
  onTry?: () => void;
  /** Time for the headers; a body that then stays below SLOWEST over such a time is too slow. */
  timeoutMs: number;
  log?: (line: string) => void;
};

export type OpenFile = {
  /** 200: the whole file; 206: from `from` on. */
  status: 200 | 206;
  headers: Record<string, string>;
  from: number;
  /** Bytes of the whole file, where the server says. */
  size?: number;
  /** As sent; a weak one begins with W/ and allows no resuming. */
  etag?: string;
  acceptRanges: boolean;
  bytes: AsyncIterable<Uint8Array>;
  /** To be called when the bytes were read, or will not be. */
  close(): void;
};

const MAX_REDIRECTS = 3;
const RANGE_NOT_SATISFIABLE = 416;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Bytes per second. */
const MIN_BYTES_PER_SECOND = 1000;
/** Most bytes of a file whose size neither the catalogue nor the server says: without an end it would fill the disk. */
export const MAX_UNSIZED_BYTES = 4 * 1024 ** 3;

/** Who keeps the bytes: see verified-file.ts. */
export type FileReceiver<T> = {
  /** What is there already, and the strong ETag under which it came; asked before each try. */
  resume(): FileOptions['range'];
  /** What is there is not of the file that is now served. */
  restart(): Promise<void>;
  take(file: OpenFile): Promise<T>;
};

/**
 * Opens a file_url and gives its bytes to the taker. A body that breaks off is asked for again, from where the taker
 * can go on, at most as often as `retries` says; then, and for all else, the Fault passes. {@link openFile} says which.
 */
export async function downloadFile<T>(
  address: string,
  options: FileOptions,
  taker: FileReceiver<T>,
): Promise<T> {
  const { world, retries = 4, log } = options;
  const attempt = async () => {
    const done = await options.turn?.();
    let file: OpenFile | undefined;
    try {
      // Opening has its own tries.
      const opened = await openToGoOn(
        address,
        { ...options, ...(done === undefined ? {} : { onRead: done }) },
        taker,
      ).catch((error: unknown) => {
        if (error instanceof Fault) return error;
        throw error;
      });
      if (opened instanceof Fault) return { status: 0, headers: {}, refused: opened };
      file = opened;
      return { status: file.status, headers: file.headers, taken: await taker.take(file) };
    } finally {
      file?.close();
      done?.();
    }
  };
  // Each body has a time limit of its own, see SLOWEST.
  const outcome = await withRetries(attempt, { retries, again: 'always', timeoutMs: Infinity, world, log });
  if ('fault' in outcome) throw withTryCount(outcome.fault, outcome);
  if ('refused' in outcome.reply) throw outcome.reply.refused;
  return outcome.reply.taken;
}

/** From where the taker is; from the start where the server has no such range, or not of that file any more. */
async function openToGoOn<T>(
  address: string,
  options: FileOptions,
  taker: FileReceiver<T>,
): Promise<OpenFile> {
  const range = taker.resume();
  if (range === undefined) return openFile(address, options);
  try {
    const file = await openFile(address, { ...options, range });
    if (file.status === 200 || file.etag === undefined || file.etag === range.ifRange) return file;
    // Another file's bytes, whatever was asked.
    file.close();
  } catch (error) {
    if (!(error instanceof Fault) || error.detail.status !== RANGE_NOT_SATISFIABLE) throw error;
  }
  await taker.restart();
  return openFile(address, options);
}

/**
 * Opens a file_url (interface 2.1). Faults: `unsafe` for a scheme or origin that is not allowed, `protocol` for
 * redirects that leave the origin, otherwise as for the API. `bytes` throws `network` when it is cut or too slow, and
 * `protocol` beyond MOST_UNSIZED_BYTES where nothing says the size.
 */
export async function openFile(address: string, options: FileOptions): Promise<OpenFile> {
  try {
    return await openedFrom(address, options);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw redactFault(error, await options.bearer?.().catch(() => undefined));
  }
}

async function openedFrom(address: string, options: FileOptions): Promise<OpenFile> {
  const { allowedOrigins, timeoutMs, world, retries = 4, log } = options;
  let url = checkedFileUrl(address, allowedOrigins);
  for (let hops = 0; ; hops += 1) {
    const attempt = (left: number) => {
      if (hops === 0) options.onTry?.();
      return once(url, options, left);
    };
    const outcome = await withRetries(attempt, {
      retries,
      again: 'always',
      timeoutMs,
      world,
      log,
    });
    if ('fault' in outcome) throw withTryCount(outcome.fault, outcome);
    const { reply } = outcome;
    if ('from' in reply) return reply;
    if (!REDIRECTS.has(reply.status)) throw withTryCount(faultOfResponse(reply, url), outcome);
    if (hops === MAX_REDIRECTS)
      throw new Fault('protocol', `file redirected more than ${MAX_REDIRECTS} times`);
    url = checkedRedirect(reply, url, allowedOrigins);
  }
}

async function once(url: URL, options: FileOptions, left: number): Promise<OpenFile | ApiResponse> {
  const { transport, world, range } = options;
  const headers: Record<string, string> = { accept: '*/*', 'accept-encoding': 'identity' };
  if (range !== undefined) {
    headers['range'] = `bytes=${range.from}-`;
    headers['if-range'] = range.ifRange;
  }
  const limit = deadline(left, world.signal, () => late(url, options.timeoutMs));
  try {
    const reply = await transport({ method: 'GET', url, headers, signal: limit.signal });
    checkStatus(reply.status);
    if (reply.status >= 300) {
      const answer = await readResponse(reply);
      limit.release();
      return answer;
    }
    let isRead = false;
    const file = opened(reply, options, url, () => {
      isRead = true;
      options.onRead?.();
    });
    limit.lift();
    return { ...file, close: () => (isRead ? limit.release() : limit.cancel()) };
  } catch (error) {
    limit.cancel();
    throw error;
  }
}

function late(url: URL, timeoutMs: number): Fault {
  const message = `${hostAndPort(url)}: no answer within ${timeoutMs / 1000} s`;
  return new TransportFault('network', message, true, { retryable: true });
}

/** `read` is called when all bytes were read. */
function opened(
  reply: TransportReply,
  options: FileOptions,
  url: URL,
  read: () => void,
): Omit<OpenFile, 'close'> {
  const { headers, status } = reply;
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding !== 'identity') {
    throw new Fault('protocol', `file comes encoded as ${safeText(encoding, 40)}, which was not asked for`);
  }
  const wanted = options.range?.from ?? 0;
  const span =
    status === 206 ? spanOf(headers['content-range'], lengthOf(headers['content-length'])) : undefined;
  if (status !== 200 && (span === undefined || options.range === undefined || span.from !== wanted)) {
    throw new Fault('protocol', `file came with status ${status} and another range than asked for`, {
      status,
    });
  }
  const size = span === undefined ? lengthOf(headers['content-length']) : span.size;
  const etag = headers['etag'];
  return {
    status: span === undefined ? 200 : 206,
    headers: withoutFramingHeaders(headers),
    from: span?.from ?? 0,
    ...(size === undefined ? {} : { size }),
    ...(etag === undefined ? {} : { etag }),
    acceptRanges: span !== undefined || headers['accept-ranges']?.toLowerCase() === 'bytes',
    bytes: paced(reply.body, {
      options,
      url,
      most: (size ?? options.size) === undefined ? MAX_UNSIZED_BYTES : Infinity,
      read,
    }),
  };
}

/** A drip keeps every idle timer from running out, so the bytes are counted too (only while we wait, not our reader). */
async function* paced(
  body: AsyncIterable<Uint8Array>,
  { options, url, most, read }: { options: FileOptions; url: URL; most: number; read: () => void },
): AsyncGenerator<Uint8Array> {
  const { world, timeoutMs } = options;
  let waited = 0;
  let bytes = 0;
  let total = 0;
  let asked = world.monotonic();
  for await (const chunk of body) {
    waited += world.monotonic() - asked;
    bytes += chunk.length;
    total += chunk.length;
    if (total > most) {
      throw new Fault('protocol', `${hostAndPort(url)}: file of unknown size is larger than ${most} bytes`);
    }
    if (waited >= timeoutMs) {
      if (bytes < (MIN_BYTES_PER_SECOND * waited) / 1000) {
        const message = `${hostAndPort(url)}: too slow, ${bytes} bytes in ${(waited / 1000).toFixed(1)} s`;
        throw new TransportFault('network', message, true, { retryable: true });
      }
      waited = 0;
      bytes = 0;
    }
    yield chunk;
    asked = world.monotonic();
  }
  read();
}

/** A span that reaches to the end of the file, as it was asked for, and is as long as the body. */
function spanOf(
  header: string | undefined,
  length: number | undefined,
): { from: number; size: number } | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header ?? '');
  if (match === null) return undefined;
  const [from, to] = [Number(match[1]), Number(match[2])];
  const size = match[3] === '*' ? to + 1 : Number(match[3]);
  const isWhole = from <= to && to === size - 1 && (length ?? size - from) === size - from;
  return isWhole ? { from, size } : undefined;
}

function lengthOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
