// What `--offline` refuses, and the command that would do it.
import { Fault } from '../faults.ts';
import { shellLine } from '../shell-words.ts';
import type { World } from '../world.ts';

/** Returns the Fault for a connection to `place` that `--offline` forbids. */
export function offlineFault(place: string, { argv }: Pick<World, 'argv'>): Fault {
  const words = argv.filter((word) => word !== '--offline');
  return new Fault('network', `${place} is not asked: --offline`, { hint: shellLine(['arx', ...words]) });
}
