// The file that --report names: known to be writable before a walk, and replaced only when there is a report.
import { open, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import type { WalkReport } from '../contract/report.ts';
import { diskFault } from '../disk-fault.ts';
import type { Fault } from '../faults.ts';

/** Makes the file where it is missing and leaves it as it is. Throws Fault `disk`. */
export async function checkReport(path: string, app: App): Promise<void> {
  await (await openReport(path, app)).close();
}

/** Counts a fault where it cannot be written: the walk itself stands. */
export async function writeReport(report: WalkReport, path: string, app: App): Promise<void> {
  try {
    const file = await openReport(path, app);
    await file.truncate();
    await file.writeFile(`${JSON.stringify(report, null, 2)}\n`).finally(() => file.close());
  } catch (error) {
    app.fail(diskFault(error, path) as Fault);
  }
}

async function openReport(path: string, app: App): Promise<FileHandle> {
  try {
    return await open(resolve(app.world.cwd, path), 'a', 0o600);
  } catch (error) {
    throw diskFault(error, path);
  }
}
