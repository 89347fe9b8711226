// The Fault for options of the output that do not fit.
import { Fault } from '../faults.ts';

/** Returns the Fault 'usage' for an option of the output. Its hint is the topic that explains all of them. */
export function formFault(message: string, hint = 'arx help output'): Fault {
  return new Fault('usage', message, { hint });
}
