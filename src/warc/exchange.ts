// One request and what came of it, as two records: a request that got no answer stands alone.
import { Fault } from '../faults.ts';
import type { TransportReply, TransportRequest } from '../client/transport.ts';
import { ROUTES } from '../contract/routes.ts';
import { MAX_RESPONSE_BYTES } from '../contract/scalars.ts';
import { coveredAddress, coveredFile } from './masked-urls.ts';
import { heard } from './masked-response.ts';
import { requestHead, responseHead, type Header } from './http-head.ts';
import { stars, type MaskedBody, type Masks } from './masking.ts';
import type { Field } from './warc-fields.ts';
import { createSpool, type Spool } from './record-block.ts';
import type { WarcFile } from './warc-file.ts';

/** Answers of the interface are small and may hold tokens and permissions; files are of any size and kept as they are. */
export type Traffic = 'answers' | 'files';

export type Exchange = {
  /** The head has come. */
  answered(reply: TransportReply): void;
  /** More of the body has. It is read before this resolves, and not kept. */
  more(piece: Uint8Array): Promise<void>;
  /** No more will come: `undefined` where that was all, else why. Only the first call counts; all resolve when it is written. */
  end(why: unknown): Promise<void>;
};

export type ExchangeNeeds = {
  file: WarcFile;
  masks: Masks;
  /** Milliseconds since the epoch. */
  now: number;
  recordId(): string;
  warcinfo: string;
  isAborted(): boolean;
};

