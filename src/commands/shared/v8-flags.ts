// Flags of V8 for commands whose work its defaults do not fit.
import { setFlagsFromString } from 'node:v8';

/** Makes V8 collect garbage earlier, at the cost of some time. By default garbage may be three times what is in use. */
export function spareMemory(): void {
  setFlagsFromString('--optimize-for-size');
}

/**
 * Keeps memory flat while many rows are printed. New objects have 8 MiB after a page of rows; they would get 32 (128 on Node 24), although
 * rows are garbage as soon as they are printed. What outlives that may grow by half between two collections, not to four times.
 */
export function limitGarbage(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}

/**
 * Makes the V8 of Node 20 optimise only functions that have run eight times as long as by default. In a run of one second
 * the optimising compiler took a third of the CPU time, for functions that were hardly called again. In long runs the
 * difference is small. Later versions do not know the flag, and warn about it.
 */
export function compileLess(nodeVersion: string): void {
  if (nodeVersion.startsWith('v20.')) setFlagsFromString('--interrupt-budget=540000');
}
