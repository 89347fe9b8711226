// Measures what requests whose cost grows with the archive cost another reader, through the service as a function; bundled by costly.mjs.
import { createService } from '../../src/service/index.ts';
import { summariesOf } from '../../src/service/store/meta-table/summary.ts';
import type { Database } from '../../src/service/store/sql/database.ts';
import { setIndexedUpTo } from '../../src/service/store/search/index-state.ts';
import { ASSET_URL, sampleArchive, textOf, tokenFor } from '../support/archive.ts';
import { startCluster } from '../support/cluster.ts';
import { freshUrl, withClient } from '../support/postgres.ts';
import { sha256Of } from '../support/digest.ts';
import { startReads } from '../support/reads-process.ts';
import { besideReaders } from './beside-readers.ts';
import { fill } from './filters.ts';

export { startCluster as startPostgres };

/** A word in all messages, one in a sixth, one in a thousandth, and a phrase in a quarter. 20 years of days, and a thousand senders. */
const BODY = `'samba the ' || CASE WHEN n % 6 = 0 THEN 'smbd ' ELSE '' END || CASE WHEN n % 4 = 0 THEN 'on the list ' ELSE 'the on ' END
  || 'word' || (n % 1000) || ' text of a mail with some more words in it that many mails have too n' || n`;
const DAY = '(11000 + n % 7300)';
const SENDER = `'sender' || (n % 997)`;
const SUBJECT = `'subject' || (n % 4999) || ' patch'`;

/** Gives each message of {@link fill} a date, a sender, a channel and words; adds as many events, which took effect in another order. */
async function fillMore(database: Database, count: number): Promise<void> {
  const run = (sql: string) => database.migration((statements) => statements.run(sql));
  await run(`UPDATE messages SET date_ms = CAST(${DAY} AS BIGINT) * 86400000, sender = ${SENDER}, subject = ${SUBJECT},
    channel = CASE WHEN n % 3 = 0 THEN 'channel' || (n % 50) END, sequence = n + 1`);
  await run(
    `INSERT INTO conversations (n, source, first_message, message_count) SELECT n, 'gateway', n, 1 FROM messages`,
  );
  await run(
    database.engine === 'sqlite'
      ? `INSERT INTO search_external (rowid, subject, sender, body, files, quoted)
          SELECT ${DAY} * 4294967296 + n, ${SUBJECT}, ${SENDER}, ${BODY}, '', '' FROM messages ORDER BY 1`
      : `INSERT INTO search_external (n, day, is_long, words) SELECT n, ${DAY}, 0,
          setweight(to_tsvector('simple', ${SUBJECT}), 'A') || setweight(to_tsvector('simple', ${SENDER}), 'B')
          || setweight(to_tsvector('simple', ${BODY}), 'C') FROM messages`,
  );
  await database.migration((statements) => setIndexedUpTo(statements, count));
  await run(`INSERT INTO events (n, id, type, payload, body_sha256, received_ms, deliveries, effect, applied)
    SELECT n, 'event-' || n, 'message.reordered', '{"id":"msg_1","sequence":1}', 'h', 0, 1, CASE WHEN n % 2 = 0 THEN 'superseded' ELSE 'applied' END,
      ${count} + 1 - n FROM messages`);
  await storeMails(database);
  await run('ANALYZE');
}

/** Stored bytes of the newest messages, so that snippets can be read. */
async function storeMails(database: Database): Promise<void> {
  const newest = await database.all<{ n: number }>(
    'SELECT n FROM messages ORDER BY date_ms DESC, n DESC LIMIT 500',
  );
  await database.transaction(async (statements) => {
    for (const { n } of newest) {
      const raw = Buffer.from(
        `From: s@example\r\nSubject: subject patch\r\nMessage-ID: <${n}@x>\r\n\r\n${'samba the on the list, and many other words\r\n'.repeat(80)}${n}\r\n`,
      );
      await statements.run('INSERT INTO raws (n, content) VALUES ($1, $2)', [n, raw]);
      await statements.run('UPDATE messages SET raw_sha256 = $1, raw_bytes = $2 WHERE n = $3', [
        sha256Of(raw),
        raw.length,
        n,
      ]);
    }
  });
}

