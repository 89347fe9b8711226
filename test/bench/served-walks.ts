// Measures clients over real `arx serve` processes that lie: same service, same seed, in turn; called by served.mjs.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DRIFT_FAULTS } from '../../src/service/fault-injection/drift.ts';
import { sampleArchive } from '../support/archive.ts';
import { tokenOf } from '../support/killed-walk.ts';
import { startProcess } from '../support/program.ts';
import { LIMIT, paginateWithStripe, readPages, walkList, type Given, type Place } from './clients.ts';

const SIZE = 2000;
const MINIMUM = SIZE / LIMIT;
const TRUTH = Array.from({ length: SIZE }, (_, n) => `conv_${n + 1}`);
/** Milliseconds of every answer, in turn from run to run. */
const LATENCIES = [20, 50];

/** Requests over the minimum and wall over the drift-free loop. */
type Goal = [requests: number, wall: number];
type Cell = { name: string; flags: string; goal: Goal; positionsGoal?: Goal; appended?: number };

const DRIFT = '--drift 0.21';
const CELLS: Cell[] = [
  { name: 'no drift', flags: '', goal: [2.3, 1.15], positionsGoal: [1.15, 1.15] },
  { name: 'random', flags: DRIFT, goal: [3.1, 1.3], positionsGoal: [1.6, 1.25] },
  {
    name: 'correlated with the request',
    flags: `${DRIFT} --drift-mode key`,
    goal: [3.1, 1.3],
    positionsGoal: [1.6, 1.25],
  },
  { name: 'sticky', flags: `${DRIFT} --drift-mode sticky`, goal: [3.1, 1.3], positionsGoal: [1.6, 1.25] },
  { name: 'bursts', flags: `${DRIFT} --drift-mode burst`, goal: [3.1, 1.3], positionsGoal: [1.6, 1.25] },
  ...DRIFT_FAULTS.map((fault): Cell => ({
    name: `only ${fault}`,
    flags: `${DRIFT} --drift-faults ${fault}`,
    goal: [4.2, 1.4],
  })),
  {
    name: 'all, transport faults',
    flags: `${DRIFT} --transport-faults 0.05`,
    goal: [3.4, 1.4],
    positionsGoal: [1.8, 1.4],
  },
  // 429 asks for a pause of one second, and every client waits that long, also where its own loop takes one second.
  {
    name: 'all, transport faults but 429',
    flags: `${DRIFT} --transport-faults 0.05 --transport-kinds 503,reset,cut,slow`,
    goal: [3.4, 1.4],
    positionsGoal: [1.8, 1.4],
  },
  { name: 'colluding stale', flags: `${DRIFT} --drift-mode collude`, goal: [8, 2] },
  { name: 'appends', flags: `${DRIFT} --drift-writes append:10:4`, goal: [3.1, 1.3], appended: 10 },
];

const CLIENTS = {
  walk: (place: Place) => walkList(place, 'boundary', false),
  'walk, positions': (place: Place) => walkList(place, 'boundary', true),
  off: (place: Place) => walkList(place, 'off', false),
  'off, positions': (place: Place) => walkList(place, 'off', true),
  naive: (place: Place) => readPages(place, 1),
  stripe: paginateWithStripe,
  twice: (place: Place) => readPages(place, 2),
};
type Name = keyof typeof CLIENTS;
const NAMES = Object.keys(CLIENTS) as Name[];

type Sum = {
  exact: number;
  /** Runs that were called complete and were not exact. */
  wrong: number;
  missed: number;
  doubled: number;
  requests: number[];
  /** Wall over the drift-free loop of the same run, by latency. */
  walls: Map<number, number[]>;
};

