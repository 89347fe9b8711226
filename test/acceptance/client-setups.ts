// The real client on one archive in two ways: in this process, and over real ports.
import { readResponse, withoutFramingHeaders, type ApiResponse } from '../../src/client/response.ts';
import { allowedOriginsOf } from '../../src/download/allowed-origins.ts';
import { openFile } from '../../src/download/download-file.ts';
import { createInProcessTransport } from '../../src/client/in-process.ts';
import { createClient, type Client } from '../../src/client/index.ts';
import { createNetwork } from '../../src/client/network.ts';
import { faultOfResponse } from '../../src/client/error-response.ts';
import type { Transport, TransportRequest } from '../../src/client/transport.ts';
import { firstHeader, type Service } from '../../src/contract/exchange.ts';
import type { Tier } from '../../src/contract/tier.ts';
import { createAssetService, createService, type Archive } from '../../src/service/index.ts';
import { redact } from '../../src/service/administration.ts';
import { listen, type Listener } from '../../src/service/http/port.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { sampleArchive, tokenFor, type Sample } from '../support/archive.ts';

/** Who asks: a tier, nobody, or someone whose token is over. */
export type Who = Tier | 'nobody' | 'expired';
/**
 * `busy`, `corrupt` and `failing` have a database that throws, `low` gives no tier above external, `reading` may not write, `signed`
 * asks for signatures.
 */
export type Where = 'main' | 'busy' | 'corrupt' | 'failing' | 'low' | 'reading' | 'signed';

export type Asked = {
  as?: Who;
  at?: Where;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
};

export type Exchange = { status: number; headers: Record<string, string>; text: string };

export type Bench = {
  client(as?: Who, at?: Where): Client;
  /** What the client has no method for, by its own transport and its own reading of answers. */
  send(method: string, path: string, asked?: Asked): Promise<ApiResponse>;
  /** A file whole, or from a byte on. */
  file(address: string, from?: number): Promise<void>;
  /** A request to the origin of the files by any method. */
  sendFile(method: string, address: string): Promise<ApiResponse>;
  /** The address of a file as the owner sees it; that of `withdrawn` was given before the file was redacted. */
  address(id: string): Promise<string>;
  withdrawn: string;
  /** Everything that came back so far, without what names a moment or a request; read and emptied. */
  exchanges(): Exchange[];
};

export type Benches = { inside: Bench; outside: Bench; close(): Promise<void> };

const WHERE: readonly Where[] = ['main', 'busy', 'corrupt', 'failing', 'low', 'reading', 'signed'];

