// Measures pages with filters on skewed data through the service as a function, and what readers of such pages cost another reader; bundled by filters.mjs.
import { TIERS, type Tier } from '../../src/contract/tier.ts';
import type { Service } from '../../src/contract/exchange.ts';
import { createService } from '../../src/service/index.ts';
import type { Database } from '../../src/service/store/sql/database.ts';
import { summariesOf } from '../../src/service/store/meta-table/summary.ts';
import { ASSET_URL, sampleArchive, textOf, tokenFor, type Sample } from '../support/archive.ts';
import { startCluster } from '../support/cluster.ts';
import { freshUrl, withClient } from '../support/postgres.ts';
import { besideReaders } from './beside-readers.ts';

export { startCluster as startPostgres };

/** Reads of each page; the fastest counts, because the machine may be busy. */
const ROUNDS = 7;
const PAGE = 100;

/** Rows of one statement. */
const BATCH = 500_000;

/**
 * Attachments, two for each message. Cities follow Zipf's law (city k has about N ÷ (k · ln 1000) rows), one row in ten has none.
 * One type and one source have 99 % of the rows. The rare type, source and city are in other rows, so that two rare values
 * are never in one row.
 */
export async function fill(database: Database, count: number): Promise<void> {
  const run = (sql: string) => database.migration((statements) => statements.run(sql));
  for (let from = 1; from <= count; from += BATCH) {
    const numbers = `WITH RECURSIVE s (n) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT n + 1 FROM s
      WHERE n < ${Math.min(from + BATCH - 1, count)})`;
    await run(`INSERT INTO messages (n, conversation, sequence, format, source, classification, raw_sha256, raw_bytes,
        attachments, tier, failed, path, position)
      ${numbers} SELECT n, n, n, 'rfc822', 'gateway', 'reply', 'h' || n, 1, 1, 'external', 0, 'x', n FROM s`);
    // A number from 0 to 999999 in no order; the city is the power of 1000 that a share of it gives.
    const mixed = 'n * 7919 % 1000003 * 31 % 1000003';
    await run(`INSERT INTO attachments (n, message, part, filename, sha256, bytes, declared_type, stored, redacted,
        redaction, decorative_layer, first_visible, origin_city, source, tier, failed)
      ${numbers} SELECT n, (n + 1) / 2, n % 2, 'document-' || n || '.pdf', 'a1b2c3d4e5f60718293a4b5c6d7e8f90' || n, 15000,
        CASE WHEN n % 5003 = 1 THEN 'rare/type' WHEN n % 100 = 3 THEN 'type/' || (n % 7) ELSE 'application/pdf' END, 1,
        CASE WHEN n % 500 = 0 THEN 1 ELSE 0 END, CASE WHEN n % 500 = 0 THEN 'sealed' END, 0, 1,
        CASE WHEN n % 5003 = 2 THEN 'rare' WHEN n % 10 = 9 THEN NULL
          ELSE 'city' || CAST(exp((${mixed}) / 1000003.0 * 6.9) AS INTEGER) END,
        CASE WHEN n % 5003 = 4 THEN 'rare' WHEN n % 100 = 5 THEN 'source' || (n % 3) ELSE 'gateway' END,
        CASE WHEN n % 70 = 0 THEN 'mirror' WHEN n % 60 = 0 THEN 'internal' ELSE 'external' END, 0 FROM s`);
  }
  await run('ANALYZE');
}

const FILTERS = {
  origin_city: { common: 'city1', rare: 'rare', absent: 'nowhere' },
  content_type: { common: 'application/pdf', rare: 'rare/type', absent: 'no/type' },
  source: { common: 'gateway', rare: 'rare', absent: 'nobody' },
  message_id: { common: 'msg_4001' },
  redacted: { true: 'true', false: 'false' },
} as const;

type Case = { name: string; query: string };

/** Every value of every filter, and every pair of two filters. */
function cases(): Case[] {
  const values = Object.entries(FILTERS).map(([name, byKind]) =>
    Object.entries(byKind).map(([kind, value]) => ({
      name: name === 'redacted' ? `redacted=${kind}` : name === 'message_id' ? name : `${kind} ${name}`,
      query: `${name}=${encodeURIComponent(value)}`,
    })),
  );
  const pairs = values.flatMap((ones, at) =>
    values.slice(at + 1).flatMap((others) =>
      ones.flatMap((one) =>
        others.map((other) => ({
          name: `${one.name}, ${other.name}`,
          query: `${one.query}&${other.query}`,
        })),
      ),
    ),
  );
  const all = ['origin_city', 'content_type', 'source'].map((name) => {
    const value = FILTERS[name as 'source'].common;
    return `${name}=${encodeURIComponent(value)}`;
  });
  return [...values.flat(), ...pairs, { name: 'three common values', query: all.join('&') }];
}

