// The Fault of a service for which this machine has no token at all.
import { Fault } from '../faults.ts';

/** There is no token, not even one that has expired. A service that needs none can still be read. */
export class NoTokenFault extends Fault {
  constructor(origin: string, hint: string) {
    super('auth', `no token for ${origin}`, { hint });
  }
}
