// Walks of the real command into a frozen log, killed and resumed until they end, and a check of what every run left.
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../src/faults.ts';
import { verifyFrozen } from '../../src/walk/log/hash-chain.ts';
import { sampleArchive } from './archive.ts';
import { sampleKillPoint, killEnv, KILL_PLACES, type KillPlaceCounts, type KillPoint } from './kill-point.ts';
import { buildProgram, type Ended, type Program } from './program.ts';
import { randomFrom } from './random.ts';
import { tempFolder } from './temp-folder.ts';

const SIZE = 240;
const TRUTH = Array.from({ length: SIZE }, (_, n) => `conv_${n + 1}`);
/** Runs that are killed, and runs after them in which the walk must reach the end. */
const MAX_KILLS = 3;
const MAX_RUNS_AFTER_KILLS = 3;

/** Rows printed by this run, rows frozen so far, and whether the run was killed. */
export type Run = { point?: KillPoint; killed: boolean; shown: number; frozen: number };
/** `problem`: which promise was broken. */
export type KilledWalk = { place: KillPoint['at']; runs: Run[]; problem?: string };

export type KillBench = {
  /** Runs the walk of this number. The number decides where it is killed and whether it writes to a pipe or a file. */
  walk(seed: number): Promise<KilledWalk>;
  close(): Promise<void>;
};

/** Starts a service with every fault in 21 % of its reads, for many walks of the real program. */
export async function openKillBench(): Promise<KillBench> {
  const sample = await sampleArchive({ conversations: SIZE, messages: 1, attachments: 0 });
  await sample.leave();
  const program = buildProgram();
  const flags = '--port 0 --json --drift 0.21 --drift-seed 7 --drift-latency 10'.split(' ');
  const served = program.start(['serve', '--max-tier', 'internal', ...flags], {
    dir: sample.dir,
    env: { ARX_DATA_DIR: sample.dir },
  });
  const close = async () => {
    served.child.kill('SIGTERM');
    await served.ended;
    rmSync(sample.dir, { recursive: true, force: true });
  };
  try {
    const { base_url } = JSON.parse(await served.says('stdout', /\n/)) as { base_url: string };
    const env = { ARX_BASE_URL: base_url, ARX_TOKEN: await tokenOf(base_url) };
    const placeCounts = await countKillPlaces(program, env);
    return { close, walk: (seed) => inScratch((dir) => walkKilled(program, env, dir, seed, placeCounts)) };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function tokenOf(baseUrl: string): Promise<string> {
  const reply = await fetch(`${baseUrl}/api/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'test', observer_tier: 'internal', requested_tier: 'internal' }),
  });
  return ((await reply.json()) as { access_token: string }).access_token;
}

async function walkKilled(
  program: Program,
  env: Record<string, string>,
  dir: string,
  seed: number,
  placeCounts: KillPlaceCounts,
): Promise<KilledWalk> {
  const random = randomFrom(`kill ${seed}`);
  const place = KILL_PLACES[seed % KILL_PLACES.length]!;
  const kills = 1 + Math.floor(random() * MAX_KILLS);
  const walked: KilledWalk = { place, runs: [] };
  let frozen = 0;
  for (let number = 0; number < kills + MAX_RUNS_AFTER_KILLS; number++) {
    const point =
      number < kills
        ? // Later runs have less to do.
          sampleKillPoint(place, random, placeCounts, number === 0 ? 0.6 : 0.3)
        : undefined;
    const file = random() < 0.5 ? join(dir, `out-${number}`) : undefined;
    const ended = await runOnce(program, env, dir, point, file);
    const killed = ended.signal === 'SIGKILL';
    const lines = ended.stdout.split('\n');
    const torn = lines.pop();
    const shown = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    const log = await frozenIn(join(dir, 'log'));
    walked.runs.push({
      ...(point === undefined ? {} : { point }),
      killed,
      shown: shown.length,
      frozen: log.length,
    });
    const wrong = (problem: string) => ({ ...walked, problem: `run ${number + 1}: ${problem}` });
    const wrongRow = firstWrongRow(log) ?? firstWrongRow(shown);
    if (wrongRow !== undefined) return wrong(`printed or froze ${wrongRow}`);
    if (log.length < frozen) return wrong(`lost ${frozen - log.length} frozen rows`);
    if (shown.length > log.length) return wrong('prints rows before they are frozen');
    frozen = log.length;
    if (killed) continue;
    if (torn !== '') return wrong('ended with half a line');
    if (ended.exit === 0 && shown.length < SIZE) return wrong(`ends complete with ${shown.length} rows`);
    if (ended.exit === 0 && number >= kills) return walked;
    if (ended.exit !== 0 && ended.exit !== 8) return wrong(`ended with ${ended.exit}: ${ended.stderr}`);
  }
  return { ...walked, problem: 'never reached the end' };
}

async function runOnce(
  program: Program,
  env: Record<string, string>,
  dir: string,
  point: KillPoint | { at: 'nowhere'; tally: string } | undefined,
  file?: string,
): Promise<Ended> {
  const out = file === undefined ? undefined : openSync(file, 'w');
  const args = 'conversations walk --limit 10 -o ndjson -v --freeze log --resume'.split(' ');
  const running = program.start(args, {
    dir,
    env: { ...env, ...(point === undefined ? {} : killEnv(point)) },
    stdio: ['ignore', out ?? 'pipe', 'pipe'],
  });
  let timer: NodeJS.Timeout | undefined;
  if (point?.at === 'moment') {
    running
      .says('stderr', new RegExp(`^(.*\\n){${point.nth}}`))
      .then(() => (timer = setTimeout(() => running.child.kill('SIGKILL'), point.ms)))
      .catch(() => {});
  }
  const ended = await running.ended;
  clearTimeout(timer);
  if (out === undefined || file === undefined) return ended;
  closeSync(out);
  return { ...ended, stdout: readFileSync(file, 'utf8') };
}

/** Counts how often a run that is not killed comes to each place. */
function countKillPlaces(program: Program, env: Record<string, string>): Promise<KillPlaceCounts> {
  return inScratch(async (dir) => {
    const tally = join(dir, 'tally');
    const { exit, stderr } = await runOnce(program, env, dir, { at: 'nowhere', tally });
    if (exit !== 0) throw new Error(`a walk without a kill ended with ${exit}: ${stderr}`);
    const counts = JSON.parse(readFileSync(tally, 'utf8')) as Omit<KillPlaceCounts, 'moment'>;
    return { ...counts, moment: stderr.split('\n').length - 1 };
  });
}

/** Returns the frozen ids; none when there is no log yet. Throws when the chain is broken. */
async function frozenIn(log: string): Promise<string[]> {
  try {
    const { ids, problems } = await verifyFrozen(log);
    if (problems[0] !== undefined) throw new Error(`the frozen log is broken: ${problems[0].what}`);
    return ids;
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not_found') return [];
    throw error;
  }
}

/** Returns the first row that is not where the list has it, with its neighbours. */
function firstWrongRow(ids: readonly string[]): string | undefined {
  const at = ids.findIndex((id, index) => id !== TRUTH[index]);
  if (at === -1) return undefined;
  return `${ids.slice(Math.max(0, at - 2), at + 4).join(' ')} where the list has ${TRUTH.slice(Math.max(0, at - 2), at + 4).join(' ')}`;
}

async function inScratch<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = tempFolder('killed');
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
