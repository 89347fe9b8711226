// Walks over honest lists of every size by every page, each in a process of its own: requests, wall without a line, peak memory.
// `npm run bench sizes`; quick: without the million.
import { inProcesses } from './bundle.mjs';
import { table } from './timing.mjs';

const SIZES = [0, 1, 2, 99, 100, 101, 2000];
const LIMITS = [1, 20, 100, 500];
const MILLION = 1_000_000;
/** A walk of a million rows by fewer would only take longer. */
const FEWEST_OF_A_MILLION = 100;

export async function bench({ quick }) {
  const sizes = quick ? SIZES : [...SIZES, MILLION];
  const cells = sizes.flatMap((size) =>
    LIMITS.filter((limit) => size < MILLION || limit >= FEWEST_OF_A_MILLION).flatMap((limit) =>
      [false, true].map((positions) => [size, limit, positions]),
    ),
  );
  const results = await inProcesses('sized-walk.ts', 'walkSize', cells, 1);
  const cellText = (size, limit, positions) => {
    const at = cells.findIndex((cell) => String(cell) === String([size, limit, positions]));
    if (at === -1) return '';
    const { requests, ms, mib } = results[at];
    return `${requests.toLocaleString('en')}, ${seconds(ms)} s, ${Math.round(mib)} MiB`;
  };
  const rows = sizes.flatMap((size) =>
    [false, true].map((positions) => ({
      rows: size.toLocaleString('en') + (positions ? ', positions' : ''),
      ...Object.fromEntries(LIMITS.map((limit) => [`by ${limit}`, cellText(size, limit, positions)])),
      goal: size === MILLION ? '≤ 300 MiB' : '',
    })),
  );
  table('Sizes: honest lists in memory, without a cross-check source; requests, seconds, peak memory', rows);
}

const seconds = (ms) => (ms / 1000).toFixed(ms < 1000 ? 2 : 1);
