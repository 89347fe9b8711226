// Where a run of the real command is killed with SIGKILL: at a moment, or by itself in the middle of what it does to its log and output.
import type { Random } from './random.ts';

/**
 * `moment`: from outside, so many milliseconds after the n-th line of its diagnostic log (-v), which has one for each
 * answer and each read taken in. The others count in the run itself: `append` leaves a share of the n-th text meant for
 * the log, `synced` comes right after the n-th text is durable (of a window's two, the rows and the line that speaks of
 * them), so before it is shown, `output` leaves a share of the n-th text meant for stdout, and `end` comes after
 * everything.
 */
export type KillPoint =
  | { at: 'moment'; nth: number; ms: number }
  | { at: 'append' | 'output'; nth: number; share: number }
  | { at: 'synced'; nth: number }
  | { at: 'end' };

/** How often a whole run comes to each place. */
export type Course = { moment: number; append: number; synced: number; output: number };

/** The longest wait after a line, about the time between two of them. */
const LONGEST_MS = 10;

export const KILL_PLACES = ['moment', 'append', 'synced', 'output', 'end'] as const;

/** A whole run freezes nothing for that share of its lines: kills before it are much alike. */
const QUIET = 0.4;

/** A point of the place within the first `share` of a whole run, or for a moment in its later part. */
export function drawKillPoint(at: KillPoint['at'], random: Random, course: Course, share = 1): KillPoint {
  if (at === 'end') return { at };
  if (at === 'moment') {
    const nth = Math.floor((QUIET + (1 - QUIET) * random()) * course[at]);
    return { at, nth, ms: random() * LONGEST_MS };
  }
  const nth = 1 + Math.floor(random() * course[at] * share);
  return at === 'synced' ? { at, nth } : { at, nth, share: random() };
}

/** Environment under which a run kills itself there, or where there is no point writes the rest of its {@link Course} to `tally`. */
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
