// Clients that mean harm: large, unwanted and endless bodies, tiny chunks, long headers, wrong tokens, odd ranges.
import { connect } from 'node:net';

/** Ports of a service, and the path of a file on the second one. */
export type Victim = { port: number; filePort: number; file: string };

/** How one request of a hostile client looks. It goes to the API, or to the port of the files. */
type Attack = { bytes: Buffer; to?: 'files'; ending?: 'half-close' | 'reset' };

const HOST = 'Host: localhost\r\n';
const text = (content: string): Buffer => Buffer.from(content, 'latin1');
const post = (path: string, lines: string, body: string): Buffer =>
  text(`POST ${path} HTTP/1.1\r\n${HOST}${lines}\r\n${body}`);
const MIB = 1024 * 1024;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const LARGE = `Content-Length: ${MIB}\r\n`;
const WRONG = 'Authorization: Bearer wrong\r\n';

/** The attacks by kind. What a kind sends does not change from one request to the next. */
export const ATTACKS: Record<string, (victim: Victim) => Attack> = {
  'body without a token': () => ({
    bytes: post('/api/webhooks/ingest', JSON_TYPE + WRONG + LARGE, 'a'.repeat(MIB)),
  }),
  'body for no route': () => ({ bytes: post('/nowhere', LARGE, 'a'.repeat(MIB)) }),
  'long token request': () => ({ bytes: post('/api/auth/token', JSON_TYPE + LARGE, '['.repeat(MIB)) }),
  'deep token request': () => ({
    bytes: post('/api/auth/token', `${JSON_TYPE}Content-Length: 16000\r\n`, '['.repeat(16_000)),
  }),
  'chunks of one byte': () => ({
    bytes: post('/api/auth/token', `${JSON_TYPE}Transfer-Encoding: chunked\r\n`, '1\r\na\r\n'.repeat(50_000)),
  }),
  'chunks for no route': () => ({
    bytes: post('/nowhere', 'Transfer-Encoding: chunked\r\n', '1\r\na\r\n'.repeat(50_000)),
  }),
  'body that ends early': () => ({
    bytes: post('/api/auth/token', JSON_TYPE + LARGE, 'a'.repeat(8_000)),
    ending: 'half-close',
  }),
  'long header': () => ({
    bytes: text(`GET /api/health HTTP/1.1\r\n${HOST}A: ${'b'.repeat(20_000)}\r\n\r\n`),
  }),
  'many headers': () => ({
    bytes: text(`GET /api/health HTTP/1.1\r\n${HOST}${'a:b\r\n'.repeat(2_000)}\r\n`),
  }),
  'wrong tokens': () => ({
    bytes: text(`GET /v1/attachments?limit=500 HTTP/1.1\r\n${HOST}${WRONG}\r\n`.repeat(50)),
    ending: 'half-close',
  }),
  'many requests at once': () => ({
    bytes: text(`GET /nowhere HTTP/1.1\r\n${HOST}\r\n`.repeat(50)),
    ending: 'half-close',
  }),
  'thousands of requests at once': () => ({
    bytes: text(`GET /v1/attachments?limit=500 HTTP/1.1\r\n${HOST}${WRONG}\r\n`.repeat(3_000)),
  }),
  'requests ahead of an unread file': ({ file }) => ({
    bytes: text(`GET ${file} HTTP/1.1\r\n${HOST}\r\n`.repeat(60)),
    to: 'files',
    ending: 'reset',
  }),
  'thousand ranges': ({ file }) => ({
    bytes: text(
      `GET ${file} HTTP/1.1\r\n${HOST}Connection: close\r\nRange: bytes=${'0-0,'.repeat(1_000)}1-1\r\n\r\n`,
    ),
    to: 'files',
    ending: 'reset',
  }),
  'file that is not read': ({ file }) => ({
    bytes: text(`GET ${file} HTTP/1.1\r\n${HOST}\r\n`),
    to: 'files',
    ending: 'reset',
  }),
  'bytes that are not HTTP': () => ({ bytes: Buffer.alloc(10_000, 0x16) }),
};

/** Longest time that one connection is waited for. */
const PATIENCE_MS = 2_000;

/**
 * Attacks until `isOver` returns true, in `lanes` connections at once for each kind. Returns the number of connections by kind.
 */
export async function attack(
  victim: Victim,
  lanes: number,
  isOver: () => boolean,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const lane = async (kind: string, { bytes, to, ending }: Attack): Promise<void> => {
    while (!isOver()) {
      counts[kind] = (counts[kind] ?? 0) + 1;
      await send(to === 'files' ? victim.filePort : victim.port, bytes, ending);
    }
  };
  await Promise.all(
    Object.entries(ATTACKS).flatMap(([kind, attackOn]) =>
      Array.from({ length: lanes }, () => lane(kind, attackOn(victim))),
    ),
  );
  return counts;
}

/** Resolves when the connection is closed. */
function send(port: number, bytes: Buffer, ending: Attack['ending']): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const timeout = AbortSignal.timeout(PATIENCE_MS);
    const giveUp = () => socket.destroy();
    timeout.addEventListener('abort', giveUp, { once: true });
    socket.on('error', () => {});
    socket.once('close', () => {
      timeout.removeEventListener('abort', giveUp);
      resolve();
    });
    if (ending === 'reset') socket.once('data', () => socket.resetAndDestroy());
    else socket.resume().once('end', () => socket.destroy());
    if (ending === 'half-close') socket.end(bytes);
    else socket.write(bytes);
  });
}
