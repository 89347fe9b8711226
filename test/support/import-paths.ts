// Imports paths into an archive that is open, as `arx import` does.
import { detectPaths, importDetected, type ImportOptions } from '../../src/service/import/index.ts';
import type { ImportReport } from '../../src/contract/reports/archive.ts';
import type { Archive } from '../../src/service/store/archive.ts';

/** Detects the kind of each path and imports all of them in order. */
export async function importPaths(
  archive: Archive | undefined,
  paths: readonly string[],
  options: ImportOptions,
): Promise<ImportReport> {
  return importDetected(archive, await detectPaths(paths, options), options);
}
