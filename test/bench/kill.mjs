// The real walk killed with SIGKILL at points drawn by seed, resumed, and held against the list: N of N.
// `npm run bench kill [walks [first]]`: 200 from 1 on unless said otherwise; quick: 25.
import { withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick, numbers: [walks = quick ? 25 : 200, first = 1] }) {
  await withBundle('kills.ts', async ({ measureKills }) => {
    const { rows, problems } = await measureKills(walks, first);
    table(`Walks killed and resumed, seeds ${first} to ${first + walks - 1}`, rows);
    for (const problem of problems) process.stdout.write(`\n${problem}\n`);
    if (problems.length > 0) process.exitCode = 1;
  });
}
