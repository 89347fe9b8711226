// A lock file for one writer among processes. It names its holder and is taken over only where that process is certainly dead.
import * as fs from 'node:fs';
import { hostname, uptime } from 'node:os';
import { basename, dirname } from 'node:path';
import { processOf } from '../disk/process-state.ts';
import { Fault } from '../faults.ts';
import {
  codeOf,
  ensurePrivateFolder,
  removeAllQuietly,
  writeFault,
  type StoreWorld,
} from './private-file.ts';
import { shellWord } from '../shell-words.ts';

/** A longer wait is announced, in milliseconds of sleep. */
const QUIET_WAIT_MS = 500;
/** Longest wait for another holder, in milliseconds of sleep. */
const MAX_WAIT_MS = 15_000;

/**
 * Runs `work` while holding `<path>.lock`. Throws Fault 'store' at once where another process holds it or the lock cannot be
 * made, and what `work` throws. `instead`: what can be done while it is held. The folder must exist and stays as it is.
 */
export async function withExclusiveLock<T>(
  path: string,
  world: StoreWorld,
  work: () => Promise<T>,
  instead?: string,
): Promise<T> {
  const identity = identityOf(world);
  const lock = `${path}.lock`;
  await acquire(lock, { path, identity, world, sleepLeftMs: TAKEOVER_WAIT_MS, instead });
  try {
    return await work();
  } finally {
    release(lock, identity);
  }
}

/** Long enough to take over the lock of a dead process. */
const TAKEOVER_WAIT_MS = 100;

/**
 * Runs `work` while holding `<path>.lock`. Makes the folder private first; with `isPrivate: false` the folder exists and stays
 * as it is. Removes what dead writers of `path` left.
 * Throws Fault 'store' where a living process holds the lock for 15 s or the lock cannot be made, and what `work` throws.
 *
 * The lock is a symbolic link whose target is the holder's identity. It is made and filled in one step, so a kill at any
 * moment leaves a lock whose holder is known. The lock of a dead holder is removed under a second lock named after it, so
 * that two waiters cannot remove each other's new lock.
 */
export async function withLock<T>(
  path: string,
  world: StoreWorld,
  work: (identity: string) => T | Promise<T>,
  { isPrivate = true }: { isPrivate?: boolean } = {},
): Promise<T> {
  if (isPrivate) ensurePrivateFolder(dirname(path), world);
  const identity = identityOf(world);
  const lock = `${path}.lock`;
  await acquire(lock, { path, identity, world, sleepLeftMs: MAX_WAIT_MS });
  try {
    // Only the holder writes such names, so those found here are of earlier holders.
    for (const name of leftoversOf(path)) removeAllQuietly(name);
    return await work(identity);
  } finally {
    release(lock, identity);
  }
}

/** Removes temporary files of dead writers, since they may hold tokens. Leaves those of living ones. Never throws. */
export function removeLeftovers(path: string, world: StoreWorld): void {
  for (const name of leftoversOf(path)) {
    const holder = parseIdentity(name.slice(name.indexOf('.tmp-') + '.tmp-'.length));
    if (holder !== undefined && isDead(holder, name, world)) removeAllQuietly(name);
  }
}

/** Returns the temporary files and takeover locks beside `path`, without its lock. */
export function leftoversOf(path: string): string[] {
  const own = basename(path);
  try {
    return fs
      .readdirSync(dirname(path))
      .filter((name) => name.startsWith(`${own}.tmp-`) || name.startsWith(`${own}.lock.`))
      .map((name) => `${dirname(path)}/${name}`);
  } catch {
    return [];
  }
}

/**
 * One attempt to get a lock, shared by the takeovers that it needs. `sleepLeftMs` is how long it may still sleep, `instead` what
 * can be done while another process holds it.
 */
type Attempt = {
  path: string;
  identity: string;
  world: StoreWorld;
  sleepLeftMs: number;
  sleptMs?: number;
  instead?: string | undefined;
};