/** `runs` a cell, each with a seed of its own from `first` on; `launcher` is the program as built. */
export async function measureServed(
  { runs, first, launcher }: { runs: number; first: number; launcher: string },
  progress: (text: string) => void,
): Promise<Record<string, string>[]> {
  const sample = await sampleArchive({ conversations: SIZE, messages: 1, attachments: 0 });
  await sample.leave();
  const served = <T>(flags: string, work: (place: Place) => Promise<T>) =>
    whileServed(launcher, sample.dir, flags, work);
  try {
    return await served(`--drift-latency ${LATENCIES[0]}`, (quick) =>
      served(`--drift-latency ${LATENCIES[1]}`, async (slow) => {
        // Compiled code for everyone, or the first loop of all would be a slow one.
        for (const name of NAMES) await CLIENTS[name](quick);
        const rows: Record<string, string>[] = [];
        for (const cell of CELLS) {
          progress(cell.name);
          const sums = new Map(NAMES.map((name) => [name, newSum()]));
          for (let run = 0; run < runs; run++) {
            const latency = LATENCIES[run % LATENCIES.length]!;
            const free = await readPages(run % LATENCIES.length === 0 ? quick : slow, 1);
            if (!free.complete) throw new Error('the drift-free loop did not end');
            const flags = `${cell.flags} --drift-latency ${latency}${cell.flags && ` --drift-seed ${first + run}`}`;
            // Each begins in its turn; where rows are appended each has a service of its own.
            const names = [...NAMES.slice(run % NAMES.length), ...NAMES.slice(0, run % NAMES.length)];
            const measure = async (name: Name, place: Place) => {
              const given = await CLIENTS[name](place);
              add(sums.get(name)!, given, SIZE - (cell.appended ?? 0), latency, given.ms / free.ms);
            };
            if (cell.appended === undefined) {
              await served(flags, async (place) => {
                for (const name of names) await measure(name, place);
              });
            } else for (const name of names) await served(flags, (place) => measure(name, place));
          }
          rows.push(...shown(cell, sums, runs));
        }
        return rows;
      }),
    );
  } finally {
    rmSync(sample.dir, { recursive: true, force: true });
  }
}

/** Serves a copy of the archive in `from`: a folder has one serving process. */
async function whileServed<T>(
  launcher: string,
  from: string,
  flags: string,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const args = [
    'serve',
    '--port',
    '0',
    '--json',
    '--max-tier',
    'internal',
    ...flags.split(' ').filter(Boolean),
  ];
  const dir = mkdtempSync(join(tmpdir(), 'arx-served-'));
  cpSync(from, dir, { recursive: true });
  const env = { ARX_DATA_DIR: dir, ARX_CONFIG_DIR: join(dir, 'config') };
  const running = startProcess(process.execPath, [launcher, ...args], { dir, env });
  try {
    const { base_url } = JSON.parse(await running.says('stdout', /\n/)) as { base_url: string };
    return await work({ baseUrl: base_url, token: await tokenOf(base_url) });
  } finally {
    running.child.kill('SIGTERM');
    await running.ended;
    rmSync(dir, { recursive: true, force: true });
  }
}

function newSum(): Sum {
  return {
    exact: 0,
    wrong: 0,
    missed: 0,
    doubled: 0,
    requests: [],
    walls: new Map(LATENCIES.map((ms) => [ms, []])),
  };
}

/** Exact: the list as it was at some moment, so at least its `least` rows that were there throughout. */
function add(
  sum: Sum,
  { ids, complete, requests }: Given,
  least: number,
  latency: number,
  wall: number,
): void {
  const unique = new Set(ids);
  const exact = complete && ids.length >= least && ids.every((id, index) => id === TRUTH[index]);
  if (exact) sum.exact++;
  else if (complete) sum.wrong++;
  sum.missed += TRUTH.slice(0, least).filter((id) => !unique.has(id)).length;
  sum.doubled += ids.length - unique.size;
  sum.requests.push(requests / MINIMUM);
  sum.walls.get(latency)!.push(wall);
}

/** One row, and one for the same pages with positions; the peers do not look at them. */
function shown(cell: Cell, sums: Map<Name, Sum>, runs: number): Record<string, string>[] {
  const row = (name: string, walk: Sum, off: Sum, [requests, wall]: Goal, peers: (Sum | undefined)[]) => {
    const [naive = '', stripe = '', twice = ''] = peers.map((sum) => sum && brief(sum, runs));
    return {
      case: name,
      exact: `${walk.exact}/${runs}`,
      'wrong called complete': String(walk.wrong),
      requests: mean(walk.requests).toFixed(2),
      goal: `≤ ${requests}`,
      ...Object.fromEntries(
        LATENCIES.map((ms) => [`wall, ${ms} ms`, middle(walk.walls.get(ms)!)?.toFixed(2) ?? '']),
      ),
      'goal ': `≤ ${wall}`,
      'without cross-check': brief(off, runs),
      'naive loop': naive,
      'stripe SDK': stripe,
      'equal twice': twice,
    };
  };
  const of = (name: Name) => sums.get(name)!;
  const { name, goal, positionsGoal = goal } = cell;
  return [
    row(name, of('walk'), of('off'), goal, [of('naive'), of('stripe'), of('twice')]),
    row(`${name}, positions`, of('walk, positions'), of('off, positions'), positionsGoal, []),
  ];
}

function brief({ exact, wrong, missed, doubled, requests, walls }: Sum, runs: number): string {
  const wall = middle([...walls.values()].flat());
  return [
    `${exact}/${runs}`,
    String(wrong),
    `${missed}/${doubled}`,
    mean(requests).toFixed(2),
    wall?.toFixed(2),
  ].join(', ');
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function middle(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
