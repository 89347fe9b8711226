// Walks of the real command into a frozen log, killed again and again and resumed to the end, and what every run left.
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../src/faults.ts';
import { verifyFrozen } from '../../src/walk/log/hash-chain.ts';
import { sampleArchive } from './archive.ts';
import { drawKillPoint, killEnv, KILL_PLACES, type Course, type KillPoint } from './kill-point.ts';
import { buildProgram, type Ended, type Program } from './program.ts';
import { randomFrom } from './random.ts';
import { tempFolder } from './temp-folder.ts';

const SIZE = 240;
const TRUTH = Array.from({ length: SIZE }, (_, n) => `conv_${n + 1}`);
/** Runs that a walk is killed in, at most, and runs after them that it has to end in. */
const MOST_KILLS = 3;
const MOST_RUNS_AFTER = 3;

/** Rows shown and frozen so far, and whether the run came to its end by itself. */
export type Run = { point?: KillPoint; killed: boolean; shown: number; frozen: number };
/** `problem` says what was not as it must be. */
export type KilledWalk = { place: KillPoint['at']; runs: Run[]; problem?: string };

export type KillBench = {
  /** Kills by this number: its place, its points, and whether the output goes to a pipe or a file. */
  walk(seed: number): Promise<KilledWalk>;
  close(): Promise<void>;
};

/** The real program against its own service, which lies in every way at 0.21; one for many walks. */
export async function openKillBench(): Promise<KillBench> {
  const sample = await sampleArchive({ conversations: SIZE, messages: 1, attachments: 0 });
  await sample.leave();
  const program = buildProgram();
  const flags = '--port 0 --json --drift 0.21 --drift-seed 7 --drift-latency 10'.split(' ');
  const served = program.start(['serve', ...flags], { dir: sample.dir, env: { ARX_DATA_DIR: sample.dir } });
  const close = async () => {
    served.child.kill('SIGTERM');
    await served.ended;
    rmSync(sample.dir, { recursive: true, force: true });
  };
  try {
    const { base_url } = JSON.parse(await served.says('stdout', /\n/)) as { base_url: string };
    const env = { ARX_BASE_URL: base_url, ARX_TOKEN: await tokenOf(base_url) };
    const course = await courseOf(program, env);
    return { close, walk: (seed) => inScratch((dir) => walkKilled(program, env, dir, seed, course)) };
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
  course: Course,
): Promise<KilledWalk> {
  const random = randomFrom(`kill ${seed}`);
  const place = KILL_PLACES[seed % KILL_PLACES.length]!;
  const kills = 1 + Math.floor(random() * MOST_KILLS);
  const walked: KilledWalk = { place, runs: [] };
  let frozen = 0;
  for (let number = 0; number < kills + MOST_RUNS_AFTER; number++) {
    const point =
      number < kills
        ? // Later runs have less to do.
          drawKillPoint(place, random, course, number === 0 ? 0.6 : 0.3)
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
    const astray = firstAstray(log) ?? firstAstray(shown);
    if (astray !== undefined) return wrong(`gives ${astray}`);
    if (log.length < frozen) return wrong(`lost ${frozen - log.length} frozen rows`);
    if (shown.length > log.length) return wrong('shows rows before they are frozen');
    frozen = log.length;
    if (killed) continue;
    if (torn !== '') return wrong('ended with half a line');
    if (ended.exit === 0 && shown.length < SIZE) return wrong(`calls ${shown.length} rows complete`);
    if (ended.exit === 0 && number >= kills) return walked;
    if (ended.exit !== 0 && ended.exit !== 8) return wrong(`ended with ${ended.exit}: ${ended.stderr}`);
  }
  return { ...walked, problem: 'never came to its end' };
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

/** What a whole run does, so that points can be drawn that it comes to. */
function courseOf(program: Program, env: Record<string, string>): Promise<Course> {
  return inScratch(async (dir) => {
    const tally = join(dir, 'tally');
    const { exit, stderr } = await runOnce(program, env, dir, { at: 'nowhere', tally });
    if (exit !== 0) throw new Error(`a walk that nobody kills ended with ${exit}: ${stderr}`);
    const counts = JSON.parse(readFileSync(tally, 'utf8')) as Omit<Course, 'moment'>;
    return { ...counts, moment: stderr.split('\n').length - 1 };
  });
}

/** The frozen ids, none where there is no log yet. Throws where the chain is broken. */
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

/** What is not the beginning of the list, with its surroundings. */
function firstAstray(ids: readonly string[]): string | undefined {
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
