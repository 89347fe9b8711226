// Measures how fast read messages are stored: on SQLite against bare inserts of the same bytes, on PostgreSQL by COPY against row-wise; bundled by intake.mjs.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { importItems } from '../../src/service/import/index.ts';
import type { ImportedMessage } from '../../src/service/records/import-items.ts';
import type { Archive } from '../../src/service/index.ts';
import { sampleArchive } from '../support/archive.ts';
import { CLUSTER, startCluster } from '../support/cluster.ts';
import { freshUrl } from '../support/postgres.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { sha256Of } from '../support/digest.ts';

const BATCH = 256;

/** Rows of a table: a way to store, and the median of its messages a second. */
export async function measureIntakes(count: number, rounds: number): Promise<Record<string, string>[]> {
  const stop = await startCluster();
  try {
    const ways: Record<string, () => Promise<number>> = {
      'SQLite, bare inserts of the same rows': () => bare(count),
      'SQLite, import': () => imported(count, async () => ({})),
      ...(process.env[CLUSTER] === undefined
        ? {}
        : {
            'PostgreSQL, import row-wise': () => imported(count, postgres, withoutCopy),
            'PostgreSQL, import by COPY': () => imported(count, postgres),
          }),
    };
    const rates = Object.fromEntries(Object.keys(ways).map((way) => [way, [] as number[]]));
    for (let round = -1; round < rounds; round += 1) {
      for (const [way, store] of Object.entries(ways)) {
        const seconds = await store();
        if (round >= 0) rates[way]!.push(count / seconds);
      }
    }
    const medianOf = (way: string) => rates[way]?.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
    const [bareWay, sqlite, rowWise, copied] = Object.keys(ways).map(medianOf) as [
      number,
      number,
      number,
      number,
    ];
    return Object.keys(ways).map((way, at) => ({
      way,
      'messages/s': medianOf(way).toFixed(0),
      ratio: [
        '1',
        `${(sqlite / bareWay).toFixed(2)} of bare inserts`,
        '1',
        `${(copied / rowWise).toFixed(2)} of row-wise`,
      ][at]!,
    }));
  } finally {
    await stop();
  }
}

const postgres = async () => ({ place: { url: await freshUrl() } });

/** The same archive without its faster way. */
function withoutCopy(archive: Archive): Archive {
  const { database } = archive;
  return {
    ...archive,
    database: {
      ...database,
      transaction: (work) => database.transaction((statements) => work({ ...statements, copy: undefined })),
    },
  };
}

async function imported(
  count: number,
  place: () => Promise<object>,
  changed: (archive: Archive) => Archive = (archive) => archive,
): Promise<number> {
  const sample = await sampleArchive({ conversations: 0, attachments: 0, ...(await place()) });
  try {
    const begun = performance.now();
    const { messages } = await importItems(changed(sample.archive), items(count));
    if (messages.stored !== count) throw new Error(`stored ${messages.stored} of ${count}`);
    return (performance.now() - begun) / 1000;
  } finally {
    await sample.close();
  }
}

/** As many durable transactions, and of each message its row and its bytes: the least there is to store. */
async function bare(count: number): Promise<number> {
  const dir = tempFolder('bare');
  const database = new DatabaseSync(join(dir, 'bare.db'));
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE messages (n INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, sender TEXT, subject TEXT, date_ms INTEGER);
      CREATE TABLE raws (n INTEGER PRIMARY KEY, content BLOB NOT NULL)`);
    const row = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?)');
    const raw = database.prepare('INSERT INTO raws VALUES (?, ?)');
    const begun = performance.now();
    let n = 0;
    for await (const message of items(count)) {
      if (n % BATCH === 0) database.exec('BEGIN IMMEDIATE');
      n += 1;
      row.run(n, message.sha256, message.sender, message.subject, message.date_ms);
      raw.run(n, message.raw);
      if (n % BATCH === 0 || n === count) database.exec('COMMIT');
    }
    return (performance.now() - begun) / 1000;
  } finally {
    database.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Threads of four, with bodies of 6.8 kB, the median of real ones. */
async function* items(count: number): AsyncGenerator<ImportedMessage> {
  for (let n = 1; n <= count; n += 1) {
    const raw = Buffer.from(
      `Message-ID: <${n}@bench.example>\r\n\r\n${`line ${n} `.repeat(900).slice(0, 6_700)}`,
    );
    const first = n - ((n - 1) % 4);
    yield {
      kind: 'message',
      format: 'rfc822',
      path: 'bench.mbox',
      position: n,
      raw,
      sha256: sha256Of(raw),
      key: `${n}@bench.example`,
      related: n === first ? [] : [`${first}@bench.example`],
      parent: n === first ? null : `${n - 1}@bench.example`,
      date_ms: 1_000_000_000_000 + n,
      sender: `Observer ${n % 97} <o@bench.example>`,
      subject: `Letter ${first}`,
      source: 'gateway',
      channel: null,
      tier: 'external',
      nature: 'ordinary',
      decodable: true,
      wellFormed: true,
      attachments: [],
    };
  }
}