/** Header fields that grant access. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
]);

export function beginExchange(request: TransportRequest, traffic: Traffic, needs: ExchangeNeeds): Exchange {
  const { file, masks } = needs;
  const isFile = traffic === 'files';
  const cover = isFile ? coveredFile : coveredAddress;
  const { origin, pathname, search, host } = request.url;
  const address = origin + pathname + search;
  const target = masks.text(cover(address));
  const isToken = request.method === 'POST' && request.url.pathname.endsWith(ROUTES.token.path);
  // As they are now: a proxy's dispatcher adds its own to them.
  const sent: Header[] = Object.entries(request.headers);
  const ids = { request: needs.recordId(), response: needs.recordId() };
  let reply: TransportReply | undefined;
  let spool: Spool | undefined;
  let passing: MaskedBody | undefined;
  /** Of answers. */
  const pieces: Buffer[] = [];
  let size = 0;
  let ending: Promise<void> | undefined;

  const fieldsOf = (type: 'request' | 'response', notes: readonly string[], truncated?: string): Field[] => [
    ['WARC-Type', type],
    ['WARC-Record-ID', ids[type]],
    ['WARC-Warcinfo-ID', needs.warcinfo],
    ['WARC-Date', new Date(needs.now).toISOString()],
    ['WARC-Target-URI', target],
    ...(reply === undefined
      ? []
      : [['WARC-Concurrent-To', ids[type === 'request' ? 'response' : 'request']] as const]),
    ...(reply?.wire?.address === undefined ? [] : [['WARC-IP-Address', reply.wire.address] as const]),
    ...(truncated === undefined ? [] : [['WARC-Truncated', truncated] as const]),
    ...(notes.length === 0 ? [] : [['Arx-Note', masks.text(latin1(notes.join('; ')))] as const]),
    ['Content-Type', `application/http; msgtype=${type}`],
  ];
  async function write(fields: readonly Field[], block: Spool): Promise<void> {
    const { block: whole, payload } = block.digests();
    const digests: Field[] = [
      ['WARC-Block-Digest', whole],
      ...(block.payloadLength === 0 ? [] : [['WARC-Payload-Digest', payload] as const]),
    ];
    await file.append([...fields, ...digests], block).finally(() => block.close());
  }
  /** Header fields without what grants access, and what was covered. */
  function shown(headers: readonly Header[], notes: string[]): Header[] {
    return headers.map(([name, value]) => {
      const key = name.toLowerCase();
      const bare = CREDENTIALS.has(key)
        ? value.replace(
            /^(bearer |basic )?(.*)$/is,
            (_, scheme: string | undefined, rest: string) => (scheme ?? '') + stars(rest),
          )
        : masks.text(/^(content-)?location$/.test(key) ? coveredFile(value) : value);
      const called = masks.text(name);
      if (bare !== value || called !== name) notes.push(`${called.toLowerCase()} covered`);
      return [called, bare];
    });
  }

  async function writeRequest(why: unknown): Promise<void> {
    const notes: string[] = [];
    if (target !== address) notes.push('address covered');
    const { method, body } = request;
    const headers = shown(sent, notes);
    if (body !== undefined) headers.push(['content-length', String(body.length)]);
    if (reply === undefined) notes.push(`no answer: ${reasonOf(why)}`);
    const block = createSpool(
      requestHead(`${method} ${target.slice(origin.length)}`, [['host', masks.text(host)], ...headers]),
      file.scratch,
    );
    if (body !== undefined) {
      const passed = masks.body();
      await block.add(Buffer.concat([passed.push(body), passed.end(false)]));
      if (passed.isMasked()) notes.push('token in the body covered');
    }
    await write(fieldsOf('request', notes), block);
  }

  function headOf(came: TransportReply, notes: string[]): Header[] {
    const all: Header[] = came.wire?.headers ?? Object.entries(came.headers);
    const kept = all.filter(([name]) => name.toLowerCase() !== 'transfer-encoding');
    if (kept.length < all.length) notes.push('transfer-encoding removed');
    if (came.wire === undefined) notes.push('answered in this process, without a socket');
    if (isFile && target !== address) notes.push('address covered');
    if (came.wire !== undefined && masks.text(came.wire.reason) !== came.wire.reason)
      notes.push('reason covered');
    return shown(kept, notes);
  }

  function headAs(status: number, wire: TransportReply['wire'], headers: readonly Header[]): Buffer {
    return responseHead(status, wire === undefined ? undefined : masks.text(wire.reason), headers);
  }

  async function writeResponse(came: TransportReply, why: unknown): Promise<void> {
    const { wire, status } = came;
    const truncated =
      why === undefined
        ? undefined
        : why instanceof Fault && why.kind === 'network'
          ? 'disconnect'
          : 'unspecified';
    const notes: string[] = why === undefined ? [] : [`body not read to its end: ${reasonOf(why)}`];
    const headers = headOf(came, notes);
    let block = spool;
    if (block === undefined) {
      const answer = { headers, body: Buffer.concat(pieces), isCut: why !== undefined };
      const told = await heard(answer, masks, isToken);
      notes.push(...told.notes);
      block = createSpool(headAs(status, wire, told.headers), file.scratch);
      await block.add(told.body);
    } else if (passing !== undefined) {
      await block.add(passing.end(why !== undefined));
      if (passing.isMasked()) notes.push('token in the body covered');
    }
    // Who interrupts a run does not wait for a large body to be compressed.
    const isLarge = !block.isSmall();
    if (!isLarge || !needs.isAborted()) {
      try {
        return await write(fieldsOf('response', notes, truncated), block);
      } catch (error) {
        if (!isLarge || !needs.isAborted()) throw error;
      }
    } else await block.close();
    const alone = createSpool(headAs(status, wire, headers), file.scratch);
    const left = [...notes, 'body left out: the run was interrupted'];
    await write(fieldsOf('response', left, 'unspecified'), alone);
  }

  async function finish(why: unknown): Promise<void> {
    // A token that the answer gives is known before anything of it is written.
    if (reply !== undefined) await writeResponse(reply, why);
    await writeRequest(why);
  }

  return {
    answered(came) {
      reply = came;
      if (!isFile) return;
      passing = masks.body();
      const headers = headOf(came, []);
      spool = createSpool(headAs(came.status, came.wire, headers), file.scratch);
    },
    async more(piece) {
      if (ending !== undefined) return;
      if (spool !== undefined && passing !== undefined) await spool.add(passing.push(piece));
      else if (size <= MAX_RESPONSE_BYTES) {
        size += piece.length;
        pieces.push(Buffer.from(piece));
      }
    },
    end: (why) => (ending ??= finish(why)),
  };
}

function reasonOf(why: unknown): string {
  if (why instanceof Fault) return `${why.kind}, ${why.message}`;
  return why === 'unread' ? 'nobody read on' : 'the run ended';
}

/** Fields are UTF-8, masks of bytes: what is beyond ASCII in our own words is not needed. */
function latin1(text: string): string {
  return text.replaceAll(/[^\u0020-\u00ff]/g, '?');
}
