// Measures pages at three depths of a large archive and of a small one on both engines, through the service as a function; bundled by depth.mjs.
import { createService } from '../../src/service/index.ts';
import type { Service } from '../../src/contract/exchange.ts';
import { summariesOf } from '../../src/service/store/meta-table/summary.ts';
import { ASSET_URL, sampleArchive, textOf, tokenFor, type Sample } from '../support/archive.ts';
import { startCluster } from '../support/cluster.ts';
import { generate } from '../support/generated-rows.ts';
import { withClient, freshUrl } from '../support/postgres.ts';

const SMALL = 1_000;
const ROUNDS = 100;
const PAGE = 100;
/** A list and the kind and table of its cursors. */
const LISTS = [
  ['/v1/conversations?', 'conv', 'conversations'],
  ['/messages?', 'msg', 'messages'],
  ['/v1/attachments?', 'att', 'attachments'],
  ['/v1/attachments?origin_city=city3&', 'att', 'attachments'],
] as const;
/** Rows left before the edge of a list, so that a page is full with any filter. */
const EDGE = 900;

type Asked = { target: string; times: number[] };
type Opened = { sample: Sample; service: Service; token: string };

export { startCluster as startPostgres };

/** Rows of a table: a list on an engine in one direction, and the median at each depth. */
export async function measureDepths(
  engine: 'sqlite' | 'postgres',
  count: number,
  log: (text: string) => void,
): Promise<Record<string, string>[]> {
  const [large, small] = [await open(engine, count, log), await open(engine, SMALL, log)];
  try {
    const rows = [];
    for (const [path, kind, table] of LISTS) {
      for (const parameter of ['starting_after', 'ending_before'] as const) {
        const forward = parameter === 'starting_after';
        const numberAt = (share: number) => atDepth(large.sample, table, share);
        const cursors = await Promise.all([0, 0.5, 1].map(numberAt));
        const first = await atDepth(small.sample, table, forward ? 0 : 1, 0);
        const asked = [...cursors, first].map((n): Asked => ({
          target: `${path}limit=${PAGE}&${parameter}=${kind}_${n}`,
          times: [],
        }));
        await alternate(asked.map((one, at) => [at === cursors.length ? small : large, one]));
        const medians = asked.map(({ times }) => times.sort((a, b) => a - b)[ROUNDS / 2]!);
        const [start, middle, end, least] = medians as [number, number, number, number];
        const depths = [start, middle, end];
        rows.push({
          engine,
          list: path.slice(0, -1),
          direction: forward ? 'forward' : 'backward',
          '1,000 rows, ms': least.toFixed(2),
          'start, ms': start.toFixed(2),
          'middle, ms': middle.toFixed(2),
          'end, ms': end.toFixed(2),
          'slowest to fastest (≤ 1.3)': (Math.max(...depths) / Math.min(...depths)).toFixed(2),
          'slowest to 1,000 rows (≤ 2)': (Math.max(...depths) / least).toFixed(2),
        });
      }
    }
    return rows;
  } finally {
    await large.sample.close();
    await small.sample.close();
  }
}

async function open(engine: string, count: number, log: (text: string) => void): Promise<Opened> {
  const url = engine === 'sqlite' ? undefined : await freshUrl();
  const place = url === undefined ? {} : { place: { url } };
  const sample = await sampleArchive({ conversations: 0, attachments: 0, ...place });
  const begun = performance.now();
  const made = await generate(sample.archive.database, count);
  log(`${engine}: ${JSON.stringify(made)} in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  // As the server does by itself where no option says otherwise.
  if (url !== undefined) await withClient((client) => client.query('VACUUM ANALYZE'), url);
  const counting = performance.now();
  await summariesOf(sample.archive);
  log(`${engine}: counted in ${((performance.now() - counting) / 1000).toFixed(1)} s`);
  const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0' });
  const token = await tokenFor(service, 'mirror');
  return { sample, service, token };
}

/** The number of a row near the start, in the middle, or near the end, with `left` rows on its far side. */
async function atDepth({ archive }: Sample, table: string, share: number, left = EDGE): Promise<number> {
  const { database } = archive;
  const edge = async (order: 'ASC' | 'DESC', rows: number) =>
    (await database.get<{ n: number }>(`SELECT n FROM ${table} ORDER BY n ${order} LIMIT 1 OFFSET ${rows}`))!
      .n;
  if (share === 0) return edge('ASC', left);
  if (share === 1) return edge('DESC', left);
  const middle = Math.round(((await edge('DESC', 0)) + (await edge('ASC', 0))) * share);
  return (await database.get<{ n: number }>(`SELECT MIN(n) AS n FROM ${table} WHERE n >= $1`, [middle]))!.n;
}

/** All of them in turn, so that a drifting machine drifts for all alike. */
async function alternate(pages: readonly (readonly [Opened, Asked])[]): Promise<void> {
  for (let round = -10; round < ROUNDS; round += 1) {
    for (const [opened, { target, times }] of pages) {
      const begun = performance.now();
      // Another request each time: pages that were read before are cached.
      await page(opened, `${target}&round=${round}`);
      if (round >= 0) times.push(performance.now() - begun);
    }
  }
}

async function page({ service, token }: Opened, target: string): Promise<void> {
  const headers = [['authorization', `Bearer ${token}`]] as const;
  const response = await service({ method: 'GET', target, headers, body: null, peer: 'local' });
  if (response.status !== 200 && response.status !== 206) {
    throw new Error(`${target}: ${response.status} ${await textOf(response)}`);
  }
}
