// Records one HTTP exchange as two WARC records, response and request. A request without a response is recorded alone.
import type { TransportReply, TransportRequest } from '../client/transport.ts';
import { ROUTES } from '../contract/routes.ts';
import { MAX_RESPONSE_BYTES } from '../contract/scalars.ts';
import { Fault } from '../faults.ts';
import { requestHead, responseHead, type Header } from './http-head.ts';
import { maskHeaders, maskResponseHeaders } from './masked-headers.ts';
import { maskResponse } from './masked-response.ts';
import { maskFileUrl, maskUrl } from './masked-urls.ts';
import type { BodyMasker, SecretMasker } from './masking.ts';
import { createBlock, type Block, type WritableBlock } from './record-block.ts';
import type { WarcField } from './warc-fields.ts';
import type { WarcFile } from './warc-file.ts';

/**
 * `api`: responses of the API. They are small and may contain tokens and file URLs, so they are masked as a whole.
 * `files`: downloads of any size. Their bytes are recorded as received; only known secrets are masked.
 */
export type TrafficKind = 'api' | 'files';

/** The recording of one exchange. */
export type Exchange = {
  /** Called when the head of the response has arrived. */
  responseStarted(reply: TransportReply): void;
  /** Called for each chunk of the body. The chunk may be reused after this resolves. */
  bodyChunk(chunk: Uint8Array): Promise<void>;
  /**
   * Writes the records. `cause` is undefined when the body was complete, `unread` when nobody read it to the end, else
   * the error. Only the first call counts. All calls resolve when the records are written.
   */
  end(cause: unknown): Promise<void>;
};

/** What the exchanges of one recording share, and the time of this one. */
export type ExchangeContext = {
  file: WarcFile;
  masker: SecretMasker;
  /** Milliseconds since the epoch. */
  now: number;
  newRecordId(): string;
  /** The record id of the warcinfo record. */
  warcinfoId: string;
  isAborted(): boolean;
};

