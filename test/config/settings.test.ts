// Which value wins, where it came from, and what is refused in whose name.
import { describe, expect, test } from 'vitest';
import { directoriesOf } from '../../src/config/directories.ts';
import { SETTING_KEYS } from '../../src/config/setting-keys.ts';
import { Fault } from '../../src/faults.ts';
import { loadSettings, profileRows, resolveSettings, settingRows } from '../../src/config/settings.ts';

const directories = { config: '/c/arx', data: '/d/arx', cache: '/x/arx' };

function resolved(given: {
  flags?: Record<string, unknown>;
  env?: Record<string, string>;
  profiles?: Record<string, Record<string, unknown>>;
  values?: Record<string, unknown>;
}) {
  const { flags = {}, env = {}, profiles = {}, values = {} } = given;
  const file = { path: '/c/arx/config.json', values, profiles: new Map(Object.entries(profiles)) };
  return resolveSettings({ flags, env, cwd: '/here', directories, file });
}

test('defaults', () => {
  const settings = resolved({});
  expect(SETTING_KEYS.map((key) => settings[key].value)).toEqual([
    undefined,
    undefined,
    undefined,
    20,
    10,
    4,
    'auto',
    undefined,
    'default',
    '/d/arx',
    'file',
    undefined,
    false,
    undefined,
    undefined,
    undefined,
  ]);
  expect(new Set(SETTING_KEYS.map((key) => settings[key].origin))).toEqual(new Set(['default']));
});

test('flag before environment before profile before user config', () => {
  const all = {
    flags: { timeout: '1' },
    env: { ARX_TIMEOUT: '2', ARX_PROFILE: 'work' },
    profiles: { work: { timeout: 3 } },
    values: { timeout: 4 },
  };
  expect(resolved(all).timeout).toEqual({ value: 1, origin: 'flag' });
  expect(resolved({ ...all, flags: {} }).timeout).toEqual({ value: 2, origin: 'environment' });
  expect(resolved({ ...all, flags: { profile: 'work' }, env: {} }).timeout).toEqual({
    value: 3,
    origin: 'profile',
  });
  expect(resolved({ ...all, flags: {}, env: {} }).timeout).toEqual({ value: 4, origin: 'user config' });
  expect(resolved({ ...all, env: { ARX_TIMEOUT: '' }, flags: {} }).timeout.value).toBe(4);
});

test.each<[Record<string, unknown>, string, unknown]>([
  [{ baseUrl: 'https://a.example/prefix//' }, 'base_url', 'https://a.example/prefix'],
  [{ baseUrl: 'HTTPS://A.example:443/' }, 'base_url', 'https://a.example'],
  [{ baseUrl: 'http://[::1]:80/x' }, 'base_url', 'http://[::1]/x'],
  [{ json: true }, 'output', 'json'],
  [{ json: true, output: 'json' }, 'output', 'json'],
  [{ color: false }, 'color', 'never'],
  [{ color: true }, 'color', 'auto'],
  [{ insecureHttp: true }, 'insecure_http', true],
  [{ retries: '0' }, 'retries', 0],
])('flags %j: %s is %j', (flags, key, value) => {
  expect(resolved({ flags })[key as 'output'].value).toBe(value);
});

describe('what is wrong is refused in the name of its place', () => {
  test.each<[string, Parameters<typeof resolved>[0], string | undefined]>([
    ['option', { flags: { timeout: 'x' } }, undefined],
    [
      'variable',
      { env: { ARX_TIMEOUT: 'x' } },
      'it is an environment variable; arx help environment explains them',
    ],
    ['user config', { values: { color: 'red' } }, 'arx config set color VALUE, or arx config unset color'],
    [
      'profile',
      { profiles: { w: { retries: 1.5 } }, flags: { profile: 'w' } },
      'arx config set --profile w retries VALUE, or arx config unset --profile w retries',
    ],
  ])('what to do about a wrong value: %s', (_, sources, hint) => {
    let fault: unknown;
    try {
      resolved(sources);
    } catch (error) {
      fault = error;
    }
    expect(fault).toMatchObject({ kind: 'usage' });
    expect((fault as Fault).detail.hint).toBe(hint);
  });

  test.each<[string, Parameters<typeof resolved>[0], string]>([
    ['flag', { flags: { baseUrl: 'ftp://x' } }, '--base-url must be an http or https URL'],
    [
      'credentials',
      { flags: { baseUrl: 'https://u:secret@x' } },
      '--base-url must not hold a user name or password',
    ],
    ['query', { env: { ARX_ASSET_URL: 'https://x?y' } }, 'ARX_ASSET_URL must not have a query or fragment'],
    ['environment', { env: { ARX_TIMEOUT: '1e9' } }, 'ARX_TIMEOUT must be a number from 0.1 to 3600'],
    ['zero', { env: { ARX_TIMEOUT: '0' } }, 'ARX_TIMEOUT must be a number from 0.1 to 3600'],
    [
      'profile',
      { profiles: { w: { retries: 1.5 } }, flags: { profile: 'w' } },
      'retries of profile w in /c/arx/config.json must be a whole number from 0 to 10',
    ],
    [
      'user config',
      { values: { color: 'red' } },
      'color in /c/arx/config.json must be one of auto, always, never',
    ],
    [
      'wrong type',
      { values: { proxy: [] } },
      'proxy in /c/arx/config.json must be a text, number or true/false',
    ],
    ['null', { values: { proxy: null } }, 'proxy in /c/arx/config.json must be a text, number or true/false'],
    ['boolean', { env: { ARX_INSECURE_HTTP: 'maybe' } }, 'ARX_INSECURE_HTTP must be true or false'],
    [
      'control',
      { env: { ARX_CLIENT_ID: 'a\u001bb' } },
      'ARX_CLIENT_ID must be 1 to 200 characters without control characters',
    ],
    [
      'prototype',
      { flags: { profile: '__proto__' } },
      '--profile must be 1 to 64 letters, digits and . _ @ -, beginning with a letter or digit',
    ],
    ['no profile', { flags: { profile: 'constructor' } }, 'no profile "constructor"'],
    [
      'no profile, named by the file',
      { values: { profile: 'zz' } },
      'no profile "zz", but the setting profile in /c/arx/config.json names it',
    ],
    [
      'local and remote',
      { flags: { local: true, baseUrl: 'https://a.example' } },
      '--local and --base-url contradict each other',
    ],
    [
      'both forms',
      { flags: { json: true, output: 'tsv' } },
      '--json and another --output contradict each other',
    ],
  ])('%s', (_, given, message) => {
    expect(() => resolved(given)).toThrow(expect.objectContaining({ kind: 'usage', message }));
  });
});

