// What commands say where there is no local archive, and lists and searches where it is empty.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { serveList } from '../../support/cursor-server.ts';
import { emptyData, sampleData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const NOTICE = 'arx: no archive yet: arx import FILE, or arx login --base-url URL; arx help start';
const LISTS = [
  'attachments ls',
  'attachments ls --all',
  'attachments ls --city lisbon',
  'attachments cities',
  'attachments senders',
  'conversations ls',
  'conversations walk',
  'messages ls',
  'messages ls --walk',
  'search lisbon',
];

/** Every command that only reads an archive, and those that change one or log in to one, which must be there. */
const READERS = [
  ...LISTS,
  'whoami',
  'token',
  'health',
  'report',
  'fsck',
  'api /v1/attachments',
  'attachments show att_1',
  'attachments cat att_1',
  'attachments pull --all --to files',
  'content get msg_1',
  'content diff msg_1 msg_2',
  'conversations show conv_1',
  'conversations export conv_1 --to thread.mbox',
  'messages show msg_1',
  'read msg_1',
  'sequence show arc_reconstruction',
  'sequence watch arc_reconstruction --reads 1',
  'events ls',
  'backup --to copy',
  'redact att_1 --yes',
  'login',
  'login --client-id me --observer-tier external',
  `events send contact.flagged --id e1 --payload '{"contact":"c"}'`,
  'events reconcile',
];

describe('without a local archive', () => {
  test.each(READERS)('%s makes none, and says what to do', async (line) => {
    const dir = tempFolder('none');
    expect(await arx(dir, line)).toMatchObject({
      exit: 6,
      stdout: '',
      stderr: `arx: no archive yet in ${dir}/data (ARX_DATA_DIR) [not_found, exit 6]\n  hint: arx import FILE, arx login --base-url URL, or arx demo --keep\n`,
    });
    expect(existsSync(join(dir, 'data'))).toBe(false);
  });

  test('the explorer does not begin', async () => {
    const dir = tempFolder('none');
    const ran = await arx(dir, 'explore', { columns: 80, rows: 24, env: { LANG: 'C.UTF-8', TERM: 'xterm' } });
    expect([ran.exit, ran.stdout]).toEqual([6, '']);
    expect(existsSync(join(dir, 'data'))).toBe(false);
  });

  test('doctor finds nothing wrong, and makes none', async () => {
    const dir = tempFolder('none');
    mkdirSync(join(dir, 'data'));
    const ran = await arx(dir, 'doctor');
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('ok\tlocal archive\tnot there yet; arx import makes it\n');
    expect(ran.stdout).toContain('ok\tservice\tnot asked: there is no local archive yet\n');
    expect(readdirSync(join(dir, 'data'))).toEqual([]);
  });

  test('a file without bytes, as a failed creation leaves it, is none', async () => {
    const dir = tempFolder('none');
    mkdirSync(join(dir, 'data'));
    writeFileSync(join(dir, 'data/archive.db'), '');
    expect(await arx(dir, 'messages ls')).toMatchObject({ exit: 6, stdout: '' });
    expect(statSync(join(dir, 'data/archive.db')).size).toBe(0);
    await emptyData(join(dir, 'data'));
    expect(await arx(dir, 'messages ls')).toMatchObject({ exit: 0 });
  });

  test('a login on a terminal asks nothing', async () => {
    const dir = tempFolder('none');
    const { exit, stderr } = await arx(dir, 'login', { columns: 80, typed: ['ada', '1'] });
    expect([exit, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      6,
      expect.stringContaining(`arx: no archive yet in ${dir}/data (ARX_DATA_DIR) [not_found, exit 6]`),
    ]);
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('an empty local archive', () => {
  let dir: string;
  beforeAll(async () => {
    dir = tempFolder('empty');
    await emptyData(join(dir, 'data'));
  });

  test.each(LISTS)('%s says what to do next, once', async (line) => {
    const { stdout, stderr, exit } = await arx(dir, line);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' });
    expect(stderr.split('\n').filter((said) => said === NOTICE)).toHaveLength(1);
  });

  test('-q says nothing', async () => {
    expect((await arx(dir, 'messages ls -q')).stderr).toBe('');
  });
});

test('an archive with rows of which none match, and an empty list of another service, are no empty archive', async () => {
  const dir = tempFolder('filled');
  await sampleData(join(dir, 'data'));
  expect((await arx(dir, 'attachments ls --city nowhere')).stderr).not.toContain(NOTICE);
  expect((await arx(dir, 'search nobodywrotethis')).stderr).not.toContain(NOTICE);
  const server = await serveList({ rows: [] });
  try {
    const options = { env: { ARX_TOKEN: 'tok_given' } };
    const { stderr } = await arx(dir, `messages ls --base-url ${server.url}`, options);
    expect(stderr).not.toContain(NOTICE);
  } finally {
    await server.close();
  }
});
