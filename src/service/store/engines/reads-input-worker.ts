// Worker thread that reads stdin for reads-process.ts, which does nothing else while a statement runs. It ends the process with stdin,
// also in the middle of a statement: who asked is gone, and nothing else would end it.
import { Buffer } from 'node:buffer';
import { readSync } from 'node:fs';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

const STDIN = 0;
const { port, sent } = workerData as { port: MessagePort; sent: Int32Array };

parentPort?.postMessage('begun');
const buffer = Buffer.alloc(64 * 1024);
for (;;) {
  let count = 0;
  try {
    count = readSync(STDIN, buffer);
  } catch {
    // The other end was reset.
  }
  if (count === 0) process.kill(process.pid, 'SIGKILL');
  port.postMessage(Uint8Array.prototype.slice.call(buffer, 0, count));
  Atomics.add(sent, 0, 1);
  Atomics.notify(sent, 0);
}
