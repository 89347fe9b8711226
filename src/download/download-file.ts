// Downloads a file with retries. The one place that decides when a file is requested again, and from which byte.
import { faultOfResponse, mayHelpToWait } from '../client/error-response.ts';
import { withRetries, withTryCount, type RetryOptions } from '../client/retry.ts';
import { Fault } from '../faults.ts';
import { requestFile, type FileRequestOptions, type RefusedFile } from './file-request.ts';
import { WrongRange, type OpenFile } from './file-response.ts';
import type { ResumePoint } from './partial-names.ts';
import { WrongContent } from './wrong-content.ts';

/** Options of a download. `log` gets a line for each retry. */
export type DownloadOptions = FileRequestOptions & {
  world: RetryOptions['world'];
  /** Tries after the first. */
  retries?: number;
  log?: (line: string) => void;
};

/** Stores the bytes of one file over several tries. */
export type FileReceiver<T> = {
  /** Returns where to continue; undefined for the whole file. Asked before each try. */
  resumePoint(): ResumePoint | undefined;
  /** Forgets the bytes received so far: the server has another file by now. */
  discard(): Promise<void>;
  receive(file: OpenFile): Promise<T>;
};

const RANGE_NOT_SATISFIABLE = 416;

/**
 * Opens a file for a caller that reads the body itself. A request that fails is retried; a body that breaks off is not.
 * Throws the Faults of {@link requestFile}, and for a response of another status the Fault that it means.
 */
export async function openFile(address: string, options: DownloadOptions): Promise<OpenFile> {
  return retryDownload(options, async (remainingMs) => {
    const opened = await requestFile(address, options, remainingMs);
    return 'refused' in opened ? opened : { status: opened.status, headers: opened.headers, result: opened };
  });
}

/**
 * Gives the bytes of a file to `receiver` and returns its result. A request that fails and a body that breaks off are
 * retried, together at most `retries` times, from where the receiver can continue. Throws as {@link openFile}; Faults of
 * the receiver pass.
 */
export async function downloadFile<T>(
  address: string,
  options: DownloadOptions,
  receiver: FileReceiver<T>,
): Promise<T> {
  return retryDownload(options, async (remainingMs, answered) => {
    const opened = await requestRest(address, options, receiver, remainingMs);
    if ('refused' in opened) return opened;
    answered();
    try {
      return { status: opened.status, headers: opened.headers, result: await receiver.receive(opened) };
    } finally {
      opened.close();
    }
  });
}

/** Requests the file from where the receiver is, or from the start where the server no longer has that file or gives another range. */
async function requestRest<T>(
  address: string,
  options: DownloadOptions,
  receiver: FileReceiver<T>,
  remainingMs: number,
): Promise<OpenFile | RefusedFile> {
  const range = receiver.resumePoint();
  if (range === undefined) return requestFile(address, options, remainingMs);
  const opened = await requestFile(address, { ...options, range }, remainingMs).catch((error: unknown) => {
    if (error instanceof WrongRange) return undefined;
    throw error;
  });
  if (opened === undefined)
    options.log?.('the server sent another range than asked for, downloading from the start');
  else if ('refused' in opened) {
    if (opened.status !== RANGE_NOT_SATISFIABLE) return opened;
  } else {
    if (opened.status === 200 || opened.etag === undefined || opened.etag === range.ifRange) return opened;
    // These are bytes of another file, although If-Range was sent.
    opened.close();
  }
  await receiver.discard();
  return requestFile(address, options, remainingMs);
}

/**
 * Runs a download, and once more where it throws {@link WrongContent}: a partial file may have held other bytes, a store may
 * give other bytes once, and the hash may be that of the bytes before or after a content encoding. `isAgain` is to be passed to
 * the request. The receiver must have discarded what it got. `name` is that of the file, for the log.
 */
export async function againIfWrong<T>(
  name: string,
  log: (line: string) => void,
  download: (isAgain: boolean) => Promise<T>,
): Promise<T> {
  return download(false).catch((error: unknown) => {
    if (!(error instanceof WrongContent)) throw error;
    log(`${name}: other bytes than it should have, downloading once more from the start`);
    return download(true);
  });
}

type Attempt<T> = RefusedFile | { status: number; headers: Record<string, string>; result: T };

async function retryDownload<T>(
  options: DownloadOptions,
  attempt: (remainingMs: number, answered: () => void) => Promise<Attempt<T>>,
): Promise<T> {
  const { retries = 4, timeoutMs, world, log } = options;
  const outcome = await withRetries(
    attempt,
    { retries, again: 'always', timeoutMs, world, log },
    (reply) => !('refused' in reply) || mayHelpToWait(reply.refused),
  );
  // Wrong bytes are no matter of tries, and whoever counts them needs the Fault as it is.
  if ('fault' in outcome)
    throw outcome.fault.kind === 'integrity' ? outcome.fault : withTryCount(outcome.fault, outcome);
  const { reply } = outcome;
  if ('result' in reply) return reply.result;
  const secrets = await options.secrets?.();
  throw withTryCount(withoutBaseUrl(faultOfResponse(reply.refused, reply.url, secrets)), outcome);
}

/** Returns the Fault of a file. Its address is that of a row, so one that leads nowhere says nothing of the base URL. */
function withoutBaseUrl(fault: Fault): Fault {
  if (fault.kind !== 'not_found' || fault.detail.isFromOurService === true) return fault;
  const { hint: _, ...detail } = fault.detail;
  return new Fault(
    'not_found',
    `the archive lists the file, and its address leads to none: ${fault.message}`,
    detail,
  );
}
