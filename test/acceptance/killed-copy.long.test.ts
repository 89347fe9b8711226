// Copies of an archive killed with SIGKILL at chosen points, while the source changes: the same command completes them, and no other
// command opens an unfinished one.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ArchiveCopyReport } from '../../src/contract/reports/archive.ts';
import { openArchive, redact } from '../../src/service/index.ts';
import { freshUrl, noPostgres } from '../support/postgres.ts';
import { buildProgram } from '../support/program.ts';
import { sampleIn } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

/**
 * Kills the program at the n-th statement on SQLite, message to PostgreSQL, or write of a file; without a number it writes how many
 * there are. `from` is where the program finds its modules.
 */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import fs from 'node:fs';
const { from, nth, tally } = JSON.parse(process.env.ARX_TEST_KILL);
const require = createRequire(from);
const sqlite = require('@photostructure/sqlite');
let count = 0;
const step = () => {
  if (++count === nth) process.kill(process.pid, 'SIGKILL');
};
class DatabaseSync extends sqlite.DatabaseSync {
  exec(sql) {
    step();
    return super.exec(sql);
  }
  prepare(sql) {
    const statement = super.prepare(sql);
    const counted = (name) => (...values) => {
      step();
      return statement[name](...values);
    };
    return { run: counted('run'), get: counted('get'), all: counted('all') };
  }
}
require.cache[require.resolve('@photostructure/sqlite')].exports = { ...sqlite, DatabaseSync };
const { write } = Socket.prototype;
Socket.prototype.write = function (...given) {
  step();
  return write.apply(this, given);
};
const some = await fs.promises.open(process.execPath);
const files = Object.getPrototypeOf(some);
await some.close();
const { sync } = files;
files.sync = async function () {
  step();
  await sync.call(this);
};
process.on('exit', () => {
  if (tally !== undefined) fs.writeFileSync(tally, String(count));
});
`)}`;

const arx = buildProgram();

/** Places of a run at which it is killed, as shares of all. The first one is before the first row. */
const SHARES = [0.02, 0.1, 0.25, 0.18, 0.4];

describe.each(['sqlite', 'postgres'] as const)('from %s', (from) => {
  test.skipIf(noPostgres).each(['sqlite', 'postgres'] as const)(
    'to %s',
    async (to) => {
      const dir = tempFolder('killed-copy');
      const place = from === 'sqlite' ? { dir: join(dir, 'source') } : { url: await freshUrl() };
      await sampleIn(place);
      const source = 'dir' in place ? `sqlite:${place.dir}` : place.url;
      const fresh = async (name: string) => (to === 'sqlite' ? `sqlite:${join(dir, name)}` : freshUrl());
      const copy = (target: string, kill: object) =>
        arx.run(['archive', 'copy', source, target, '--json'], {
          dir,
          env: {
            ARX_TEST_KILL: JSON.stringify({ from: arx.launcher, ...kill }),
            NODE_OPTIONS: `--import=${PRELOAD}`,
          },
        });
      const tally = join(dir, 'tally');
      expect(await copy(await fresh('whole'), { tally })).toMatchObject({ exit: 0 });
      const steps = Number(readFileSync(tally, 'utf8'));
      expect(steps).toBeGreaterThan(200);

      const target = await fresh('target');
      for (const [at, share] of SHARES.entries()) {
        const killed = await copy(target, { nth: Math.max(1, Math.floor(steps * share)) });
        // A later run has less to do: it ends, or the copy was complete when the one before was killed in the check at the end.
        if (killed.signal === null) {
          expect([0, 13]).toContain(killed.exit);
          expect(at).toBeGreaterThan(1);
          break;
        }
        expect(killed.signal).toBe('SIGKILL');
        if (at === 2) {
          const opened = await arx.run(['fsck', '--database', target], { dir });
          expect([0, 15]).toContain(opened.exit);
          if (opened.exit === 15) expect(opened.stderr).toContain('unfinished copy');
        }
        const archive = await openArchive({ ...place, sleep, now: Date.now, randomBytes });
        await redact(archive, `att_${at + 2}`, 'changed meanwhile');
        await archive.close();
      }
      const last = await copy(target, {});
      // Killed after the copy was complete: then it is refused, as any archive with rows.
      if (last.exit === 13) {
        expect(last.stderr).toContain('not empty');
      } else {
        expect(last).toMatchObject({ exit: 0, stderr: '' });
        const report = JSON.parse(last.stdout) as ArchiveCopyReport;
        expect(report).toMatchObject({ verdict: 'equal', resumed: true, fsck: { verdict: 'ok' } });
      }
      expect(await arx.run(['fsck', '--database', target], { dir })).toMatchObject({ exit: 0 });
      if (to === 'sqlite') expect(existsSync(join(dir, 'target/archive.db'))).toBe(true);
    },
    600_000,
  );
});
