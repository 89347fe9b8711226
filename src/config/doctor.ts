// The checks of `arx doctor` on this installation: settings, token store, folders, proxy, TLS, the local archive, each with a verdict.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../faults.ts';
import { formatBytes, plural } from '../format/numbers.ts';
import type { Directories } from './directories.ts';
import { isExpired } from './token-expiry.ts';
import { isSettingKey } from './setting-keys.ts';
import { codeOf, reasonOf } from './private-file.ts';
import { readSettingsFile, settingsPath } from './settings-file.ts';
import type { Settings } from './settings.ts';
import { tokenFile, type TokenStore } from './token-store.ts';
import { whoCanReplace } from './who-can-replace.ts';

/** The result of one check. */
export type Check = { name: string; verdict: 'ok' | 'warn' | 'fail'; detail: string };

/** What the checks read. */
export type DoctorNeeds = {
  settings: Settings;
  directories: Directories;
  store: TokenStore;
  env: Readonly<Record<string, string | undefined>>;
  nodeVersion: string;
  uid: number | undefined;
  now(): number;
  /** Reads the health of the local archive (interface 4.5). Called only where no base URL is set. Throws Fault 'not_found' where there is no archive. */
  health(): Promise<{ status: number }>;
  /** Opens the local archive. Returns one line about it. Throws Fault 'not_found' where there is none. */
  openArchive(): Promise<string>;
};

/** Returns the results of all checks. Throws only where the run is interrupted: any other failure is a verdict. */
export async function checks(needs: DoctorNeeds): Promise<Check[]> {
  const { directories, settings } = needs;
  const local = settings.base_url.value === undefined;
  return [
    nodeCheck(needs.nodeVersion),
    // First, since opening the files corrects their modes.
    modeCheck('config folder', directories.config, needs.uid, 'folder'),
    modeCheck('config file', settingsPath(directories.config), needs.uid, 'file'),
    modeCheck('token store file', tokenFile(directories.config), needs.uid, 'file'),
    await checkOrFail('settings', async () => settingsCheck(needs)),
    await checkOrFail('token store', () => tokensCheck(needs)),
    givenTokenCheck(needs.env),
    proxyCheck(needs.env, settings),
    tlsCheck(needs.env),
    dataCheck(directories.data, needs.uid),
    ...(local ? [await checkOrFail('local archive', () => archiveCheck(needs))] : []),
    ...(local ? [await checkOrFail('service', () => serviceCheck(needs))] : []),
  ];
}

function check(name: string, verdict: Check['verdict'], detail: string): Check {
  return { name, verdict, detail };
}

async function checkOrFail(name: string, work: () => Promise<Check>): Promise<Check> {
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
    return check(
      'settings',
      'ok',
      `${plural(names.length, 'value')}, ${plural(file.profiles.size, 'profile')}`,
    );
  return check('settings', 'warn', `unknown settings: ${unknown.slice(0, 5).join(', ')}`);
}

async function tokensCheck({ store, now }: DoctorNeeds): Promise<Check> {
  const tokens = await store.list();
  const expired = tokens.filter((token) => isExpired(token, now())).length;
  return check('token store', 'ok', `${plural(tokens.length, 'token')}, ${expired} expired`);
}

function givenTokenCheck(env: DoctorNeeds['env']): Check {
  if ((env['ARX_TOKEN'] ?? '') === '') return check('ARX_TOKEN', 'ok', 'not set');
  return check(
    'ARX_TOKEN',
    'warn',
    'set: sent to the base URL of a command, instead of a stored token; it is never saved',
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
    return check('TLS', 'warn', 'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are checked');
  }
  return check('TLS', 'ok', 'certificates are checked');
}

const MIN_FREE_BYTES = 100 * 1024 * 1024;

function dataCheck(folder: string, uid: number | undefined): Check {
  let existing = folder;
  while (!fs.existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  try {
    fs.accessSync(existing, fs.constants.W_OK | fs.constants.X_OK);
    const { bavail, bsize } = fs.statfsSync(existing);
    const free = bavail * bsize;
    const others = uid === undefined ? undefined : whoCanReplace(existing, uid);
    const where = [
      existing === folder ? folder : `${folder}: not there yet`,
      ...(others === undefined ? [] : [`${others} can replace the archive`]),
    ].join(': ');
    const verdict = free < MIN_FREE_BYTES || others !== undefined ? 'warn' : 'ok';
    return check('data folder', verdict, `${where}, ${formatBytes(free)} free`);
  } catch (error) {
    return check('data folder', 'fail', `${existing}: ${reasonOf(error)}`);
  }
}

function archiveCheck({ openArchive }: DoctorNeeds): Promise<Check> {
  return unlessMissing('local archive', 'not there yet; arx import makes it', async () =>
    check('local archive', 'ok', await openArchive()),
  );
}

function serviceCheck({ health }: DoctorNeeds): Promise<Check> {
  return unlessMissing('service', 'not asked: there is no local archive yet', async () => {
    const { status } = await health();
    return check('service', status === 200 ? 'ok' : 'warn', `the local archive answers (${status})`);
  });
}

/** Returns the check, and `detail` where there is no local archive, which is no failure. */
function unlessMissing(name: string, detail: string, work: () => Promise<Check>): Promise<Check> {
  return work().catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'not_found') return check(name, 'ok', detail);
    throw error;
  });
}
