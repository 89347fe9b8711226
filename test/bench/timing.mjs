// Whole processes timed in turn (A B A B …), so that a drifting machine drifts for all of them alike.
import { execFileSync, spawnSync } from 'node:child_process';
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

/**
 * Ours beside each peer: in every round ours and a peer run one after the other, by turns first, and make one ratio, so
 * that who else uses the machine disturbs both alike. A peer that is not here is undefined. What `table` takes.
 */
export function besidePeers(name, ours, peers, runs) {
  const own = [];
  const seen = Object.entries(peers).filter(([, peer]) => peer !== undefined);
  const rows = seen.map(([peer, line]) => ({ peer, line, figures: [], ratios: [] }));
  for (let round = -1; round < runs; round++) {
    for (const { line, figures, ratios } of rows) {
      const both = round % 2 === 0 ? [ours, line] : [line, ours];
      const [first, second] = both.map(({ line, env, before }) => {
        before?.();
        return once(line, { ...process.env, ...env });
      });
      const [we, they] = round % 2 === 0 ? [first, second] : [second, first];
      if (round < 0) continue;
      own.push(we);
      figures.push(they);
      ratios.push(we.ms / they.ms);
    }
  }
  const shown = (command, figures) => ({
    command,
    ms: median(figures.map(({ ms }) => ms)).toFixed(0),
    'peak MiB': (Math.max(...figures.map(({ kib }) => kib)) / 1024).toFixed(0),
  });
  return [
    { ...shown(name, own), 'arx : this': '', 'half of the rounds': '' },
    ...rows.map(({ peer, figures, ratios }) => {
      const sorted = ratios.sort((a, b) => a - b);
      const at = (share) => sorted[Math.round(share * (sorted.length - 1))].toFixed(2);
      return {
        ...shown(peer, figures),
        'arx : this': at(0.5),
        'half of the rounds': `${at(0.25)} to ${at(0.75)}`,
      };
    }),
  ];
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

/**
 * Milliseconds of CPU (user and system) and wall time, and peak memory (KiB) of one process. GNU time counts in steps of 10 ms, so Python
 * asks, for this process alone: where `python3` is a script (pyenv), what that script ran counts as children of Python too.
 */
export function spent(line, env) {
  python ??= execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim();
  const { status, stderr } = spawnSync(python, ['-I', '-S', '-c', SPENT, ...line], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${line.join(' ')} exited with ${status}: ${stderr}`);
  const [cpu, wall, kib] = String(stderr).trim().split('\n').at(-1).split(' ').map(Number);
  return { ms: 1000 * wall, cpu: 1000 * cpu, kib };
}

let python;

const SPENT = `
import os, sys, time
begun = time.monotonic()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
wall = time.monotonic() - begun
sys.stderr.write('\\n%f %f %d' % (used.ru_utime + used.ru_stime, wall, used.ru_maxrss))
sys.exit(1 if status else 0)
`;

/** The real list that benches import. */
export const LIST = [join(import.meta.dirname, '../../..'), '/work']
  .map((dir) => join(dir, 'shared/data/lists/samba-technical-2019-2022.mbox.xz'))
  .find(existsSync);

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
