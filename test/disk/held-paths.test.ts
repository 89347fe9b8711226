// Messages name folders as the user did, also while they are held open.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskFault } from '../../src/disk/disk-fault.ts';
import { openManifest } from '../../src/download/manifest.ts';
import { openTargetFolder } from '../../src/download/target-folder.ts';
import { markUnfinished } from '../../src/download/unfinished-pull.ts';
import { tempFolder } from '../support/temp-folder.ts';

const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
const messageOf = (error: unknown) => (error as Error).message;

test('a file in a folder that is held open is named with the name of the folder', async () => {
  const dir = join(tempFolder('held'), 'new');
  const folder = await openTargetFolder(dir);
  const other = await openTargetFolder(`${dir}2`);
  expect(messageOf(diskFault(full, join(folder.path, 'a/b')))).toBe(
    `${dir}/a/b: no space left on the device`,
  );
  expect(messageOf(diskFault(full, other.path))).toBe(`${dir}2: no space left on the device`);
  await Promise.all([folder.close(), other.close()]);
  expect(messageOf(diskFault(full, '/proc/self/fd/9999/a'))).toContain('/proc/self/fd/9999/a');
});

test('what cannot be written for a pull is named with its folder', async () => {
  const dir = tempFolder('held');
  const folder = await openTargetFolder(dir);
  mkdirSync(join(dir, '.arx-manifest.ndjson'));
  await expect(openManifest(folder.path)).rejects.toThrow(`${dir}/.arx-manifest.ndjson: is a folder`);
  const mark = await markUnfinished(folder.path, 'x');
  await mark.remove({ isAll: true, isUndecided: false });
  await folder.close();
  const file = join(dir, 'file');
  writeFileSync(file, '');
  await expect(markUnfinished(file, 'x')).rejects.toThrow(`${file}: not a folder`);
  rmSync(dir, { recursive: true });
  await expect(markUnfinished(dir, 'x')).rejects.toThrow(`${dir}: no such file or folder`);
});
