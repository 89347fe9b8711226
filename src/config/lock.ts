// One writer at a time among processes: a lock that names its holder, and is taken over only when that one is surely dead.
import * as fs from 'node:fs';
import { hostname, uptime } from 'node:os';
import { basename, dirname } from 'node:path';
import { Fault } from '../faults.ts';
import {
  codeOf,
  ensurePrivateFolder,
  removeAllQuietly,
  writeFault,
  type StoreWorld,
} from './private-file.ts';

/** Longest wait for another holder in milliseconds of sleep. */
const MAX_WAIT_MS = 15_000;

/**
 * Runs `work` while no other process does that holds `<path>.lock` for it. Throws a store Fault at once where one does,
 * or the lock cannot be made, else what `work` throws. The folder is there and stays as it is.
 */
export async function withExclusiveLock<T>(
  path: string,
  world: StoreWorld,
  work: () => Promise<T>,
): Promise<T> {
  const identity = identityOf(world);
  const lock = `${path}.lock`;
  await acquire(lock, { path, identity, world, left: TAKEOVER_WAIT_MS });
  try {
    return await work();
  } finally {
    release(lock, identity);
  }
}

/** Enough to take over the lock of a dead one. */
const TAKEOVER_WAIT_MS = 100;

/**
 * Runs `work` while holding `<path>.lock`, the folder made first, leftovers of dead writers of `path` swept away.
 * Throws a store Fault when a living holder keeps it for 15 s or the lock cannot be made, else what `work` throws.
 *
 * The lock is a symbolic link whose target is the holder's identity: made and filled in one step, so that a kill
 * at any moment leaves a lock that can be judged. A dead holder's lock is removed under a second lock named after it,
 * so that two waiters can never remove each other's fresh one.
 */
export async function withLock<T>(
  path: string,
  world: StoreWorld,
  work: (identity: string) => T | Promise<T>,
): Promise<T> {
  ensurePrivateFolder(dirname(path), world);
  const identity = identityOf(world);
  const lock = `${path}.lock`;
  await acquire(lock, { path, identity, world, left: MAX_WAIT_MS });
  try {
    // Only the holder writes such names, and any that stand here are of holders before us.
    for (const name of leftoversOf(path)) removeAllQuietly(name);
    return await work(identity);
  } finally {
    release(lock, identity);
  }
}

/** Removes temporary files (they may hold tokens) of writers that died; leaves those of living ones. Never throws. */
export function removeLeftovers(path: string, world: StoreWorld): void {
  for (const name of leftoversOf(path)) {
    const holder = parseIdentity(name.slice(name.indexOf('.tmp-') + '.tmp-'.length));
    if (holder !== undefined && isDead(holder, name, world)) removeAllQuietly(name);
  }
}

/** Temporary files and takeover locks beside `path`, not its lock. */
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

/** One way to a lock, shared by the takeovers it needs. `left` is the sleep left in milliseconds. */
type Attempt = { path: string; identity: string; world: StoreWorld; left: number };

async function acquire(lock: string, attempt: Attempt): Promise<void> {
  const { path, identity, world } = attempt;
  for (;;) {
    try {
      // On Windows a junction needs no privilege; elsewhere the third argument means nothing.
      fs.symlinkSync(identity, lock, 'junction');
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw writeFault(error, lock);
    }
    const held = read(lock);
    const holder = held === undefined ? undefined : parseIdentity(held);
    if (held !== undefined && holder === undefined) {
      throw new Fault('store', `${lock} is not a lock of arx`, { hint: `look at it, then: rm ${lock}` });
    }
    const dead = holder !== undefined && isDead(holder, lock, world);
    if (dead) {
      // Of one who died within such a takeover, the same again: names are by nonce, so they do not grow.
      const takeover = `${path}.lock.${holder.nonce}`;
      await acquire(takeover, attempt);
      try {
        release(lock, held as string);
      } finally {
        release(takeover, identity);
      }
    }
    // Sleeping also after a takeover or a lock that just vanished keeps every way through this loop bounded.
    const pause = dead || holder === undefined ? 1 : 5 + ((world.randomBytes(1)[0] ?? 0) % 32);
    attempt.left -= pause;
    if (attempt.left < 0) {
      throw new Fault('store', `${lock} is held by process ${holder?.pid ?? 'unknown'}`, {
        retryable: true,
        hint: `if no arx is running on ${holder?.host ?? 'this host'}: rm ${lock}`,
      });
    }
    await world.sleep(pause);
  }
}

function release(lock: string, identity: string): void {
  try {
    if (read(lock) === identity) fs.unlinkSync(lock);
  } catch {
    // It stays as the lock of a process that ends soon, and is then taken over.
  }
}

/** Target of the lock; undefined where there is none (any more). Throws a store Fault where it cannot be read. */
function read(lock: string): string | undefined {
  try {
    return basename(fs.readlinkSync(lock));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'EINVAL') return '';
    throw writeFault(error, lock);
  }
}

type Holder = { pid: number; start: string; space: string; nonce: string; host: string };

/** `pid-start-space-nonce-host`: start as the kernel counts it, space the boot and process namespace pids belong to. */
function identityOf(world: StoreWorld): string {
  const nonce = Buffer.from(world.randomBytes(8)).toString('hex');
  return [world.pid, processOf(world.pid).start, spaceOf(), nonce, hostOf()].join('-');
}

function parseIdentity(text: string): Holder | undefined {
  const parts = /^(\d+)-(\d*)-([0-9a-f.]*)-([0-9a-f]{16})-([\w.-]*)$/.exec(text);
  if (parts === null) return undefined;
  const [, pid = '', start = '', space = '', nonce = '', host = ''] = parts;
  return { pid: Number(pid), start, space, nonce, host };
}

/** True only where it is proved: nothing is concluded about other hosts or namespaces of a running system. */
function isDead(holder: Holder, path: string, world: StoreWorld): boolean {
  if (holder.host !== hostOf()) return false;
  if (holder.space === spaceOf()) {
    if (!world.running(holder.pid)) return true;
    const { state, start } = processOf(holder.pid);
    // A zombie has ended, even where nobody collects it.
    return state === 'Z' || (start !== '' && holder.start !== '' && start !== holder.start);
  }
  try {
    // Left from before this boot (another machine of the same name would have held it longer than we are up).
    return fs.lstatSync(path).mtimeMs < world.now() - uptime() * 1000;
  } catch {
    return false;
  }
}

/** State and start of a process as the kernel tells them, empty where it does not. */
function processOf(pid: number): { state: string; start: string } {
  const stat = readText(`/proc/${pid}/stat`);
  // The name in parentheses may hold spaces; what follows it are fields 3 (state) to 22 (start) and on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}

let space: string | undefined;

function spaceOf(): string {
  if (space === undefined) {
    const boot = readText('/proc/sys/kernel/random/boot_id').replaceAll('-', '').trim();
    space = `${boot}.${namespace().replaceAll(/\D/g, '')}`;
  }
  return space;
}

function namespace(): string {
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
