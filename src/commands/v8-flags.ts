// Flags of V8 for commands whose work its defaults do not fit.
import { setFlagsFromString } from 'node:v8';

/** Makes V8 collect garbage earlier, at the cost of some time. By default garbage may be three times what is in use. */
export function spareMemory(): void {
  setFlagsFromString('--optimize-for-size');
}

/**
 * Makes the V8 of Node 20 optimise only functions that have run eight times as long as by default. In a run of one second
 * the optimising compiler took a third of the CPU time, for functions that were hardly called again. In long runs the
 * difference is small. Later versions do not know the flag, and warn about it.
 */
export function compileLess(nodeVersion: string): void {
  if (nodeVersion.startsWith('v20.')) setFlagsFromString('--interrupt-budget=540000');
}
