// The folder that --freeze names: made if missing, and locked for one walk at a time.
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { withLock } from '../../config/lock.ts';
import { ensureFolder } from '../../config/private-file.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';

/**
 * Makes the folder if it is missing and runs `work` under its lock. Throws Fault `disk` or `unsafe` when the folder cannot be
 * made or locked, `store` while another walk holds the lock, and what `work` throws.
 */
export async function withWalkFolder<T>(
  dir: string,
  { storeWorld }: App,
  work: () => Promise<T>,
): Promise<T> {
  let hasBegun = false;
  try {
    // The user named this folder: its mode is theirs.
    ensureFolder(dir);
  } catch (error) {
    throw outputFault(error, dir);
  }
  try {
    // Two walks that write to one log would break its hash chain.
    const begin = (): Promise<T> => {
      hasBegun = true;
      return work();
    };
    return await withLock(join(dir, 'walk'), storeWorld, begin, { isPrivate: false });
  } catch (error) {
    const isSystemError = error instanceof Fault && error.detail.cause !== undefined;
    throw !hasBegun && isSystemError ? outputFault(error, dir) : error;
  }
}

/** Returns the fault of an output (exit 13 or 14) for one of the store: the user named this folder and can mend it. */
function outputFault(error: unknown, dir: string): unknown {
  if (!(error instanceof Fault)) return error;
  const { cause } = error.detail;
  if (cause === undefined) return new Fault('unsafe', error.message);
  if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
    return new Fault('unsafe', `${dir} is not a folder`, {
      hint: 'name a folder, or one that does not exist yet',
    });
  return diskFault(cause, dir);
}