/** Begins the recording of a request. Its header fields are copied, because a proxy dispatcher adds others later. */
export function beginExchange(
  request: TransportRequest,
  traffic: TrafficKind,
  context: ExchangeContext,
): Exchange {
  const { file, masker } = context;
  const isFile = traffic === 'files';
  const { origin, pathname, search, host } = request.url;
  const url = origin + pathname + search;
  const recordedUrl = masker.text((isFile ? maskFileUrl : maskUrl)(url));
  const isToken = request.method === 'POST' && request.url.pathname.endsWith(ROUTES.token.path);
  const requestHeaders: Header[] = Object.entries(request.headers);
  const ids = { request: context.newRecordId(), response: context.newRecordId() };
  let reply: TransportReply | undefined;
  /** The block of a file, written while the file arrives, and the masker of its bytes. */
  let fileBlock: WritableBlock | undefined;
  let fileMasker: BodyMasker | undefined;
  /** The body of an API response, masked when it is complete. */
  const apiChunks: Buffer[] = [];
  let apiBytes = 0;
  let ending: Promise<void> | undefined;

  const recordFields = (
    type: 'request' | 'response',
    notes: readonly string[],
    truncated?: string,
  ): WarcField[] => [
    ['WARC-Type', type],
    ['WARC-Record-ID', ids[type]],
    ['WARC-Warcinfo-ID', context.warcinfoId],
    ['WARC-Date', new Date(context.now).toISOString()],
    ['WARC-Target-URI', recordedUrl],
    ...(reply === undefined
      ? []
      : [['WARC-Concurrent-To', ids[type === 'request' ? 'response' : 'request']] as const]),
    ...(reply?.wire?.address === undefined ? [] : [['WARC-IP-Address', reply.wire.address] as const]),
    ...(truncated === undefined ? [] : [['WARC-Truncated', truncated] as const]),
    ...(notes.length === 0 ? [] : [['Arx-Note', masker.text(toLatin1(notes.join('; ')))] as const]),
    ['Content-Type', `application/http; msgtype=${type}`],
  ];

  async function writeRequest(cause: unknown): Promise<void> {
    const notes: string[] = [];
    if (recordedUrl !== url) notes.push('address masked');
    const { method, body } = request;
    const headers = maskHeaders(requestHeaders, masker, notes);
    if (body !== undefined) headers.push(['content-length', String(body.length)]);
    if (reply === undefined) notes.push(`no answer: ${describeCause(cause)}`);
    const target = recordedUrl.slice(origin.length);
    const head = requestHead(`${method} ${target}`, [['host', masker.text(host)], ...headers]);
    const block = createBlock(head, file.openScratchFile);
    if (body !== undefined) {
      const bodyMasker = masker.body();
      await block.add(Buffer.concat([bodyMasker.push(body), bodyMasker.end()]));
      if (bodyMasker.isMasked()) notes.push('token in the body masked');
    }
    await writeRecord(file, recordFields('request', notes), block);
  }

  const maskedResponseHead = ({ status, wire }: TransportReply, headers: readonly Header[]): Buffer =>
    responseHead(status, wire === undefined ? undefined : masker.text(wire.reason), headers);

  async function writeResponse(received: TransportReply, cause: unknown): Promise<void> {
    const isCut = cause !== undefined;
    const notes = isCut ? [`body not read to its end: ${describeCause(cause)}`] : [];
    const headers = maskResponseHeaders(received, isFile && recordedUrl !== url, masker, notes);
    let block = fileBlock;
    if (block === undefined) {
      const masked = await maskResponse({ headers, body: Buffer.concat(apiChunks), isCut }, masker, isToken);
      notes.push(...masked.notes);
      block = createBlock(maskedResponseHead(received, masked.headers), file.openScratchFile);
      await block.add(masked.body);
    } else if (fileMasker !== undefined) {
      await block.add(fileMasker.end());
      if (fileMasker.isMasked()) notes.push('token in the body masked');
    }
    // After an interrupt the user must not wait until a large body is compressed.
    const isLarge = !block.isInMemory();
    if (isLarge && context.isAborted()) {
      await block.close();
    } else {
      try {
        return await writeRecord(file, recordFields('response', notes, truncation(cause)), block);
      } catch (error) {
        if (!isLarge || !context.isAborted()) throw error;
      }
    }
    const headOnly = createBlock(maskedResponseHead(received, headers), file.openScratchFile);
    const headNotes = [...notes, 'body left out: the run was interrupted'];
    await writeRecord(file, recordFields('response', headNotes, 'unspecified'), headOnly);
  }

  async function finish(cause: unknown): Promise<void> {
    // The response first: a token in it must be known before the request is written.
    if (reply !== undefined) await writeResponse(reply, cause);
    await writeRequest(cause);
  }

  return {
    responseStarted(received) {
      reply = received;
      if (!isFile) return;
      fileMasker = masker.body();
      const headers = maskResponseHeaders(received, recordedUrl !== url, masker, []);
      fileBlock = createBlock(maskedResponseHead(received, headers), file.openScratchFile);
    },
    async bodyChunk(chunk) {
      if (ending !== undefined) return;
      if (fileBlock !== undefined && fileMasker !== undefined) await fileBlock.add(fileMasker.push(chunk));
      else if (apiBytes <= MAX_RESPONSE_BYTES) {
        apiBytes += chunk.length;
        apiChunks.push(Buffer.from(chunk));
      }
    },
    end: (cause) => (ending ??= finish(cause)),
  };
}

async function writeRecord(file: WarcFile, fields: readonly WarcField[], block: Block): Promise<void> {
  const { block: blockDigest, payload } = block.digests();
  const digests: WarcField[] = [
    ['WARC-Block-Digest', blockDigest],
    ...(block.payloadLength === 0 ? [] : [['WARC-Payload-Digest', payload] as const]),
  ];
  await file.append([...fields, ...digests], block).finally(() => block.close());
}

/** The value of WARC-Truncated, or undefined for a complete body. */
function truncation(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  return cause instanceof Fault && cause.kind === 'network' ? 'disconnect' : 'unspecified';
}

function describeCause(cause: unknown): string {
  if (cause instanceof Fault) return `${cause.kind}, ${cause.message}`;
  return cause === 'unread' ? 'the rest was not read' : 'the run ended';
}

/** Secrets are masked as Latin-1 bytes, so other characters in notes are replaced. */
function toLatin1(text: string): string {
  return text.replaceAll(/[^\u0020-\u00ff]/g, '?');
}
