// Measures pages at three depths of a million rows on both engines, through the service as a function; bundled by depth.mjs.
import { createService } from '../../src/service/index.ts';
import { ASSET_URL, sampleArchive, tokenFor, type SampleOptions } from '../support/archive.ts';
import { call } from '../support/call.ts';
import { CLUSTER, setup } from '../support/cluster.ts';
import { fill } from '../support/many-rows.ts';
import { freshUrl } from '../support/postgres.ts';

const ROWS = 1_000_000;
const ROUNDS = 100;
const LISTS = [
  ['/v1/conversations?', 'conv'],
  ['/messages?', 'msg'],
  ['/v1/attachments?', 'att'],
  ['/v1/attachments?origin_city=city3&', 'att'],
] as const;
const DEPTHS = { start: 0, middle: ROWS / 2, end: ROWS - 10_000 };

/** Rows of a table: a list on an engine, and the median at each depth. */
export async function measureDepths(): Promise<Record<string, string>[]> {
  const stop = await setup();
  try {
    const rows = await measure('sqlite', {});
    if (process.env[CLUSTER] === undefined) return rows;
    return [...rows, ...(await measure('postgres', { place: { url: await freshUrl() } }))];
  } finally {
    await stop();
  }
}

async function measure(engine: string, place: SampleOptions): Promise<Record<string, string>[]> {
  const sample = await sampleArchive({ conversations: 0, attachments: 0, ...place });
  try {
    await fill(sample.archive.database, ROWS);
    const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0' });
    const token = await tokenFor(service, 'mirror');
    const rows = [];
    for (const [path, kind] of LISTS) {
      const times = Object.keys(DEPTHS).map((): number[] => []);
      for (let round = -10; round < ROUNDS; round += 1) {
        for (const [at, n] of Object.values(DEPTHS).entries()) {
          const after = n === 0 ? '' : `&starting_after=${kind}_${n}`;
          const begun = performance.now();
          const { json } = await call(service, `${path}limit=100${after}`, { token });
          if (json.data.length !== 100) throw new Error(`${path} gave ${json.data.length} rows`);
          if (round >= 0) times[at]!.push(performance.now() - begun);
        }
      }
      const medians = times.map((all) => all.sort((a, b) => a - b)[ROUNDS / 2]!.toFixed(2));
      const named = Object.keys(DEPTHS).map((depth, at) => [`${depth}, ms`, medians[at]!]);
      rows.push({ engine, list: path.slice(0, -1), ...Object.fromEntries(named) });
    }
    return rows;
  } finally {
    await sample.close();
  }
}
