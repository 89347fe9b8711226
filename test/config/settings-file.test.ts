// config.json through conf: private, exact names, damaged files left alone (faults G).
import * as fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  readSettingsFile,
  setSetting,
  settingsPath,
  unsetSetting,
  useProfile,
} from '../../src/config/settings-file.ts';
import { scratch, storeWorld } from './store-world.ts';

function begun(content?: string) {
  const folder = `${scratch()}/arx`;
  const path = settingsPath(folder);
  if (content !== undefined) {
    fs.mkdirSync(folder, { mode: 0o700 });
    fs.writeFileSync(path, content, { mode: 0o600 });
  }
  const world = storeWorld();
  const json = () => JSON.parse(fs.readFileSync(path, 'utf8')) as unknown;
  return { folder, path, world, json };
}

test('reading without a file creates nothing', () => {
  const { folder, world } = begun();
  expect(readSettingsFile(folder, world)).toEqual({
    path: `${folder}/config.json`,
    values: {},
    profiles: new Map(),
  });
  expect(fs.existsSync(folder)).toBe(false);
});

test('set, use, unset', async () => {
  const { folder, path, world, json } = begun();
  await setSetting(folder, 'timeout', '7.5', undefined, world);
  await setSetting(folder, 'insecure_http', 'yes', undefined, world);
  await setSetting(folder, 'base_url', 'https://a.b.c/', 'work.x@y', world);
  await setSetting(folder, 'retries', '1', 'work.x@y', world);
  await useProfile(folder, 'work.x@y', world);
  expect(json()).toEqual({
    timeout: 7.5,
    insecure_http: true,
    profile: 'work.x@y',
    profiles: { 'work.x@y': { base_url: 'https://a.b.c', retries: 1 } },
  });
  expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(fs.readdirSync(folder)).toEqual(['config.json']);
  await unsetSetting(folder, 'timeout', undefined, world);
  await unsetSetting(folder, 'timeout', undefined, world);
  await unsetSetting(folder, 'retries', 'work.x@y', world);
  await unsetSetting(folder, 'retries', 'nobody', world);
  expect(json()).toEqual({
    insecure_http: true,
    profile: 'work.x@y',
    profiles: { 'work.x@y': { base_url: 'https://a.b.c' } },
  });
});

test('unknown keys of a later arx are kept', async () => {
  const { folder, world, json } = begun('{"later":{"a.b":1},"profiles":{"w":{"later":2}}}');
  await setSetting(folder, 'timeout', '7', 'w', world);
  expect(json()).toEqual({ later: { 'a.b': 1 }, profiles: { w: { later: 2, timeout: 7 } } });
});

test.each<[string, string, string | undefined, string]>([
  ['nothing', 'x', undefined, 'no setting "nothing"'],
  ['constructor', 'x', undefined, 'no setting "constructor"'],
  ['timeout', 'soon', undefined, 'timeout must be a number from 0.1 to 3600'],
  ['profile', 'x', 'work', 'profile cannot be set inside a profile'],
  ['timeout', '1', '__proto__', 'profile name must be 1 to 64 letters'],
])('set %s %s in profile %s is a usage fault', async (key, text, profile, message) => {
  const { folder, world } = begun();
  await expect(setSetting(folder, key, text, profile, world)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining(message),
  });
  expect(fs.existsSync(folder)).toBe(false);
});

test('a profile that is not there cannot be used', async () => {
  const { folder, world } = begun('{"timeout":7}');
  await expect(useProfile(folder, 'toString', world)).rejects.toMatchObject({ kind: 'usage' });
  await expect(setSetting(folder, 'profile', 'toString', undefined, world)).rejects.toMatchObject({
    kind: 'usage',
    message: 'no profile "toString"',
  });
  await useProfile(folder, 'default', world);
  expect(fs.readdirSync(folder)).toEqual(['config.json']);
});

describe('G1: damaged settings are a store fault without content and stay', () => {
  test.each([
    'secret not JSON',
    '',
    '\ufeff{}',
    'null',
    '[]',
    '{"profiles":[]}',
    '{"profiles":{"secret":7}}',
  ])('%j', async (content) => {
    const { folder, path, world } = begun(content);
    expect(() => readSettingsFile(folder, world)).toThrow(
      expect.objectContaining({ kind: 'store', message: expect.not.stringContaining('secret') }),
    );
    await expect(setSetting(folder, 'timeout', '7', undefined, world)).rejects.toMatchObject({
      kind: 'store',
    });
    expect(fs.readFileSync(path, 'utf8')).toBe(content);
    expect(fs.readdirSync(folder)).toEqual(['config.json']);
  });
});

test('G2: an open file is closed with a notice', () => {
  const { folder, path, world } = begun('{"timeout":7}');
  fs.chmodSync(path, 0o644);
  expect(readSettingsFile(folder, world).values).toEqual({ timeout: 7 });
  expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  expect(world.notices).toHaveLength(1);
});

test('G3: a link is neither read nor written through', async () => {
  const { folder, path, world } = begun('{"timeout":7}');
  fs.renameSync(path, `${folder}/real`);
  fs.symlinkSync(`${folder}/real`, path);
  expect(() => readSettingsFile(folder, world)).toThrow(expect.objectContaining({ kind: 'store' }));
  await expect(setSetting(folder, 'timeout', '8', undefined, world)).rejects.toMatchObject({ kind: 'store' });
  expect(fs.readFileSync(`${folder}/real`, 'utf8')).toBe('{"timeout":7}');
});
