// Other archive services on loopback ports, written from the interface alone: nothing here comes from the code under test.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Request } from './answer.ts';
import { makeArchive, type OtherArchive } from './archive.ts';
import type { Problem } from './errors.ts';
import { randomOf, roughAnswer } from './faults.ts';
import { createRoutes } from './routes.ts';
import type { Variant } from './variant.ts';

/** A running service. */
export type OtherService = {
  variant: Variant;
  url: string;
  /** Address of its files. */
  filesUrl: string;
  archive: OtherArchive;
  /** Events that it took in, in order. */
  events: Record<string, unknown>[];
  /** Method and target of each request, in order. */
  requests: string[];
  close(): Promise<void>;
};

const ARCHIVES = { one: makeArchive({ letters: 'one' }), several: makeArchive() };

/** Starts the service. */
export async function startOtherService(variant: Variant): Promise<OtherService> {
  const archive = ARCHIVES[variant.letters];
  const events: Record<string, unknown>[] = [];
  const requests: string[] = [];
  const fileServer = variant.filesElsewhere ? await listening(createServer()) : undefined;
  const server = await listening(createServer());
  const url = urlOf(server);
  const filesUrl = urlOf(fileServer ?? server);
  const route = createRoutes({ variant, archive, events, fileUrl: filesUrl });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const number = requests.length;
    requests.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const parsed = parsedRequest(request, Buffer.concat(chunks).toString());
      const random = randomOf(variant.faults.seed, number);
      const answer = route(parsed, random);
      if (answer === 'none') return;
      const sent = 'code' in answer ? errorAnswer(variant, answer) : answer;
      const isSpared = parsed.method !== 'GET' || parsed.url.pathname.startsWith('/files/');
      const fail = isSpared ? undefined : roughAnswer(variant.faults.rough, random);
      if (fail === undefined) send(response, sent);
      else fail(response, String(sent.body));
    });
  };
  server.on('request', onRequest);
  fileServer?.on('request', onRequest);
  return {
    variant,
    url,
    filesUrl,
    archive,
    events,
    requests,
    close: async () => {
      await closed(server);
      if (fileServer !== undefined) await closed(fileServer);
    },
  };
}

function parsedRequest({ method, url, headers }: IncomingMessage, body: string): Request {
  return {
    method: method ?? 'GET',
    url: new URL(url ?? '/', 'http://other'),
    token: /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1],
    body,
  };
}

function errorAnswer({ errors }: Variant, problem: Problem): Answer {
  return { status: problem.status, ...errors(problem) };
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length });
  response.end(bytes);
}

async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
}
