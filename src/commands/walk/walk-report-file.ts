// The file that --report names: checked before the walk, written when there is a report.
import { constants } from 'node:fs';
import { lstat, open, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { App } from '../../app.ts';
import { WalkReport } from '../../contract/reports/walk.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import { createUniqueKeys, partialFileName } from '../../download/partial-names.ts';
import { checkFolderOf, writeTextFile } from '../shared/output-file.ts';

/** The path of the report, and whether it may replace any regular file. */
export type ReportFile = { report: string; force: boolean };

/** A larger file is not the report of an earlier walk. */
const MAX_REPORT_BYTES = 16 * 1024 * 1024;

/**
 * Returns whether the report may replace the file that has its name: with `force`, or when that file is the report of an
 * earlier walk. Leaves nothing behind. Throws Fault `unsafe` for any other file, and always for one that is not regular;
 * `disk` when a report could not be written there.
 */
export async function mayReplace({ report, force }: ReportFile, { world }: App): Promise<boolean> {
  const path = resolve(world.cwd, report);
  await checkFolderOf(report, world);
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw diskFault(error, report);
  });
  if (found !== undefined && !found.isFile())
    throw new Fault('unsafe', `${report} exists and is not a regular file`);
  const isEarlier = found !== undefined && found.size <= MAX_REPORT_BYTES && (await isReport(path));
  if (found !== undefined && !isEarlier && !force)
    throw new Fault('unsafe', `${report} exists and is not the report of a walk`, {
      hint: 'replace it with --force',
    });
  const probe = join(dirname(path), partialFileName(createUniqueKeys(world.randomBytes)(), world.pid));
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  try {
    await (await open(probe, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)).close();
    await rm(probe);
  } catch (error) {
    throw diskFault(error, report);
  }
  return force || isEarlier;
}

async function isReport(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  try {
    return WalkReport.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** Writes the report, to standard output for `-`. Counts a fault when that fails: the rows of the walk are valid all the same. */
export async function writeReport(report: WalkReport, file: ReportFile, app: App): Promise<void> {
  const text = `${JSON.stringify(report, null, 2)}\n`;
  try {
    if (file.report === '-') await app.printer.bytes(Buffer.from(text));
    else await writeTextFile(file.report, text, file.force, app);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    app.addFault(error);
  }
}
