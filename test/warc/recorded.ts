// Records simulated exchanges in a WARC file and reads them back.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Transport, TransportReply } from '../../src/client/transport.ts';
import { openRecorder, type Recorder, type TrafficKind } from '../../src/warc/index.ts';
import { NOON } from '../support/fake-world.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { allText, readWarc, type ReadRecord } from '../support/warc.ts';

/** A secret that every recording masks. */
export const TOKEN = 'arx_tok/0123456789.abcdefghijklmnop';
/** The same length in asterisks. */
export const STARS = '*'.repeat(TOKEN.length);
/** The URL of a simulated exchange, unless it names another. */
export const BASE = 'https://archive.example/v1/attachments?limit=2';

/** A request, and what the transport answers. */
export type SimulatedExchange = {
  url?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
  traffic?: TrafficKind;
  status?: number;
  wire?: TransportReply['wire'];
  /** The chunks of the response body. An error ends the body. */
  pieces?: (Uint8Array | string | Error)[];
  fails?: Error;
};

async function ask(recorder: Recorder, exchange: SimulatedExchange): Promise<Buffer> {
  const { url = BASE, method = 'GET', headers = {}, body, traffic = 'api', wire } = exchange;
  const transport: Transport = async () => {
    if (exchange.fails !== undefined) throw exchange.fails;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const piece of exchange.pieces ?? []) {
        if (piece instanceof Error) throw piece;
        const bytes = Buffer.from(piece as string);
        yield bytes;
        // A transport may reuse the memory of a chunk after the next one was requested.
        bytes.fill(0);
      }
    }
    const flat = Object.fromEntries(
      (wire?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return {
      status: exchange.status ?? 200,
      headers: flat,
      body: pieces(),
      ...(wire === undefined ? {} : { wire }),
    };
  };
  const { signal } = new AbortController();
  const sent = { method, url: new URL(url), headers, signal, ...(body === undefined ? {} : { body }) };
  const reply = await recorder.wrap(transport, traffic)(sent);
  const got: Uint8Array[] = [];
  for await (const piece of reply.body) got.push(Buffer.from(piece));
  return Buffer.concat(got);
}

/** Records the exchanges, and returns the records that another reader finds in the file. */
export async function recorded(exchanges: readonly SimulatedExchange[]): Promise<ReadRecord[]> {
  return (await recordedWithText(exchanges)).records;
}

/** The same, with all text of the file. */
export async function recordedWithText(
  exchanges: readonly SimulatedExchange[],
  secrets: string[] = [TOKEN],
): Promise<{ records: ReadRecord[]; text: string }> {
  const path = join(tempFolder('record'), 'a.warc.gz');
  const world = {
    now: () => NOON,
    running: () => false,
    pid: 1,
    randomBytes,
    signal: new AbortController().signal,
  };
  const words = ['api', '/v1/attachments'];
  const options = {
    path,
    force: true,
    version: '0',
    words,
    archive: 'https://archive.example',
    secrets,
    world,
  };
  const recorder = await openRecorder(options);
  for (const exchange of exchanges) await ask(recorder, exchange).catch(() => {});
  await recorder.close([['exit', '0']], false);
  return { records: await readWarc(path), text: await allText(path) };
}
/** The head of a response from a socket. */
export const wire = (headers: [string, string][], reason = 'OK') => ({
  reason,
  headers,
  address: '192.0.2.1',
});
/** The header of a JSON response. */
export const plain: [string, string][] = [['Content-Type', 'application/json']];
/** Returns the first response record. */
export const response = (records: readonly ReadRecord[]): ReadRecord =>
  records.find(({ type }) => type === 'response')!;
