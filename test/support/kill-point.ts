// Where a run of the real command is killed with SIGKILL: after a time, or while it writes its log or its output.
import type { Random } from './random.ts';

/**
 * `moment`: from outside, `ms` milliseconds after the n-th line of the diagnostic log (-v). The other points are counted
 * in the run itself. `append`: it writes a share of its n-th text to the frozen log and dies. `synced`: it dies right after
 * its n-th text is durable (a window has two: rows and line). `output`: it writes a share of its n-th text to stdout and
 * dies. `end`: it dies after everything.
 */
export type KillPoint =
  | { at: 'moment'; nth: number; ms: number }
  | { at: 'append' | 'output'; nth: number; share: number }
  | { at: 'synced'; nth: number }
  | { at: 'end' };

/** How often a run that is not killed comes to each place. */
export type KillPlaceCounts = { moment: number; append: number; synced: number; output: number };

/** Longest wait after a line of the diagnostic log: about the time between two lines. */
const MAX_WAIT_MS = 10;

export const KILL_PLACES = ['moment', 'append', 'synced', 'output', 'end'] as const;

/** Share of its lines in which a run freezes nothing yet. Kills there are all alike, so they are left out. */
const SHARE_BEFORE_FREEZING = 0.4;

/** Returns a point of this place within the first `share` of a run, or a moment in its later part. */
export function sampleKillPoint(
  at: KillPoint['at'],
  random: Random,
  counts: KillPlaceCounts,
  share = 1,
): KillPoint {
  if (at === 'end') return { at };
  if (at === 'moment') {
    const nth = Math.floor((SHARE_BEFORE_FREEZING + (1 - SHARE_BEFORE_FREEZING) * random()) * counts[at]);
    return { at, nth, ms: random() * MAX_WAIT_MS };
  }
  const nth = 1 + Math.floor(random() * counts[at] * share);
  return at === 'synced' ? { at, nth } : { at, nth, share: random() };
}

/** Returns the environment in which a run kills itself there. Without a point the run writes its counts to the file `tally`. */
export function killEnv(point: KillPoint | { at: 'nowhere'; tally: string }): Record<string, string> {
  if (point.at === 'moment') return {};
  return { ARX_TEST_KILL: JSON.stringify(point), NODE_OPTIONS: `--import=${PRELOAD}` };
}

const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import fs from 'node:fs';
import { open } from 'node:fs/promises';
const { at, nth, share, tally } = JSON.parse(process.env.ARX_TEST_KILL);
const counts = { append: 0, synced: 0, output: 0 };
const comes = (place) => ++counts[place] === nth && place === at;
const die = () => process.kill(process.pid, 'SIGKILL');
const tear = (fd, text) => {
  const bytes = Buffer.from(text);
  fs.writeSync(fd, bytes.subarray(0, Math.floor(bytes.length * share)));
  die();
};
const some = await open(process.execPath);
const files = Object.getPrototypeOf(some);
await some.close();
const { appendFile, datasync } = files;
files.appendFile = function (text, ...rest) {
  if (comes('append')) tear(this.fd, text);
  return appendFile.call(this, text, ...rest);
};
files.datasync = async function () {
  await datasync.call(this);
  if (comes('synced')) die();
};
const write = process.stdout.write;
process.stdout.write = function (text, ...rest) {
  if (comes('output')) tear(1, text);
  return write.call(this, text, ...rest);
};
process.on('exit', () => {
  if (at === 'end') die();
  if (tally !== undefined) fs.writeFileSync(tally, JSON.stringify(counts));
});
`)}`;
