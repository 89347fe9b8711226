// A process that works on a token store for each line on standard input, and writes the result to standard output.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../src/faults.ts';
import { setSetting } from '../../src/config/settings-file.ts';
import { openTokenStore } from '../../src/config/token-store.ts';
import { entry, running } from './child-parts.ts';

// Arguments: folder, put | remove | set | profile, a name, how often.
const [folder = '', work = '', name = '', count = '1'] = process.argv.slice(2);
const world = {
  now: () => Date.now(),
  sleep: (ms: number) => sleep(ms),
  randomBytes: (bytes: number) => randomBytes(bytes),
  pid: process.pid,
  running,
  uid: process.getuid?.(),
  notice: () => {},
};
const store = openTokenStore(folder, world);
// Loaded before the go, so that a tracer sees only the work.
if (work === 'set' || work === 'profile') await import('conf');
process.stdout.write('ready\n');
await new Promise((go) => process.stdin.once('data', go));
process.stdin.destroy();

try {
  for (let index = 0; index < Number(count); index++) {
    if (work === 'put') await store.put(entry(`${name}${index}`));
    if (work === 'remove') await store.remove(`${name}${index}`, 'default');
    if (work === 'set' || work === 'profile')
      await setSetting(folder, 'client_id', `${name}${index}`, undefined, world);
    if (work === 'profile') await setSetting(folder, 'client_id', 'x', `${name}${index}`, world);
  }
  process.stdout.write('done\n');
} catch (error) {
  const text = error instanceof Fault ? `${error.kind} ${error.message}` : `bug ${String(error)}`;
  process.stdout.write(`${text}\n`);
}
