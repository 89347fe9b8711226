// What an honest client of `arx serve` on an open port notices of hostile ones, on loopback; ends by itself.
import { inProcesses, withBundle } from './bundle.mjs';
import { table } from './timing.mjs';

export async function bench({ quick, numbers: [minutes = quick ? 1 : 10] }) {
  await withBundle('hostiles.ts', async ({ measureHostile }) => {
    // Hostile clients are a process of their own, so that their work does not delay the honest ones.
    const attack = (victim, seconds) => inProcesses('hostiles.ts', 'attackFor', [[victim, seconds]], 1);
    const { rows, attacks } = await measureHostile(minutes * 60, attack);
    table('Conversations, 20 a page, four honest clients; ms', rows);
    table('Hostile connections by kind', attacks);
  });
}
