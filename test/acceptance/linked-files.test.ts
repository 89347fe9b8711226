// A link in place of a folder `blobs/XX` of the archive, as an intruder could leave it: no command follows it.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { sha256Of } from '../support/digest.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TEXT = 'a note that is kept\n';
const SHA = sha256Of(TEXT);
const SHARD = SHA.slice(0, 2);

let dir: string;
beforeEach(async () => {
  dir = tempFolder('linked-files');
  mkdirSync(join(dir, 'in'));
  writeFileSync(join(dir, 'in/note.txt'), TEXT);
  expect(await arx(dir, 'import in')).toMatchObject({ exit: 0 });
  cpSync(join(dir, 'data'), join(dir, 'whole'), { recursive: true });
  renameSync(join(dir, 'data/blobs', SHARD), join(dir, 'elsewhere'));
  symlinkSync(join(dir, 'elsewhere'), join(dir, 'data/blobs', SHARD));
});
const elsewhere = () => readdirSync(join(dir, 'elsewhere'));

test('it is not read: not sent, not taken for whole by fsck, not backed up', async () => {
  const before = elsewhere();
  const cat = await arx(dir, 'attachments cat att_1');
  expect([cat.exit, cat.stdout]).toEqual([12, '']);
  const fsck = await arx(dir, 'fsck --json');
  expect(fsck.exit).toBe(12);
  expect(fsck.stdout).toContain('folder is a symbolic link');
  const backup = await arx(dir, 'backup --to copy');
  expect(backup.exit).toBe(12);
  expect(existsSync(join(dir, 'copy/blobs', SHARD))).toBe(false);
  expect(elsewhere()).toEqual(before);
});

test('it is not written to: an import that needs the folder is refused', async () => {
  const other = 'first line of another note\n';
  let text = other;
  for (let n = 0; sha256Of(text).slice(0, 2) !== SHARD; n += 1) text = other + n;
  mkdirSync(join(dir, 'more'));
  writeFileSync(join(dir, 'more/other.txt'), text);
  const before = elsewhere();
  const { exit, stderr } = await arx(dir, 'import more');
  expect(exit).toBe(13);
  expect(stderr).toContain(`blobs/${SHARD} is a symbolic link`);
  expect(elsewhere()).toEqual(before);
});

test('a pipe is not waited for: not as a source of an import, not as the mark of a backup', async () => {
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  for (const kind of ['', ' --kind mbox', ' --kind slack']) {
    const { exit, stderr } = await arx(dir, `import pipe${kind}`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('pipe is neither a file nor a folder')]);
  }
  mkdirSync(join(dir, 'copy'));
  execFileSync('mkfifo', [join(dir, 'copy/backup.json')]);
  expect(await arx(dir, 'backup --to copy')).toMatchObject({ exit: 13 });
});

test('nor is a backup written through one', async () => {
  mkdirSync(join(dir, 'target'));
  expect(await arx(dir, 'backup --to copy --database sqlite:whole')).toMatchObject({ exit: 0 });
  renameSync(join(dir, 'copy/blobs', SHARD), join(dir, 'moved'));
  symlinkSync(join(dir, 'target'), join(dir, 'copy/blobs', SHARD));
  const { exit, stderr } = await arx(dir, 'backup --to copy --database sqlite:whole');
  expect(exit).toBe(13);
  expect(stderr).toContain(`blobs/${SHARD} is a symbolic link`);
  expect(readdirSync(join(dir, 'target'))).toEqual([]);
});
