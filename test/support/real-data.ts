// Real archives, which are not part of the repository, and what other programs read in them (`expected/`).
// Without them the tests that need them are skipped, and say so.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'vitest';
import { isInstalled } from './installed.ts';

const FOLDER = join(import.meta.dirname, '../../../shared/data');

/** Returns the absolute path of a file of the real data. */
export const realData = (path: string): string => join(FOLDER, path);

/**
 * Returns whether the real data has this file or folder and all these programs can be run. If not, adds a skipped test
 * to the calling file whose title names what is missing.
 */
export function hasRealData(path: string, programs: readonly string[] = []): boolean {
  const missing = [
    ...(existsSync(realData(path)) ? [] : [`../shared/data/${path}`]),
    ...programs.filter((program) => !isInstalled(program)),
  ];
  if (missing.length > 0) test.skip(`SKIPPED: ${missing.join(' and ')} is not there`, () => {});
  return missing.length === 0;
}

/** Returns the rows of `expected/<name>.tsv.gz`, which has no header line. */
export function expectedRows(name: string): string[][] {
  const text = gunzipSync(readFileSync(realData(`expected/${name}.tsv.gz`))).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
}

/** Returns the rows of `expected/<name>.tsv.gz` by the names of its header line. */
export function expectedTable(name: string): Record<string, string>[] {
  const [columns = [], ...rows] = expectedRows(name);
  return rows.map((cells) => Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])));
}

/** Unpacks `<path>.tar.xz` of the real data, or only one folder or file of it, into `folder`. */
export function unpackTar(path: string, folder: string, only?: string): void {
  const names = only === undefined ? [] : [only];
  execFileSync('tar', ['-xJf', realData(`${path}.tar.xz`), '-C', folder, ...names]);
}

/** Unpacks `<path>.xz` of the real data to the file `to`. */
export function unpackFile(path: string, to: string): void {
  execFileSync('sh', ['-c', 'xz -dkc "$0" > "$1"', realData(`${path}.xz`), to]);
}
