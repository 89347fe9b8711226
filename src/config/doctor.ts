// The checks of `arx doctor`: this installation looked at from outside, each with a verdict.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../faults.ts';
import type { Directories } from './directories.ts';
import { CLOCK_TOLERANCE, isExpired, spoken } from './expiry.ts';
import { isSettingKey } from './keys.ts';
import { codeOf, reasonOf } from './private-file.ts';
import { readSettingsFile, settingsPath } from './settings-file.ts';
import type { Settings } from './settings.ts';
import type { TokenStore } from './token-store.ts';

export type Check = { name: string; verdict: 'ok' | 'warn' | 'fail'; detail: string };

export type DoctorNeeds = {
  settings: Settings;
  directories: Directories;
  store: TokenStore;
  env: Readonly<Record<string, string | undefined>>;
  nodeVersion: string;
  uid: number | undefined;
  now(): number;
  /** Asks for the service's health (interface 4.5); `serverTime` is its Date in milliseconds. */
  health(): Promise<{ status: number; serverTime?: number }>;
  /** Opens and closes the local archive; resolves to one line about it. Asked only where one is there. */
  openArchive(): Promise<string>;
};

/** All checks, in the order they are worth reading. Throws only what interrupts: any other failure is a verdict. */
export async function checks(needs: DoctorNeeds): Promise<Check[]> {
  const { directories, store, settings } = needs;
  const local = settings.base_url.value === undefined;
  return [
    nodeCheck(needs.nodeVersion),
    // Before anything is opened, which would mend the modes.
    modeCheck('config folder', directories.config, needs.uid, 'folder'),
    modeCheck('config file', settingsPath(directories.config), needs.uid, 'file'),
    modeCheck('token store file', store.path, needs.uid, 'file'),
    await judged('settings', async () => settingsCheck(needs)),
    await judged('token store', () => tokensCheck(needs)),
    givenTokenCheck(needs.env),
    proxyCheck(needs.env, settings),
    tlsCheck(needs.env),
    dataCheck(directories.data),
    ...(local ? [await judged('local archive', () => archiveCheck(needs))] : []),
    ...(await serviceChecks(needs, local)),
  ];
}

function check(name: string, verdict: Check['verdict'], detail: string): Check {
  return { name, verdict, detail };
}

async function judged(name: string, work: () => Promise<Check>): Promise<Check> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && error.kind === 'interrupted') throw error;
    return check(name, 'fail', error instanceof Fault ? error.message : 'it failed for an unknown reason');
  }
}

function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  return check('node', fits ? 'ok' : 'fail', fits ? version : `${version}; arx needs 20.19 or newer`);
}

function modeCheck(name: string, path: string, uid: number | undefined, kind: 'file' | 'folder'): Check {
  let stat: fs.Stats;
  try {
    stat = kind === 'folder' ? fs.statSync(path) : fs.lstatSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return check(name, 'ok', `${path}: not there yet`);
    return check(name, 'fail', `${path}: ${reasonOf(error)}`);
  }
  if (kind === 'folder' ? !stat.isDirectory() : !stat.isFile()) {
    return check(name, 'fail', `${path} is not a ${kind === 'folder' ? 'folder' : 'regular file'}`);
  }
  if (uid === undefined) return check(name, 'ok', path);
  if (stat.uid !== uid) return check(name, 'fail', `${path} belongs to another user`);
  const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
  if ((stat.mode & 0o077) === 0) return check(name, 'ok', `${path} (${mode})`);
  return check(name, 'warn', `${path} is open to others (${mode}); it is closed when arx next uses it`);
}

function settingsCheck({ directories, uid }: DoctorNeeds): Check {
  const file = readSettingsFile(directories.config, { uid, notice: () => {} });
  const names = [file.values, ...file.profiles.values()].flatMap((values) => Object.keys(values));
  const unknown = [...new Set(names.filter((name) => !isSettingKey(name)))];
  if (unknown.length === 0)
    return check('settings', 'ok', `${names.length} values, ${file.profiles.size} profiles`);
  return check('settings', 'warn', `no setting of arx: ${unknown.slice(0, 5).join(', ')}`);
}

async function tokensCheck({ store, now }: DoctorNeeds): Promise<Check> {
  const tokens = await store.list();
  const expired = tokens.filter((token) => isExpired(token, now())).length;
  return check('token store', 'ok', `${tokens.length} tokens, ${expired} expired`);
}

function givenTokenCheck(env: DoctorNeeds['env']): Check {
  if ((env['ARX_TOKEN'] ?? '') === '') return check('ARX_TOKEN', 'ok', 'not set');
  return check(
    'ARX_TOKEN',
    'warn',
    'set: used in place of stored tokens, for every base URL; it is never saved',
  );
}

function proxyCheck(env: DoctorNeeds['env'], settings: Settings): Check {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]);
  const set = names.filter((name) => (env[name] ?? '') !== '');
  const used =
    settings.proxy.value === undefined ? 'no proxy is used' : `the proxy of ${settings.proxy.origin} is used`;
  if (set.length === 0) return check('proxy', 'ok', used);
  return check('proxy', 'warn', `${set.join(', ')} set but ignored (only --proxy counts); ${used}`);
}

function tlsCheck(env: DoctorNeeds['env']): Check {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    return check('TLS', 'fail', 'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off; unset it');
  }
  return check('TLS', 'ok', 'certificates are checked');
}

const LITTLE_SPACE = 100 * 1024 * 1024;

function dataCheck(folder: string): Check {
  let existing = folder;
  while (!fs.existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  try {
    fs.accessSync(existing, fs.constants.W_OK | fs.constants.X_OK);
    const { bavail, bsize } = fs.statfsSync(existing);
    const free = bavail * bsize;
    const where = existing === folder ? folder : `${folder}: not there yet`;
    const verdict = free < LITTLE_SPACE ? 'warn' : 'ok';
    return check('data folder', verdict, `${where}, ${Math.floor(free / 1024 / 1024)} MiB free`);
  } catch (error) {
    return check('data folder', 'fail', `${existing}: ${reasonOf(error)}`);
  }
}

async function archiveCheck({ directories, openArchive }: DoctorNeeds): Promise<Check> {
  if (!fs.existsSync(directories.data))
    return check('local archive', 'ok', 'not there yet; arx import makes it');
  return check('local archive', 'ok', await openArchive());
}

async function serviceChecks({ health, now, settings }: DoctorNeeds, local: boolean): Promise<Check[]> {
  const place = settings.base_url.value ?? 'the local archive';
  try {
    const { status, serverTime } = await health();
    const reached = check('service', status === 200 ? 'ok' : 'warn', `${place} answers (${status})`);
    // The local archive reads the very clock it would be compared with.
    return local ? [reached] : [reached, clockCheck(serverTime, now())];
  } catch (error) {
    return [await judged('service', () => Promise.reject(error))];
  }
}

function clockCheck(serverTime: number | undefined, now: number): Check {
  if (serverTime === undefined) return check('clock', 'warn', 'the service sends no Date to compare with');
  const offset = serverTime - now;
  if (Math.abs(offset) <= CLOCK_TOLERANCE) return check('clock', 'ok', 'agrees with the service');
  return check('clock', 'warn', `your clock is off by ${spoken(offset)}`);
}
