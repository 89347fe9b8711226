// The property of test/walk/walk.simulation.test.ts over many more sampled walks: exact, incomplete or wrong. It fails when one is wrong.
// `npm run bench many [walks [first]]`: 100,000 from 0 on unless said otherwise; quick: 5,000.
import { availableParallelism } from 'node:os';
import { inProcesses } from './bundle.mjs';
import { table } from './timing.mjs';

const SHARE = 2500;
const SHOWN = 10;

export async function bench({ quick, numbers: [walks = quick ? 5000 : 100_000, first = 0] }) {
  const shares = Array.from({ length: Math.ceil(walks / SHARE) }, (_, share) => [
    first + share * SHARE,
    Math.min(first + walks, first + (share + 1) * SHARE),
  ]);
  const counted = await inProcesses('many-walks.ts', 'countWalks', shares, availableParallelism());
  const sum = (name) => counted.reduce((total, one) => total + one[name], 0);
  const wrong = sum('wrong');
  table(`Sampled walks ${first} to ${first + walks - 1}`, [
    { walks, exact: sum('exact'), incomplete: sum('incomplete'), wrong },
  ]);
  for (const problem of counted.flatMap(({ problems }) => problems).slice(0, SHOWN))
    process.stdout.write(`\n${problem}\n`);
  if (wrong > 0) process.exitCode = 1;
}
