// A process that works on an archive in PostgreSQL, and kills itself with SIGKILL at the n-th message that it sends to the server.
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openArchive } from '../../src/service/index.ts';
import { redact } from '../../src/service/administration.ts';
import { searchTextReader } from '../../src/service/mail/search-text.ts';
import { readChecked } from '../../src/service/store/files/read-checked.ts';
import { indexNext } from '../../src/service/store/search/build-index.ts';

// Arguments: the database, what to do, the number of the message to die at, and whether half of it is sent.
const [url = '', step = '', nth = '0', half = ''] = process.argv.slice(2);

const archive = await openArchive({ url, sleep, now: Date.now, randomBytes });
let left = Number(nth);
const { write } = Socket.prototype;
Socket.prototype.write = function (this: Socket, ...given: unknown[]) {
  const [chunk] = given;
  left -= 1;
  if (left === 0) {
    if (half === 'half' && chunk instanceof Uint8Array)
      Reflect.apply(write, this, [chunk.subarray(0, Math.floor(chunk.length / 2))]);
    process.kill(process.pid, 'SIGKILL');
  }
  return Reflect.apply(write, this, given) as boolean;
};

if (step === 'redact') await redact(archive, 'att_1', 'x');
else {
  const read = searchTextReader((sha256) => readChecked(archive.blobs, sha256));
  for (let calls = 0; calls < 10 && !(await indexNext(archive, read)); calls += 1);
}
await archive.close();
