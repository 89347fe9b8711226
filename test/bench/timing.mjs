// Whole processes timed in turn (A B A B …), so that a drifting machine drifts for all of them alike.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Milliseconds and peak memory (KiB, by GNU time where it is there) of one process; throws when it does not exit with 0. */
export function once([command, ...args], env = process.env) {
  const figures = join(tmpdir(), `arx-bench-${process.pid}.time`);
  const timed = existsSync('/usr/bin/time');
  const line = timed ? ['/usr/bin/time', '-o', figures, '-f', '%M', command, ...args] : [command, ...args];
  const begun = performance.now();
  const { status, stderr } = spawnSync(line[0], line.slice(1), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ms = performance.now() - begun;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${status}: ${stderr}`);
  const kib = timed ? Number(readFileSync(figures, 'utf8').trim().split('\n').at(-1)) : Number.NaN;
  rmSync(figures, { force: true });
  return { ms, kib };
}

/** `cases`: name → {line, before?}. One warm-up each, then `runs` rounds in turn; medians by name. */
export function inTurn(cases, runs) {
  const seen = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -1; round < runs; round++) {
    for (const [name, { line, env, before }] of Object.entries(cases)) {
      before?.();
      const figures = once(line, { ...process.env, ...env });
      if (round >= 0) seen[name].push(figures);
    }
  }
  return Object.fromEntries(
    Object.entries(seen).map(([name, all]) => [
      name,
      { ms: median(all.map(({ ms }) => ms)), kib: Math.max(...all.map(({ kib }) => kib)) },
    ]),
  );
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export function table(title, rows) {
  const text = [Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map(String))];
  const lines = text.map((cells) => `| ${cells.join(' | ')} |`);
  lines.splice(1, 0, `|${text[0].map(() => '---').join('|')}|`);
  process.stdout.write(`\n${title}\n\n${lines.join('\n')}\n`);
}

export const ARX = join(import.meta.dirname, '..', '..', 'bin', 'arx.js');

/** Scratch folders for a run of arx, and the environment that points to them. */
export function scratchEnv(dir) {
  return {
    HOME: dir,
    ARX_DATA_DIR: join(dir, 'data'),
    ARX_CONFIG_DIR: join(dir, 'config'),
    ARX_BASE_URL: '',
  };
}
