// All tables of the walk: simulated, over HTTP, and by size. `npm run bench walk [quick] [seeds of the simulation [first]]`.
import { bench as simulated } from './simulated.mjs';
import { bench as served } from './served.mjs';
import { bench as sizes } from './sizes.mjs';

export async function bench({ quick, numbers }) {
  await simulated({ quick, numbers });
  await served({ quick, numbers: [] });
  await sizes({ quick });
}
