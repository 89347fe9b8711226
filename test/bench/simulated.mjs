// The exact walk over faulty lists in virtual time, beside two simpler clients, and once more with a cross-check source that is
// as faulty as the pages.
// `npm run bench simulated [seeds [first]]`: seeds a row and the first of them; 100 from 20,001 on unless said otherwise (the
// walk was tuned on 1 to 100); quick: 10.
import { availableParallelism } from 'node:os';
import { inProcesses, withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick, numbers: [seeds = quick ? 10 : 100, first = 20_001] }) {
  const count = await withBundle('walks.ts', async ({ CASES }) => CASES.length);
  const calls = Array.from({ length: count }, (_, number) => [number, seeds, first]);
  const rows = await inProcesses('walks.ts', 'measureCase', calls, availableParallelism());
  const about = `2,000 rows by 100, RTT 50 ms, seeds ${first} to ${first + seeds - 1} a row; requests over 20, wall over 1,000 ms`;
  table(
    `Exact walk, one list, ${about}`,
    rows.map(({ alone }) => alone),
  );
  table(
    `Exact walk, cross-check boundary, cross-check source as faulty as the pages, ${about}`,
    rows.map(({ crossChecked }) => crossChecked),
  );
}
