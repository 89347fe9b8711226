// The idle timeout of a connection counts only while the reader waits.
import { afterEach, expect, test } from 'vitest';
import {
  openPipelinedConnection,
  type RequestFailure,
} from '../../../src/download/pipelined-http/connection.ts';
import { misbehave, type Misbehaving } from '../../support/misbehaving-server.ts';

let server: Misbehaving | undefined;
afterEach(() => server?.close());

test('a body that stops is given up when its reader waits, and not while it is busy', async () => {
  server = await misbehave((socket) => socket.write('HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\nhello'));
  const room = Buffer.alloc(100);
  let looked = 0;
  let came = 0;
  const why = await new Promise<RequestFailure>((resolve) => {
    const connection = openPipelinedConnection<string>({
      url: new URL(server!.url),
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 20,
      monotonic: () => 0,
      maxWholeBytes: 0,
      requestOf: (target) => ({ target, fields: '' }),
      onHead: () => ({
        buffer: () => room.subarray(came),
        filled: (count) => (came += count) > 0,
        // Asked each time that the timer has run out.
        isReaderWaiting: () => ++looked > 3,
        end: () => {},
      }),
      onBody: () => {},
      onFailure: (_row, ending) => resolve(ending),
      onProgress: () => {},
    });
    connection.send(['/']);
  });
  expect([looked, came, (why as NodeJS.ErrnoException).code]).toEqual([4, 5, 'UND_ERR_BODY_TIMEOUT']);
});
