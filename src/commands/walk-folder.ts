// The folder that --freeze names: for one walk at a time, and no part of our store where it cannot be written to.
import { join } from 'node:path';
import type { App } from '../app.ts';
import { withLock } from '../config/lock.ts';
import { ensurePrivateFolder } from '../config/private-file.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';

/**
 * Makes the folder where it is missing, and runs `work` while no other walk goes into it. Throws Fault `disk` or `unsafe`
 * where that cannot be, `store` while another walk does not end, else what `work` throws.
 */
export async function withWalkFolder<T>(
  dir: string,
  { storeWorld }: App,
  work: () => Promise<T>,
): Promise<T> {
  let begun = false;
  try {
    ensurePrivateFolder(dir, storeWorld);
  } catch (error) {
    throw ofTarget(error, dir);
  }
  try {
    // Two walks into one log would break each other's chain.
    return await withLock(join(dir, 'walk'), storeWorld, () => {
      begun = true;
      return work();
    });
  } catch (error) {
    const isSystems = error instanceof Fault && error.detail.cause !== undefined;
    throw !begun && isSystems ? ofTarget(error, dir) : error;
  }
}

/** The user named it, so what stands in the way is for them to mend: cli.md has 13 and 14 for outputs. */
function ofTarget(error: unknown, dir: string): unknown {
  if (!(error instanceof Fault)) return error;
  const { cause } = error.detail;
  if (cause === undefined) return new Fault('unsafe', error.message);
  if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
    return new Fault('unsafe', `${dir} is not a folder`);
  return diskFault(cause, dir);
}
