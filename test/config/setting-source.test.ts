// Errors name the variable, profile or file that gave a setting which nobody typed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { withSource } from '../../src/config/setting-source.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { Fault } from '../../src/faults.ts';
import { arx } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('source')));

const REFUSED = 'http://127.0.0.1:9';

/** Writes config.json. */
function configure(settings: object): void {
  mkdirSync(join(dir, 'config'), { recursive: true, mode: 0o700 });
  writeFileSync(join(dir, 'config/config.json'), JSON.stringify(settings), { mode: 0o600 });
}

test.each(['messages ls', 'fsck', 'redact att_1 --yes', 'backup --to copy', 'health'])(
  'a mistyped folder in ARX_DATA_DIR is named with its variable: %s',
  async (line) => {
    const { exit, stderr } = await arx(dir, line, { env: { ARX_DATA_DIR: `${dir}/typo` } });
    expect([exit, stderr.split('\n')[0]]).toEqual([
      6,
      `arx: no archive yet in ${dir}/typo (ARX_DATA_DIR) [not_found, exit 6]`,
    ]);
  },
);

test.each(['my data', 'a+(b)[c].d$'])('a folder with signs in its name, too: %s', async (name) => {
  const { stderr } = await arx(dir, 'messages ls', { env: { ARX_DATA_DIR: `${dir}/${name}` } });
  expect(stderr).toContain(`no archive yet in ${dir}/${name} (ARX_DATA_DIR) [`);
});

test.each([
  ['/data/ab/files is in /data/a', '/data/ab/files is in /data/a (ARX_DATA_DIR)'],
  ['/data/a: not a folder, as /data/ab', '/data/a (ARX_DATA_DIR): not a folder, as /data/ab'],
  ['/data/a/files is a link', '/data/a/files is a link'],
  ['x:/data/a is a link', 'x:/data/a is a link'],
  ['cannot open /data/a', 'cannot open /data/a (ARX_DATA_DIR)'],
  ['/dataXa is a link', '/dataXa is a link'],
])('the folder is named, and no path that begins or ends like it: %s', (message, shown) => {
  const outside = { env: { ARX_DATA_DIR: '/data/a' }, cwd: dir, home: dir, platform: 'linux' } as const;
  const sources = loadSettings({}, outside, { uid: undefined, notice: () => {} });
  expect(withSource(new Fault('unsafe', message), sources)).toMatchObject({ message: shown });
});

test('a file in place of that folder, too', async () => {
  writeFileSync(join(dir, 'file'), '');
  const { stderr } = await arx(dir, 'messages ls', { env: { ARX_DATA_DIR: `${dir}/file` } });
  const why = 'a file is in the place of the folder [store';
  expect(stderr).toContain(`cannot open the archive in ${dir}/file (ARX_DATA_DIR): ${why}`);
  const served = await arx(dir, 'serve --port 0 --database sqlite:file');
  expect(served.stderr).toContain(`cannot open the archive in ${dir}/file: ${why}`);
});

test('a folder of config.json or of a profile', async () => {
  configure({ data_dir: '/no/such', profiles: { work: { data_dir: '/no/other' } } });
  const env = { ARX_DATA_DIR: '' };
  const own = await arx(dir, 'messages ls', { env });
  expect(own.stderr).toContain(`in /no/such (data_dir in ${dir}/config/config.json)`);
  const work = await arx(dir, 'messages ls --profile work', { env });
  expect(work.stderr).toContain('in /no/other (data_dir of the profile work)');
});

test('a base URL and a proxy; what was typed needs no source', async () => {
  const run = async (line: string, env: Record<string, string>) =>
    (await arx(dir, `${line} --retries 0`, { env })).stderr;
  expect(await run('health', { ARX_BASE_URL: REFUSED })).toContain('hint: check the base URL (ARX_BASE_URL)');
  expect(await run(`health --base-url ${REFUSED}`, {})).toContain('hint: check the base URL, or');
  const proxied = { ARX_BASE_URL: 'http://127.0.0.1:8', ARX_PROXY: REFUSED };
  expect(await run('health', proxied)).toContain('hint: check ARX_PROXY\n');
  configure({ base_url: REFUSED, profiles: { work: { base_url: 'http://127.0.0.1:8' } } });
  expect(await run('health', {})).toContain(`check the base URL (base_url in ${dir}/config/config.json)`);
  expect(await run('health --profile work', {})).toContain(
    'check the base URL (base_url of the profile work)',
  );
});

test('a profile and the folder of the settings', async () => {
  const profile = await arx(dir, 'health', { env: { ARX_PROFILE: 'nosuch' } });
  expect(profile.stderr).toContain('arx: no profile "nosuch" (ARX_PROFILE) [usage, exit 2]');
  writeFileSync(join(dir, 'file'), '');
  const folder = await arx(dir, 'messages ls', { env: { ARX_CONFIG_DIR: `${dir}/file` } });
  expect([folder.exit, folder.stderr]).toEqual([
    15,
    expect.stringContaining('  hint: the folder is that of ARX_CONFIG_DIR\n'),
  ]);
});