type Row = Record<string, string>;
type Opened = { sample: Sample; service: Service; tokens: Record<Tier, string> };

/** The tables of an engine. */
export async function measureFilters(
  engine: 'sqlite' | 'postgres',
  count: number,
  log: (text: string) => void,
): Promise<{ pages: Row[]; readers: Row[] }> {
  const opened = await open(engine, count, log);
  try {
    const measured = await pages(opened, count);
    log(`${engine}: pages measured`);
    return { pages: measured, readers: await readers(opened) };
  } finally {
    await opened.sample.close();
  }
}

async function open(engine: string, count: number, log: (text: string) => void): Promise<Opened> {
  const url = engine === 'sqlite' ? undefined : await freshUrl();
  const place = url === undefined ? {} : { place: { url } };
  const sample = await sampleArchive({ conversations: 0, attachments: 0, ...place });
  const begun = performance.now();
  await fill(sample.archive.database, count);
  if (url !== undefined) await withClient((client) => client.query('VACUUM ANALYZE'), url);
  await summariesOf(sample.archive);
  log(`${engine}: filled in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0' });
  const tokens: Partial<Record<Tier, string>> = {};
  for (const tier of TIERS) tokens[tier] = await tokenFor(service, tier);
  return { sample, service, tokens: tokens as Record<Tier, string> };
}

/** One row for each kind of filters: the slowest of its cases, by its ratio to the plain first page read in turn with it. */
async function pages(opened: Opened, count: number): Promise<Row[]> {
  const worst = new Map<string, { ratio: number; row: Row }>();
  let number = 0;
  for (const { name, query } of cases()) {
    for (const tier of ['external', 'mirror'] as const) {
      for (const window of ['', `&ending_before=att_${count >> 1}`]) {
        const plain: number[] = [];
        const filtered: number[] = [];
        for (let round = -1; round < ROUNDS; round += 1) {
          number += 1;
          const one = await timed(opened, tier, `limit=${PAGE}&round=${number}`);
          const other = await timed(opened, tier, `limit=${PAGE}&${query}${window}&round=${number}`);
          if (round < 0) continue;
          plain.push(one);
          filtered.push(other);
        }
        const [a, b] = [Math.min(...plain), Math.min(...filtered)];
        const kind = name.replaceAll(/\b(?:rare|absent|common) (?=origin|content|source)/g, '');
        if (b / a <= (worst.get(kind)?.ratio ?? 0)) continue;
        const row = {
          filters: kind,
          'slowest case': `${name === kind ? '' : `${name}, `}${tier}${window === '' ? '' : `, ${window.slice(1).replace(/=.*/, '')}`}`,
          'plain first page, ms': a.toFixed(2),
          'with filters, ms': b.toFixed(2),
          'ratio (≤ 3)': (b / a).toFixed(2),
        };
        worst.set(kind, { ratio: b / a, row });
      }
    }
  }
  return Array.from(worst.values(), ({ row }) => row);
}

/** The median of another reader alone, with eight readers of the plain list, and with eight readers of filtered pages. */
function readers(opened: Opened): Promise<Row[]> {
  const list = (query: string) => (number: number) =>
    timed(opened, 'mirror', `limit=${PAGE}${query}&other=${number}`);
  return besideReaders(list(''), [
    ['an absent city', list('&origin_city=nowhere')],
    ['an absent pair', list('&origin_city=city1&source=nobody')],
    ['a rare pair', list('&origin_city=city1&content_type=rare/type')],
    ['a common city', list('&origin_city=city1')],
  ]);
}

async function timed({ service, tokens }: Opened, tier: Tier, query: string): Promise<number> {
  const headers = [['authorization', `Bearer ${tokens[tier]}`]] as const;
  const target = `/v1/attachments?${query}`;
  const begun = performance.now();
  const response = await service({ method: 'GET', target, headers, body: null, peer: 'local' });
  const ms = performance.now() - begun;
  if (response.status !== 200 && response.status !== 206)
    throw new Error(`${target}: ${response.status} ${await textOf(response)}`);
  return ms;
}