test('a data folder from a file is seen from the file, a typed one from where one stands', () => {
  expect(resolved({ values: { data_dir: 'a' } }).data_dir.value).toBe('/c/arx/a');
  expect(resolved({ env: { ARX_DATA_DIR: 'a' } }).data_dir.value).toBe('/here/a');
});

test('rows show origins, and no password of a proxy', () => {
  const rows = settingRows(resolved({ env: { ARX_PROXY: 'http://u:secret@p:8080' } }));
  expect(rows.map(({ key }) => key)).toEqual(SETTING_KEYS);
  expect(rows.find(({ key }) => key === 'proxy')).toEqual({
    key: 'proxy',
    value: 'http://u:***@p:8080/',
    origin: 'environment',
  });
});

test('profiles, the current one marked', () => {
  const profiles = new Map([['work', { base_url: 'https://w.example' }]]);
  expect(profileRows({ path: '', values: {}, profiles }, 'work')).toEqual([
    { name: 'default', current: false, base_url: null },
    { name: 'work', current: true, base_url: 'https://w.example' },
  ]);
});

test.each([
  ['linux', {}, ['/h/.config/arx', '/h/.local/share/arx', '/h/.cache/arx']],
  [
    'darwin',
    { XDG_CONFIG_HOME: '/xc', XDG_DATA_HOME: 'relative' },
    ['/xc/arx', '/h/.local/share/arx', '/h/.cache/arx'],
  ],
  [
    'linux',
    { ARX_CONFIG_DIR: 'c', ARX_DATA_DIR: '/d', ARX_CACHE_DIR: '' },
    ['/here/c', '/d', '/h/.cache/arx'],
  ],
  ['win32', { APPDATA: '/A', LOCALAPPDATA: '/L' }, ['/A/arx', '/L/arx', '/h/AppData/Local/Temp/arx']],
  [
    'linux',
    { XDG_CONFIG_HOME: '.', XDG_CACHE_HOME: '..' },
    ['/h/.config/arx', '/h/.local/share/arx', '/h/.cache/arx'],
  ],
])('folders on %s with %j', (platform, env, wanted) => {
  expect(Object.values(directoriesOf({ env, home: '/h', platform, cwd: '/here' }))).toEqual(wanted);
});

test.each(['', 'relative'])(
  'G6 without a home folder (%j) nothing is read or written in the current folder',
  (home) => {
    const outside = { env: {}, home, platform: 'linux', cwd: '/here' };
    expect(() => directoriesOf(outside)).toThrow('the home folder is unknown');
    const env = { ARX_CONFIG_DIR: '/c', XDG_DATA_HOME: '/d', ARX_CACHE_DIR: '/x' };
    expect(directoriesOf({ ...outside, env })).toEqual({ config: '/c', data: '/d/arx', cache: '/x' });
  },
);

test('G6 a relative path in an XDG variable is ignored with a notice', () => {
  const notices: string[] = [];
  const env = { XDG_CONFIG_HOME: 'x', XDG_DATA_HOME: 'y', ARX_DATA_DIR: '/d', XDG_CACHE_HOME: '/z' };
  const outside = { env, home: '/nowhere', platform: 'linux', cwd: '/here' };
  loadSettings({}, outside, { uid: undefined, notice: (text) => notices.push(text) });
  expect(notices).toEqual(['XDG_CONFIG_HOME is ignored: it is not an absolute path']);
});