async function acquire(lock: string, attempt: Attempt): Promise<void> {
  const { path, identity, world } = attempt;
  for (;;) {
    try {
      // On Windows a junction needs no privilege. Elsewhere the third argument is ignored.
      fs.symlinkSync(identity, lock, 'junction');
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw writeFault(error, lock);
    }
    const held = read(lock);
    const holder = held === undefined ? undefined : parseIdentity(held);
    if (held !== undefined && holder === undefined) {
      throw new Fault('store', `${lock} is not a lock of arx`, {
        hint: `look at it, then: rm ${shellWord(lock)}`,
      });
    }
    const dead = holder !== undefined && isDead(holder, lock, world);
    if (dead) {
      // A process may die within a takeover too. The names come from the nonce, so they do not grow.
      const takeover = `${path}.lock.${holder.nonce}`;
      await acquire(takeover, attempt);
      try {
        release(lock, held as string);
      } finally {
        release(takeover, identity);
      }
    }
    // Sleep after a takeover and a vanished lock too, so that every path through this loop uses up the time.
    const pause = dead || holder === undefined ? 1 : 5 + ((world.randomBytes(1)[0] ?? 0) % 32);
    attempt.sleepLeftMs -= pause;
    const sleptBefore = attempt.sleptMs ?? 0;
    attempt.sleptMs = sleptBefore + pause;
    if (sleptBefore <= QUIET_WAIT_MS && attempt.sleptMs > QUIET_WAIT_MS && holder !== undefined)
      world.notice(`waiting for ${lock}: process ${holder.pid}${commandOf(holder)} holds it`);
    if (attempt.sleepLeftMs < 0) {
      const stale = `if no arx is running on ${holder?.host ?? 'this host'}: rm ${shellWord(lock)}`;
      throw new Fault('store', `${lock} is held by process ${holder?.pid ?? 'unknown'}`, {
        retryable: true,
        hint: attempt.instead === undefined ? stale : `${attempt.instead}; ${stale}`,
      });
    }
    await world.sleep(pause);
  }
}

function release(lock: string, identity: string): void {
  try {
    if (read(lock) === identity) fs.unlinkSync(lock);
  } catch {
    // The lock stays until this process has ended, and is then taken over.
  }
}

/** The target of a lock, undefined where there is none. Throws Fault 'store' where it cannot be read. */
function read(lock: string): string | undefined {
  try {
    return basename(fs.readlinkSync(lock));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'EINVAL') return '';
    throw writeFault(error, lock);
  }
}

type Holder = { pid: number; start: string; pidNamespace: string; nonce: string; host: string };

/**
 * `pid-start-namespace-nonce-host`: `start` is when the kernel says that the process began, `namespace` the boot and the
 * process namespace in which the pid is valid.
 */
function identityOf(world: StoreWorld): string {
  const nonce = Buffer.from(world.randomBytes(8)).toString('hex');
  return [world.pid, processOf(world.pid).start, pidNamespace(), nonce, hostOf()].join('-');
}

function parseIdentity(text: string): Holder | undefined {
  const parts = /^(\d+)-(\d*)-([0-9a-f.]*)-([0-9a-f]{16})-([\w.-]*)$/.exec(text);
  if (parts === null) return undefined;
  const [, pid = '', start = '', namespace = '', nonce = '', host = ''] = parts;
  return { pid: Number(pid), start, pidNamespace: namespace, nonce, host };
}

/** True only where it is certain. Nothing is known about processes of other hosts and namespaces. */
function isDead(holder: Holder, path: string, world: StoreWorld): boolean {
  if (holder.host !== hostOf()) return false;
  if (holder.pidNamespace === pidNamespace()) {
    if (!world.running(holder.pid)) return true;
    const { start } = processOf(holder.pid);
    return start !== '' && holder.start !== '' && start !== holder.start;
  }
  // A process of this boot in another namespace may still run, whatever the clock says.
  if (bootOf(holder.pidNamespace) === bootOf(pidNamespace())) return false;
  try {
    // Made before this boot.
    return fs.lstatSync(path).mtimeMs < world.now() - uptime() * 1000;
  } catch {
    return false;
  }
}

/**
 * Returns the command words of a holder in this namespace as ` (arx events send)`, empty where the kernel does not tell. Values
 * of options are left out, since they may hold secrets.
 */
function commandOf({ pid, pidNamespace: namespace }: Holder): string {
  if (namespace !== pidNamespace()) return '';
  const [, program = '', ...words] = readText(`/proc/${pid}/cmdline`).split('\0');
  const firstOption = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const command = words.slice(0, firstOption < 0 ? 3 : Math.min(firstOption, 3));
  return program === '' || command.length === 0 ? '' : ` (arx ${command.join(' ')})`;
}

let cachedNamespace: string | undefined;

function pidNamespace(): string {
  if (cachedNamespace === undefined) {
    const boot = readText('/proc/sys/kernel/random/boot_id').replaceAll('-', '').trim();
    cachedNamespace = `${boot}.${namespaceLink().replaceAll(/\D/g, '')}`;
  }
  return cachedNamespace;
}

const bootOf = (namespace: string): string => namespace.split('.')[0] ?? '';

function namespaceLink(): string {
  try {
    return fs.readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function hostOf(): string {
  return hostname()
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, 60);
}

function readText(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
