// The process that checks the pages of a SQLite file, beside the process that checks its rows. It prints what it finds as JSON.
import { readFileSync, writeSync } from 'node:fs';
import { openSqlite } from '../store/engines/sqlite.ts';
import { findingsInPages } from './pages.ts';

const STDIN = 0;
const STDOUT = 1;

/** With more memory for pages SQLite reads the file fewer times: 4 times with this, 2.5 with 192 MiB. */
const CACHE_KIB = 64 * 1024;

/** Nothing else runs here. */
const sleep = async (ms: number): Promise<void> =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

async function check(path: string): Promise<void> {
  const database = await openSqlite({ path, readOnly: true, sleep });
  await database.all(`PRAGMA cache_size = -${CACHE_KIB}`);
  writeSync(STDOUT, JSON.stringify(await findingsInPages(database)));
}

// An error is found again by the process that waits for this one, which knows how to report it.
check(readFileSync(STDIN, 'utf8')).catch(() => {});
