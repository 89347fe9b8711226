// The manifest of a pulled folder: it survives a cut at every byte, and damage is refused.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { MANIFEST_FILE, openManifest, readManifest } from '../../src/download/manifest.ts';
import { sha256Of } from '../support/digest.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('manifest')));

describe('the manifest', () => {
  const entry = (id: string) => ({
    id,
    path: `${id}.txt`,
    sha256: sha256Of(id),
    bytes: id.length,
    redacted: false,
  });

  test('can be read and appended to after a cut at every byte', async () => {
    const path = join(dir, MANIFEST_FILE);
    const manifest = await openManifest(dir);
    for (const id of ['a', 'ü', 'c', 'a']) manifest.add(entry(id));
    await manifest.close();
    expect([...((await readManifest(dir)) ?? []).keys()]).toEqual(['a', 'ü', 'c']);
    const whole = await readFile(path);
    for (let at = 0; at < whole.length; at++) {
      await writeFile(path, whole.subarray(0, at));
      const lines = [...whole.subarray(0, at)].filter((byte) => byte === 10).length;
      const again = await openManifest(dir);
      expect(again.entries.size).toBe(Math.min(lines, 3));
      again.add(entry('z'));
      await again.close();
      expect((await readManifest(dir))?.get('z')).toEqual(entry('z'));
    }
  });

  test.each(['{"id":"a"}', 'hello', JSON.stringify({ ...entry('a'), path: '../x' })])(
    'the line %s is refused as damaged',
    async (line) => {
      await writeFile(join(dir, MANIFEST_FILE), `${line}\n`);
      await expect(readManifest(dir)).rejects.toMatchObject({ kind: 'store' });
    },
  );

  test('a line that is not UTF-8 is refused as damaged, also where it decodes to the same text', async () => {
    const [head, tail] = JSON.stringify({ ...entry('a'), path: '\uFFFD.txt' }).split('\uFFFD');
    const line = Buffer.concat([Buffer.from(head!), Buffer.of(0xff), Buffer.from(`${tail!}\n`)]);
    await writeFile(join(dir, MANIFEST_FILE), line);
    await expect(readManifest(dir)).rejects.toMatchObject({ kind: 'store' });
  });

  test('is not written through a symlink or into a folder, and a FIFO is not waited for', async () => {
    await mkdir(join(dir, MANIFEST_FILE));
    for (const use of [openManifest, readManifest])
      await expect(use(dir)).rejects.toMatchObject({ kind: 'unsafe' });
    await rmdir(join(dir, MANIFEST_FILE));
    await symlink(join(dir, 'victim'), join(dir, MANIFEST_FILE));
    await expect(openManifest(dir)).rejects.toMatchObject({ kind: 'unsafe' });
    await rm(join(dir, MANIFEST_FILE));
    execFileSync('mkfifo', [join(dir, MANIFEST_FILE)]);
    await expect(openManifest(dir)).rejects.toMatchObject({ kind: 'unsafe' });
  });
});
