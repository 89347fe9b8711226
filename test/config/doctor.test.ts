// The verdicts of doctor, each by what is wrong with the installation.
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import { checks, type DoctorNeeds } from '../../src/config/doctor.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import { openTokenStore } from '../../src/config/token-store.ts';
import { entry, NOW, scratch, storeWorld } from './store-world.ts';

async function verdicts(
  prepare: (folder: string) => void = () => {},
  changes: Partial<DoctorNeeds> = {},
  base?: string,
) {
  const folder = `${scratch()}/arx`;
  fs.mkdirSync(folder, { mode: 0o700 });
  prepare(folder);
  const directories = { config: folder, data: `${folder}/data`, cache: '' };
  const file = { path: '', values: {}, profiles: new Map() };
  const found = await checks({
    settings: resolveSettings({ flags: { baseUrl: base }, env: {}, cwd: '/', directories, file }),
    directories,
    store: openTokenStore(folder, storeWorld()),
    env: {},
    nodeVersion: 'v20.20.2',
    uid: process.getuid?.(),
    now: () => NOW,
    health: async () => ({ status: 200 }),
    openArchive: async () => '3 messages',
    ...changes,
  });
  return Object.fromEntries(found.map(({ name, verdict, detail }) => [name, `${verdict}: ${detail}`]));
}

const file =
  (name: string, content: string, mode = 0o600) =>
  (folder: string) =>
    fs.writeFileSync(`${folder}/${name}`, content, { mode });
const data = (mode: number) => (folder: string) => {
  fs.mkdirSync(`${folder}/data`);
  // Whatever the umask is.
  fs.chmodSync(`${folder}/data`, mode);
};
const tokens = JSON.stringify({
  version: 1,
  tokens: [entry(), entry({ profile: 'w', expires_at: '2026-03-04T05:06:07.001Z' })],
});

test('all is well', async () => {
  const found = Object.values(await verdicts());
  expect(found.filter((text) => !text.startsWith('ok: '))).toEqual([]);
  expect(found).toHaveLength(12);
});

test.each<
  [
    string,
    string,
    RegExp,
    (((folder: string) => void) | undefined)?,
    (Partial<DoctorNeeds> | undefined)?,
    string?,
  ]
>([
  ['old node', 'node', /^fail: v18/, undefined, { nodeVersion: 'v18.20.0' }],
  ['open folder', 'config folder', /^warn: .*0755/, (folder) => fs.chmodSync(folder, 0o755)],
  ['open settings', 'config file', /^warn: .*0644/, file('config.json', '{}', 0o644)],
  [
    'settings are a folder',
    'config file',
    /^fail: .*regular file/,
    (folder) => fs.mkdirSync(`${folder}/config.json`),
  ],
  ['damaged settings', 'settings', /^fail: .*not JSON/, file('config.json', '{')],
  ['unknown settings', 'settings', /^warn: .*coler/, file('config.json', '{"coler":"auto","timeout":3}')],
  ['open tokens', 'token store file', /^warn: .*0644/, file('tokens.json', tokens, 0o644)],
  ['tokens', 'token store', /^ok: 2 tokens, 0 expired/, file('tokens.json', tokens)],
  [
    'expired tokens',
    'token store',
    /2 tokens, 1 expired/,
    file('tokens.json', tokens),
    { now: () => NOW + 9 },
  ],
  ['damaged tokens', 'token store', /^fail: .*damaged/, file('tokens.json', 'null')],
  ['another owner', 'token store file', /^fail: .*another user/, file('tokens.json', tokens), { uid: 4711 }],
  ['G13', 'ARX_TOKEN', /^warn: set/, undefined, { env: { ARX_TOKEN: 'secret-token' } }],
  [
    'E12',
    'proxy',
    /^warn: HTTP_PROXY, no_proxy set but ignored/,
    undefined,
    { env: { HTTP_PROXY: 'http://u:secret@x', no_proxy: '*' } },
  ],
  ['TLS off', 'TLS', /^warn: .*ignored/, undefined, { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }],
  ['data is a file', 'data folder', /^fail/, file('data', ''), undefined],
  ['data of every user', 'data folder', /^warn: .*: every user can replace the archive, /, data(0o777)],
  ['data of a group', 'data folder', /^warn: .*: its group can replace the archive, /, data(0o770)],
  ['data that others read', 'data folder', /^ok: .*, [\d.]+ (kB|MB|GB|TB) free$/, data(0o755)],
  ['data as in /tmp', 'data folder', /^ok: /, data(0o1777)],
  ['data of another user', 'data folder', /^warn: .*another user, can replace/, data(0o700), { uid: 4_711 }],
  [
    'data through a link in a folder of every user',
    'data folder',
    /^warn: .*\/data: every user \(in .*\/shared\) can replace the archive, /,
    (folder) => {
      fs.mkdirSync(`${folder}/private`, { mode: 0o700 });
      fs.mkdirSync(`${folder}/shared`);
      fs.chmodSync(`${folder}/shared`, 0o777);
      fs.symlinkSync('../private', `${folder}/shared/link`);
      fs.symlinkSync('shared/link', `${folder}/data`);
    },
  ],
  [
    'data below a folder of a group',
    'data folder',
    /^warn: .*\/data: its group \(in .*\/arx\) can replace the archive, /,
    (folder) => {
      fs.mkdirSync(`${folder}/data`, { mode: 0o700 });
      fs.chmodSync(folder, 0o770);
    },
  ],
  [
    'data through a link of this user',
    'data folder',
    /^ok: /,
    (folder) => {
      fs.mkdirSync(`${folder}/private`, { mode: 0o700 });
      fs.symlinkSync('private', `${folder}/data`);
    },
  ],
  ['archive', 'local archive', /^ok: 3 messages/, (folder) => fs.mkdirSync(`${folder}/data`)],
  [
    'broken archive',
    'local archive',
    /^fail: schema 9/,
    (folder) => fs.mkdirSync(`${folder}/data`),
    { openArchive: () => Promise.reject(new Fault('store', 'schema 9')) },
  ],
  [
    'a bug',
    'service',
    /^fail: it failed for an unknown reason$/,
    undefined,
    { health: () => Promise.reject(new Error('secret')) },
  ],
])('%s: %s', async (_, name, wanted, prepare, changes, base) => {
  const found = await verdicts(prepare, changes, base);
  expect(found[name]).toMatch(wanted);
  expect(JSON.stringify(found)).not.toContain('secret');
});

test('with a base URL there is no local archive to check', async () => {
  const found = await verdicts(undefined, undefined, 'https://x');
  expect(found).not.toHaveProperty('service');
  expect(found).not.toHaveProperty('local archive');
});

test('an interruption is not a verdict', async () => {
  const stop = new Fault('interrupted', 'interrupted', { signal: 'SIGINT' });
  await expect(verdicts(undefined, { health: () => Promise.reject(stop) })).rejects.toBe(stop);
});