/** `between` stands before the services of the port and gives its own address. */
export async function openBenches(between?: (url: string) => Promise<string>): Promise<Benches> {
  const network = await createNetwork({ connectTimeoutMs: 1000, idleTimeoutMs: 1000 });
  const [inner, outer] = [await newSample(), await newSample()];
  const listeners: Listener[] = [];
  const publish = async (service: Service) => {
    const listener = await listen(service, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    return listener.url;
  };
  // The address of the files is part of what is compared, so both archives name the same one.
  const assetUrl = await publish(createAssetService(outer.archive));
  const outerServices = servicesOf(outer.archive, assetUrl);
  const outerUrls = {} as Record<Where, string>;
  let outerTransport = network.transport;
  if (between === undefined) {
    for (const where of WHERE) outerUrls[where] = await publish(outerServices[where]);
  } else {
    const chosen: Service = (request) => outerServices[firstHeader(request.headers, WHICH) as Where](request);
    const front = await between(await publish(chosen));
    for (const where of WHERE) outerUrls[where] = `https://${where}.localhost`;
    outerTransport = (request) => network.transport(behind(front, request));
  }
  const innerServices = servicesOf(inner.archive, assetUrl);
  const innerUrls = {} as Record<Where, string>;
  for (const where of WHERE) innerUrls[where] = `https://${where}.localhost`;
  const transport = createInProcessTransport({
    [assetUrl]: createAssetService(inner.archive),
    ...Object.fromEntries(WHERE.map((where) => [innerUrls[where], innerServices[where]])),
  });
  return {
    inside: await benchOf({
      sample: inner,
      service: innerServices.main,
      urls: innerUrls,
      assetUrl,
      transport,
    }),
    outside: await benchOf({
      sample: outer,
      service: outerServices.main,
      urls: outerUrls,
      assetUrl,
      transport: outerTransport,
    }),
    async close() {
      await network.close();
      await Promise.all(listeners.map((listener) => listener.close(0)));
      await Promise.all([inner.close(), outer.close()]);
    },
  };
}

/** Names the service that is meant to the one port of all. */
const WHICH = 'x-which';

/** What is asked of the origin of a service as it is asked of what stands before them all. */
function behind(front: string, { url, headers, ...request }: TransportRequest): TransportRequest {
  const [which = '', domain] = url.hostname.split('.');
  if (domain !== 'localhost') return { ...request, url, headers };
  const asked = new URL(front + url.pathname + url.search);
  return { ...request, url: asked, headers: { ...headers, [WHICH]: which } };
}

function newSample(): Promise<Sample> {
  return sampleArchive({ conversations: 6, messages: 3, attachments: 18, redactEvery: 4, mirrorEvery: 5 });
}

function servicesOf(archive: Archive, assetUrl: string): Record<Where, Service> {
  const options = { assetUrl, version: '0.0.0-test' };
  const failing = (errcode?: number): Archive => {
    const get = () => Promise.reject(Object.assign(new Error('SELECT secret'), { errcode }));
    return { ...archive, database: { ...archive.database, get } };
  };
  return {
    main: createService(archive, options),
    busy: createService(failing(5), options),
    corrupt: createService(failing(11), options),
    failing: createService(failing(), options),
    reading: createService({ ...archive, readOnly: true }, options),
    low: createService(archive, { ...options, maxTier: 'external' }),
    signed: createService(archive, { ...options, webhookSecrets: [new Uint8Array(32)] }),
  };
}

type Parts = {
  sample: Sample;
  service: Service;
  urls: Record<Where, string>;
  assetUrl: string;
  transport: Transport;
};

async function benchOf({ sample, service, urls, assetUrl, transport }: Parts): Promise<Bench> {
  const expired = await tokenFor(service);
  sample.advance(2 * 3_600_000);
  const tokens: Record<Who, string | undefined> = {
    expired,
    nobody: undefined,
    external: await tokenFor(service, 'external'),
    internal: await tokenFor(service, 'internal'),
    mirror: await tokenFor(service, 'mirror'),
  };
  const recorded: Exchange[] = [];
  const recording: Transport = async (request) => {
    const reply = await transport(request);
    const chunks: Uint8Array[] = [];
    for await (const chunk of reply.body) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    recorded.push(comparable({ ...reply, text: body.toString('latin1') }));
    return {
      ...reply,
      body: (async function* () {
        yield body;
      })(),
    };
  };
  const world = fakeWorld();
  const bench: Bench = {
    client: (as = 'internal', at = 'main') =>
      createClient({
        baseUrl: urls[at],
        transport: recording,
        bearer: async () => tokens[as],
        retries: 0,
        world,
      }),
    send: (method, path, { as = 'internal', at = 'main', headers = {}, body } = {}) =>
      sent(recording, new URL(urls[at] + path), {
        method,
        headers: {
          ...(tokens[as] === undefined ? {} : { authorization: `Bearer ${tokens[as]}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: Buffer.from(body) }),
      }),
    sendFile: (method, address) => sent(recording, new URL(address), { method, headers: {} }),
    async file(address, from) {
      const file = await openFile(address, {
        transport: recording,
        world,
        allowedOrigins: allowedOriginsOf([assetUrl]),
        retries: 0,
        timeoutMs: 1000,
        ...(from === undefined
          ? {}
          : { range: { from, ifRange: etagOf(await bench.client().attachment('att_1')) } }),
      });
      for await (const _ of file.bytes);
    },
    address: async (id) => (await bench.client('mirror').attachment(id)).body.file_url ?? '',
    withdrawn: '',
    exchanges: () => recorded.splice(0),
  };
  bench.withdrawn = await bench.address('att_3');
  await redact(sample.archive, 'att_3', 'withdrawn');
  bench.exchanges();
  return bench;
}

function etagOf({ body }: { body: { sha256?: string | undefined } }): string {
  return `"${body.sha256}"`;
}

async function sent(
  transport: Transport,
  url: URL,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: Uint8Array },
): Promise<ApiResponse> {
  const { signal } = new AbortController();
  const reply = await transport({ method, url, headers, signal, ...(body === undefined ? {} : { body }) });
  const answer = await readResponse(reply);
  if (answer.status >= 300) throw faultOfResponse(answer, url);
  return answer;
}

/** Both archives give the same ids and addresses; requests and tokens have ids of their own. */
function comparable({ status, headers, text }: Exchange): Exchange {
  const { date: _date, 'x-request-id': requestId, ...rest } = withoutFramingHeaders(headers);
  return {
    status,
    headers: { ...rest, 'x-request-id': requestId?.replace(/^req_[0-9a-f]{24}$/, 'req_') ?? 'none' },
    text: text.replaceAll(/req_[0-9a-f]{24}/g, 'req_').replaceAll(/arx_[\w-]{43}/g, 'arx_'),
  };
}
