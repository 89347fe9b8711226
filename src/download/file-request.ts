// One request for a file: only to origins that are allowed, without a token, redirects followed within those origins.
import { checkStatus, readResponse, type ApiResponse } from '../client/response.ts';
import { deadline } from '../client/deadline.ts';
import { redactFault } from '../client/safe-text.ts';
import { hostAndPort, TransportFault, type Transport } from '../client/transport.ts';
import { Fault } from '../faults.ts';
import type { World } from '../world.ts';
import { checkedFileUrl, checkedRedirect } from './allowed-origins.ts';
import { copiedChunks } from './copied-chunks.ts';
import type { DownloadLimits } from './download-limits.ts';
import { fileFromReply, type OpenFile } from './file-response.ts';
import type { ResumePoint } from './partial-names.ts';

/** How files can be reached. */
export type FileAccess = {
  transport: Transport;
  /** Origins that files may come from, see {@link allowedOriginsOf}. */
  allowedOrigins: ReadonlySet<string>;
  /** The base URL of the archive, to which a relative address belongs. */
  baseUrl?: string;
  /** Limit for waiting on the headers. A body that is too slow over such a period is given up. */
  timeoutMs: number;
  /** Returns the tokens of the run. They are never sent: a server may know them, and no message may show them. */
  secrets?: () => Promise<readonly string[]>;
  /** Shared by all downloads of the run. */
  limits?: DownloadLimits;
};

/** Options of one request for a file. */
export type FileRequestOptions = FileAccess & {
  world: Pick<World, 'monotonic' | 'signal'>;
  /** Asks for the bytes after those that are here already. */
  range?: ResumePoint | undefined;
  /** Bytes of the file by the catalogue; the caller checks the body against it. */
  size?: number | undefined;
  /** The bytes of an earlier response were wrong: an encoded body is taken in the other form, see {@link fileFromReply}. */
  isAgain?: boolean | undefined;
  /** Called before each request; the requests that follow a redirect do not count. */
  onRequest?: (() => void) | undefined;
  /** Called when all bytes of the file were read. */
  onRead?: (() => void) | undefined;
};

/** A response that is neither a file nor a redirect: its status says why. `url` is what was asked last. */
export type RefusedFile = { status: number; headers: Record<string, string>; refused: ApiResponse; url: URL };

const MAX_REDIRECTS = 3;
const FORBIDDEN = 403;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Requests the file at `address` once (interface 2.1) and returns it open, or the response that refused it. Throws Fault
 * 'unsafe' for a scheme or origin that is not allowed, 'protocol' for a redirect that leaves the allowed origins,
 * otherwise as for the API. Where the target of a redirect is 403, `address` is asked once more for another. `remainingMs` limits the time until the headers are here.
 */
export async function requestFile(
  address: string,
  options: FileRequestOptions,
  remainingMs: number,
): Promise<OpenFile | RefusedFile> {
  try {
    return await followRedirects(address, options, remainingMs);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw redactFault(error, (await options.secrets?.()) ?? []);
  }
}

async function followRedirects(
  address: string,
  options: FileRequestOptions,
  remainingMs: number,
): Promise<OpenFile | RefusedFile> {
  const { allowedOrigins, baseUrl, world } = options;
  const deadlineMs = world.monotonic() + remainingMs;
  const first = checkedFileUrl(address, allowedOrigins, baseUrl);
  const follow = async (): Promise<OpenFile | RefusedFile> => {
    let url = first;
    for (let redirects = 0; ; redirects += 1) {
      const response = await requestOnce(url, options, deadlineMs - world.monotonic());
      if (!('refused' in response) || !REDIRECT_STATUSES.has(response.status)) return response;
      if (redirects === MAX_REDIRECTS) {
        throw new Fault('protocol', `file redirected more than ${MAX_REDIRECTS} times`);
      }
      url = checkedRedirect(response.refused, url, allowedOrigins);
    }
  };
  options.onRequest?.();
  const response = await follow();
  // The address that a redirect gave is open for a short time only, so it may have expired.
  const mayBeExpired = 'refused' in response && response.status === FORBIDDEN && response.url !== first;
  return mayBeExpired ? follow() : response;
}

async function requestOnce(
  url: URL,
  options: FileRequestOptions,
  remainingMs: number,
): Promise<OpenFile | RefusedFile> {
  const { transport, world, range } = options;
  const headers: Record<string, string> = { accept: '*/*', 'accept-encoding': 'identity' };
  if (range !== undefined) {
    headers['range'] = `bytes=${range.from}-`;
    headers['if-range'] = range.ifRange;
  }
  const limit = deadline(remainingMs, world.signal, () => timeoutFault(url, options.timeoutMs));
  try {
    const reply = await transport({ method: 'GET', url, headers, signal: limit.signal });
    checkStatus(reply.status);
    if (reply.status >= 300) {
      const refused = await readResponse({ ...reply, body: copiedChunks(reply.body) });
      limit.release();
      return { status: refused.status, headers: refused.headers, refused, url };
    }
    let isRead = false;
    const file = fileFromReply(reply, {
      url,
      rangeFrom: range?.from,
      size: options.size,
      isAgain: options.isAgain === true,
      timeoutMs: options.timeoutMs,
      monotonic: world.monotonic,
      onRead: () => {
        isRead = true;
        options.onRead?.();
      },
    });
    limit.lift();
    const bytes = options.limits?.limited(file.bytes, options.size, world.signal) ?? file.bytes;
    return { ...file, bytes, close: () => (isRead ? limit.release() : limit.cancel()) };
  } catch (error) {
    limit.cancel();
    throw error;
  }
}

function timeoutFault(url: URL, timeoutMs: number): Fault {
  const message = `${hostAndPort(url)}: no answer within ${timeoutMs / 1000} s`;
  return new TransportFault('network', message, true, { retryable: true });
}
