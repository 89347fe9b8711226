// The files of an archive on PostgreSQL are moved between database, folders and a bucket: whole commands.
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveBucket, type BucketServer } from '../../support/bucket-server.ts';
import { arx, type Ran } from '../../support/command.ts';
import { sha256Of } from '../../support/digest.ts';
import { freshUrl, noPostgres, withClient } from '../../support/postgres.ts';
import { serve } from '../../support/served.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const ENV = { AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'secret/of+test' };
const NAMES = ['one', 'two', 'three', 'four'];

describe.skipIf(noPostgres)('blobs move', () => {
  let dir: string;
  let url: string;
  let server: BucketServer;
  beforeEach(async () => {
    dir = tempFolder('blobs-move');
    url = await freshUrl();
    server = await serveBucket();
    mkdirSync(join(dir, 'notes'));
    for (const name of NAMES) writeFileSync(join(dir, 'notes', `${name}.txt`), `note ${name}\n`);
  });
  afterEach(() => server.close());
  const run = (words: string[], blobs?: string): Promise<Ran> =>
    arx(dir, '', {
      argv: [...words, '--database', url, ...(blobs === undefined ? [] : ['--blobs', blobs])],
      env: ENV,
    });
  const move = (to: string, blobs?: string, ...options: string[]): Promise<Ran> =>
    run(['blobs', 'move', '--to', to, '--yes', '--json', ...options], blobs);
  const folder = (name: string): string => join(dir, name);

  test('from the database to a folder, a bucket and back: every place is whole, and the old one is refused', async () => {
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    const planned = await run(['blobs', 'move', '--to', folder('a'), '--dry-run', '--json']);
    expect(JSON.parse(planned.stdout)).toMatchObject({
      files: { count: 4, copied: 0 },
      verdict: 'not_moved',
    });
    expect(readdirSync(dir)).not.toContain('a');

    // A plan asks the new place whether it can be used.
    const elsewhere = server.address().replace(/^s3:\/\/[^/?]+/, 's3://nowhere');
    const missing = await run(['blobs', 'move', '--to', elsewhere, '--dry-run']);
    expect(missing).toMatchObject({ exit: 15, stdout: '' });
    expect(missing.stderr).toContain('there is no such bucket');

    const toFolder = await move(folder('a'));
    expect(toFolder).toMatchObject({ exit: 0 });
    expect(JSON.parse(toFolder.stdout)).toMatchObject({
      from: 'database',
      to: folder('a'),
      files: { count: 4, copied: 4, damaged: 0 },
      verdict: 'moved',
    });
    expect(await run(['fsck'])).toMatchObject({ exit: 2 });
    expect(await run(['fsck'], folder('a'))).toMatchObject({ exit: 0 });

    // Of the same kind: only the mark tells them apart.
    expect(await move(folder('b'), folder('a'))).toMatchObject({ exit: 0 });
    const old = await run(['import', 'notes'], folder('a'));
    expect(old).toMatchObject({ exit: 15 });
    expect(old.stderr).toContain('the archive keeps its files in another place now');
    expect(await run(['fsck'], folder('b'))).toMatchObject({ exit: 0 });

    expect(await move(server.address(), folder('b'))).toMatchObject({ exit: 0 });
    writeFileSync(join(dir, 'notes', 'five.txt'), 'note five\n');
    expect(await run(['import', 'notes'], server.address())).toMatchObject({ exit: 0 });
    expect(await run(['fsck'], server.address())).toMatchObject({ exit: 0 });

    // What the first move left in the database is used again.
    const back = await move('database', server.address());
    expect(JSON.parse(back.stdout)).toMatchObject({ files: { count: 5, copied: 1 }, verdict: 'moved' });
    expect(await run(['fsck'])).toMatchObject({ exit: 0 });
    expect(JSON.parse((await move('database')).stdout)).toMatchObject({ verdict: 'there_already' });
  });

  test('a move that breaks off leaves the files where they were, and the same command continues it', async () => {
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    let puts = 0;
    server.fault = ({ method, key }) =>
      method === 'PUT' && !key.endsWith('.json') && ++puts > 2
        ? { status: 403, code: 'AccessDenied' }
        : undefined;
    const broken = await move(server.address());
    expect(broken.exit).not.toBe(0);
    expect(await run(['fsck'])).toMatchObject({ exit: 0 });
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    expect(await run(['fsck'], server.address())).toMatchObject({ exit: 2 });

    server.fault = () => undefined;
    const again = JSON.parse((await move(server.address())).stdout) as { files: { copied: number } };
    expect(again).toMatchObject({ files: { count: 4 }, verdict: 'moved' });
    expect(again.files.copied).toBeLessThan(4);
    expect(await run(['fsck'], server.address())).toMatchObject({ exit: 0 });
  });

  test('imports are refused while it runs, and after it was killed until it is run again', async () => {
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    await withClient(
      (client) => client.query(`INSERT INTO meta VALUES ('files_move', '{"kind":"folder","id":"killed"}')`),
      url,
    );
    writeFileSync(join(dir, 'notes', 'five.txt'), 'note five\n');
    const refused = await run(['import', 'notes']);
    expect(refused).toMatchObject({ exit: 9 });
    expect(refused.stderr).toContain('the files of this archive are being moved');
    expect(JSON.parse((await move('database')).stdout)).toMatchObject({ verdict: 'there_already' });
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    expect(await run(['fsck'])).toMatchObject({ exit: 0 });
  });

  test('what serves the old place reads on, and is unready', async () => {
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    const served = await serve(dir, ['--database', url], ENV);
    const ready = async () => (await fetch(`${served.base_url}/api/health/ready`)).status;
    try {
      expect(await ready()).toBe(200);
      expect(await move(folder('a'))).toMatchObject({ exit: 0 });
      expect(await ready()).toBe(503);
    } finally {
      expect(await served.close()).toBe(0);
    }
    const moved = await serve(dir, ['--database', url, '--blobs', folder('a')], ENV);
    try {
      expect((await fetch(`${moved.base_url}/api/health/ready`)).status).toBe(200);
    } finally {
      expect(await moved.close()).toBe(0);
    }
  });

  test('files that are missing or damaged are named, and left behind with --leave-damaged alone: exit 12', async () => {
    expect(await run(['import', 'notes'], folder('a'))).toMatchObject({ exit: 0 });
    const [gone, damaged] = [sha256Of('note one\n'), sha256Of('note two\n')];
    rmSync(join(dir, 'a', gone.slice(0, 2), gone.slice(2)));
    writeFileSync(join(dir, 'a', damaged.slice(0, 2), damaged.slice(2)), 'other two');
    const stayed = await move('database', folder('a'));
    expect(stayed).toMatchObject({ exit: 12, stderr: expect.stringContaining('--leave-damaged') });
    expect(JSON.parse(stayed.stdout)).toMatchObject({
      files: { copied: 2, damaged: 2, damaged_files: [gone, damaged].toSorted() },
      verdict: 'not_moved',
    });
    expect(await run(['import', 'notes'], folder('a'))).toMatchObject({ exit: 0 });
    expect(await run(['fsck'])).toMatchObject({ exit: 2 });
    const left = await move('database', folder('a'), '--leave-damaged');
    expect(left).toMatchObject({ exit: 12 });
    expect(JSON.parse(left.stdout)).toMatchObject({
      files: { copied: 0, damaged: 2, damaged_files: [gone, damaged].toSorted() },
      verdict: 'moved',
    });
    expect(await run(['fsck'])).toMatchObject({ exit: 12 });
    // Run again, it does not say that all files are there.
    for (const again of [await move('database', folder('a')), await move('database')]) {
      expect(again).toMatchObject({ exit: 12 });
      expect(JSON.parse(again.stdout)).toMatchObject({
        files: { copied: 0, damaged: 2, damaged_files: [gone, damaged].toSorted() },
        verdict: 'there_already',
      });
    }
    // They may be whole in the old place by now: back, and then again.
    writeFileSync(join(dir, 'a', damaged.slice(0, 2), damaged.slice(2)), 'note two\n');
    await move(folder('a'), undefined, '--leave-damaged');
    expect(JSON.parse((await move('database', folder('a'), '--leave-damaged')).stdout)).toMatchObject({
      files: { copied: 1, damaged: 1, damaged_files: [gone] },
      verdict: 'moved',
    });
  });

  test('a link in the new folder is not followed, and one in the old folder is damage', async () => {
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    const sha256 = sha256Of('note one\n');
    const [shard, name] = [sha256.slice(0, 2), sha256.slice(2)];
    mkdirSync(folder('elsewhere'));
    mkdirSync(folder('a'));
    symlinkSync(folder('elsewhere'), join(folder('a'), shard));
    const refused = await move(folder('a'));
    expect(refused).toMatchObject({ exit: 13 });
    expect(refused.stderr).toContain(`a/${shard} is a symbolic link`);
    expect(readdirSync(folder('elsewhere'))).toEqual([]);

    // A link in place of a file is replaced by the file.
    rmSync(join(folder('a'), shard));
    mkdirSync(join(folder('a'), shard));
    writeFileSync(folder('other'), 'note one\n');
    symlinkSync(folder('other'), join(folder('a'), shard, name));
    expect(await move(folder('a'))).toMatchObject({ exit: 0 });
    expect(await run(['fsck'], folder('a'))).toMatchObject({ exit: 0 });

    renameSync(join(folder('a'), shard), folder('moved'));
    symlinkSync(folder('moved'), join(folder('a'), shard));
    const ended = await move(folder('b'), folder('a'));
    expect(ended).toMatchObject({ exit: 12 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ files: { copied: 3, damaged_files: [sha256] } });
  });

  test.each([
    ['a file in its place', 'file', /--to \S+notes\/one.txt: not a folder/],
    ['a mark that cannot be understood', 'mark', /--to \S+b is not the folder of this archive/],
  ])('%s: the message names the option', async (_name, what, said) => {
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    mkdirSync(folder('b'));
    writeFileSync(join(folder('b'), 'arx-archive.json'), 'no JSON');
    const refused = await move(what === 'mark' ? folder('b') : join(dir, 'notes', 'one.txt'));
    expect(refused.exit).not.toBe(0);
    expect(refused.stderr).toMatch(said);
    expect(refused.stderr).not.toContain('--blobs');
  });

  test.each([
    ['the place of another archive', 13, /has the files of another archive/],
    ['without an answer', 2, /--yes is missing/],
  ])('%s: exit %i, and nothing is changed', async (why, exit, said) => {
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    mkdirSync(folder('other'));
    writeFileSync(join(dir, 'other', 'arx-archive.json'), '{"version":1,"archive":"other"}');
    const words = ['blobs', 'move', '--to', why.startsWith('the') ? folder('other') : folder('new')];
    const refused = await run(why.startsWith('the') ? [...words, '--yes'] : words);
    expect(refused).toMatchObject({ exit });
    expect(refused.stderr).toMatch(said);
    expect(await run(['import', 'notes'])).toMatchObject({ exit: 0 });
    expect(await run(['fsck'])).toMatchObject({ exit: 0 });
  });

  test('an archive in a folder is refused', async () => {
    const refused = await arx(dir, 'blobs move --to database --yes --database sqlite:data');
    expect(refused).toMatchObject({ exit: 2 });
    expect(refused.stderr).toContain('arx archive copy moves an archive that is a folder');
  });
});
