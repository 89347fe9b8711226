// Walks over a service of which a fifth of the requests fail: errors, resets, answers that are cut in every way.
import { expect } from 'vitest';
import { arx, recordsOf } from './command.ts';
import { serveList } from './cursor-server.ts';

const ROWS = Array.from({ length: 60 }, (_, n) => ({ id: `row_${n + 1}` }));
const IDS = ROWS.map(({ id }) => id);

/**
 * Walks once for each seed, and expects that each walk is exact or says why it is not. Returns how many ended with each exit code.
 */
export async function walkRoughly(
  dir: string,
  seeds: number,
  drift: number,
): Promise<Record<number, number>> {
  const exits: Record<number, number> = {};
  for (let seed = 1; seed <= seeds; seed++) {
    const server = await serveList({ rows: ROWS, seed, transport: 0.2, drift });
    const walked = await arx(dir, `walk ${server.url}/rows --limit 20 -o ndjson`);
    await server.close();
    const ids = recordsOf(walked).map(({ id }) => id as string);
    const about = `seed ${seed}: ${walked.stderr}`;
    expect(ids, about).toEqual(walked.exit === 0 ? IDS : IDS.slice(0, ids.length));
    // Of five tries in a row one in 3,000 fails every time.
    expect([0, 8, 9, 10], about).toContain(walked.exit);
    exits[walked.exit] = (exits[walked.exit] ?? 0) + 1;
  }
  return exits;
}