/** Searches, each made another one by a word that is nowhere. */
const SEARCHES: readonly (readonly [name: string, query: string, rest?: string])[] = [
  ['search --count, a word in all', 'samba', 'count=true'],
  ['search, newest, a word in all', 'samba', 'sort=newest&snippets=false'],
  ['search, newest 100 with snippets', 'samba', 'sort=newest&limit=100'],
  ['search, best, a word in all', 'samba', 'snippets=false'],
  ['search, a word in 1 of 1,000', 'word7', 'sort=newest&snippets=false'],
  ['search --count, a phrase in a quarter', '"on the"', 'count=true'],
  ['search --count, a prefix in all', 'sa*', 'count=true'],
  ['search --count, all prefixes of a letter', 'n1*', 'count=true'],
  ['search --count, from: and a prefix', 'from:sender*', 'count=true'],
  ['search --count, two words in all', 'samba mail', 'count=true'],
  ['search --count, all but a word', '-smbd', 'count=true'],
  ['search --count, a word and a common city', 'samba city:city1', 'count=true'],
  ['search --count, a common type', 'type:application/pdf', 'count=true'],
  ['search --count, has:attachment', 'has:attachment', 'count=true'],
  ['search --count, a period of 10 years', 'since:2005 before:2015', 'count=true'],
  ['search --count, a channel', 'channel:channel3', 'count=true'],
  ['search, no hit of common words', 'samba smbd nowhere', 'sort=newest&snippets=false'],
  ['search --facet from', 'samba', 'facet=from'],
  ['search --facet year', 'samba', 'facet=year'],
  ['search --facet city', 'samba', 'facet=city'],
  ['search --facet type', 'samba', 'facet=type'],
  ['search --facet conversation', 'samba', 'facet=conversation'],
];

/** Other requests, by their target. */
const OTHERS: readonly (readonly [name: string, target: string])[] = [
  ['health', '/api/health?other='],
  ['sequence arc_reconstruction', '/api/sequence/arc_reconstruction?limit=100&other='],
  ['sequence mirror_relay', '/api/sequence/mirror_relay?limit=100&other='],
  ['events, superseded', '/api/webhooks/events?limit=100&effect=superseded&other='],
  ['messages', '/v1/messages?limit=100&other='],
  ['messages of one conversation', '/v1/messages?limit=100&conversation=conv_77&other='],
  ['conversations', '/v1/conversations?limit=100&other='],
];

/** The table of an engine. `only`: a part of the names to measure. */
export async function measureCostly(
  engine: 'sqlite' | 'postgres',
  count: number,
  log: (text: string) => void,
  only = '',
): Promise<Record<string, string>[]> {
  const url = engine === 'sqlite' ? undefined : await freshUrl();
  const sample = await sampleArchive({
    conversations: 0,
    attachments: 0,
    ...(url === undefined ? { startReads: () => startReads(process.cwd()) } : { place: { url } }),
  });
  try {
    const begun = performance.now();
    await fill(sample.archive.database, count);
    await fillMore(sample.archive.database, count);
    if (url !== undefined) await withClient((client) => client.query('VACUUM ANALYZE'), url);
    await summariesOf(sample.archive);
    log(`${engine}: filled in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0' });
    const headers = [['authorization', `Bearer ${await tokenFor(service, 'mirror')}`]] as const;
    const ask = async (target: string): Promise<void> => {
      const response = await service({ method: 'GET', target, headers, body: null, peer: 'local' });
      if (response.status !== 200 && response.status !== 206 && response.status !== 503)
        throw new Error(`${target}: ${response.status} ${await textOf(response)}`);
    };
    const searches = SEARCHES.map(
      ([name, query, rest = '']) =>
        [
          name,
          (number: number) => ask(`/v1/search?q=${encodeURIComponent(`${query} -x${number}`)}&${rest}`),
        ] as const,
    );
    const others = OTHERS.map(
      ([name, target]) => [name, (number: number) => ask(`${target}${number}`)] as const,
    );
    return await besideReaders(
      (number) => ask(`/v1/attachments?limit=100&other=${number}`),
      [...searches, ...others].filter(([name]) => name.includes(only)),
    );
  } finally {
    await sample.close();
  }
}
