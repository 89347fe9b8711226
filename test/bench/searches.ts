// Measures a search index in this process: queries, changes and size, on one engine; bundled by search-list.mjs.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseQuery } from '../../src/contract/search/query.ts';
import { importItems } from '../../src/service/import/index.ts';
import type { RawMail } from '../../src/service/records/import-items.ts';
import { readMbox } from '../../src/service/import/mbox.ts';
import { parseMail } from '../../src/service/mail/mail-record.ts';
import { openArchive, type ArchiveLocation } from '../../src/service/index.ts';
import { redact } from '../../src/service/administration.ts';
import { createFinder } from '../../src/service/store/search/find-messages.ts';

export { generateList } from './generated-list.ts';
export { ownCluster as startDatabase } from '../support/own-cluster.ts';

const RUNS = 9;

/** Median milliseconds of CPU (user and system) of this process, and of wall time. */
type Spent = { cpu: number; ms: number };

async function spentBy(work: () => Promise<unknown>, runs = RUNS): Promise<Spent> {
  const all: Spent[] = [];
  for (let run = -1; run < runs; run += 1) {
    const [cpu, begun] = [process.cpuUsage(), performance.now()];
    await work();
    const { user, system } = process.cpuUsage(cpu);
    if (run >= 0) all.push({ cpu: (user + system) / 1000, ms: performance.now() - begun });
  }
  const median = (name: keyof Spent): number =>
    all.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(all.length / 2)]!;
  return { cpu: median('cpu'), ms: median('ms') };
}

/** Rows of a table: each query with its hits, and the time of its count, its newest 20 and its best 20. */
export async function measureQueries(place: ArchiveLocation, queries: readonly string[]) {
  const archive = await openArchive({ ...place, sleep, now: Date.now, randomBytes });
  try {
    const rows: Record<string, string>[] = [];
    for (const query of queries) {
      const { expression, filters } = parseQuery(query, Date.now());
      const finder = () =>
        createFinder(archive.database, {
          expression,
          filters,
          reader: 'mirror',
          labelsOf: () => [],
          matches: () => Promise.resolve(true),
        });
      const hits = await (await finder()).count();
      const count = await spentBy(async () => (await finder()).count());
      const newest = await spentBy(async () => (await finder()).find('newest', 20));
      const ranked = hits < 20_000 || archive.database.engine === 'sqlite';
      const best = ranked ? await spentBy(async () => (await finder()).find('relevance', 20)) : undefined;
      rows.push({
        query,
        messages: String(hits),
        count: shown(count),
        'newest 20': shown(newest),
        'best 20': best === undefined ? 'not ranked' : shown(best),
      });
    }
    return rows;
  } finally {
    await archive.close();
  }
}

/** PostgreSQL works in another process, so its time is that of the clock. */
function shown({ cpu, ms }: Spent): string {
  return `${ms.toFixed(2)} (${cpu.toFixed(2)})`;
}

/** Adds one message and a hundred, with and without a file, and withholds a file. Rows of a table. */
export async function measureChanges(place: ArchiveLocation, mbox: string) {
  const archive = await openArchive({ ...place, sleep, now: Date.now, randomBytes });
  try {
    const mails: RawMail[] = [];
    for await (const item of readMbox(mbox)) if (item.kind === 'raw') mails.push(item);
    let next = 0;
    const add = (count: number) => async () => {
      const some = mails.slice(next, next + count);
      next += count;
      await importItems(
        archive,
        (async function* () {
          for (const mail of some) yield await parseMail(mail, 'internal');
        })(),
      );
    };
    const one = await spentBy(add(1));
    const hundred = await spentBy(add(100));
    const files = await archive.database.all<{ n: number }>(
      'SELECT MIN(n) AS n FROM attachments GROUP BY sha256 HAVING COUNT(*) = 1 ORDER BY 1 LIMIT 20',
    );
    let file = 0;
    const withhold =
      files.length <= RUNS
        ? undefined
        : await spentBy(() => redact(archive, `att_${files[file++]!.n}`, 'measured'));
    return [
      { change: 'add 1 message', 'ms (CPU)': shown(one), goal: '≤ 5' },
      { change: 'add 100', 'ms (CPU)': shown(hundred), goal: '≤ 60' },
      ...(withhold === undefined
        ? []
        : [{ change: 'withhold a file', 'ms (CPU)': shown(withhold), goal: '≤ 10' }]),
    ];
  } finally {
    await archive.close();
  }
}

/** Bytes of the stored messages, and of the index of words. */
export async function measureSize(place: ArchiveLocation): Promise<{ raw: number; index: number }> {
  const archive = await openArchive({ ...place, sleep, now: Date.now, randomBytes });
  try {
    const { database } = archive;
    const raw = await database.get<{ bytes: number }>('SELECT SUM(raw_bytes) AS bytes FROM messages');
    const sql =
      database.engine === 'sqlite'
        ? `SELECT SUM(pgsize) AS bytes FROM dbstat WHERE name LIKE 'search%'`
        : `SELECT SUM(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c
            JOIN pg_namespace s ON s.oid = c.relnamespace
            WHERE s.nspname = current_schema() AND c.relkind = 'r' AND c.relname LIKE 'search%'`;
    const index = await database.get<{ bytes: number }>(sql);
    return { raw: Number(raw?.bytes), index: Number(index?.bytes) };
  } finally {
    await archive.close();
  }
}
