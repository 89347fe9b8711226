// What V8 is told by commands whose work it would misjudge.
import { setFlagsFromString } from 'node:v8';

/** From here on V8 collects garbage before it is three times what is in use. It costs some time, so not for all. */
export function spareMemory(): void {
  setFlagsFromString('--optimize-for-size');
}

/**
 * From here on the V8 of Node 20 compiles anew only what has run for eight times as long as usual. In a run of a second the
 * compiler took a third of all the time of the cores, for functions that were hardly called any more; a long run hardly
 * notices. Later ones have a compiler between, and say on standard error that they do not know this flag.
 */
export function compileLess(nodeVersion: string): void {
  if (nodeVersion.startsWith('v20.')) setFlagsFromString('--interrupt-budget=540000');
}
