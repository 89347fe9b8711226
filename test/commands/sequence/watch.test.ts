// `arx sequence watch`: a line for each change, and a defined end.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../../../src/faults.ts';
import { NOON } from '../../support/fake-world.ts';
import { arx, recordsOf } from '../../support/command.ts';
import { always, answer, misbehave, type Misbehaving } from '../../support/misbehaving-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('watch')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Ratio and displaced positions of each answer; the last one is given again and again. */
type States = readonly (readonly [driftRatio: number | undefined, displaced?: number])[];

/** Watches a sequence on a clock that only sleeping moves. The run is interrupted at the 20th sleep. */
async function watched(states: States, flags: string, more: object = {}) {
  let reads = 0;
  server = await misbehave((socket) => {
    const [drift_ratio, displaced] = states[Math.min(reads, states.length - 1)]!;
    reads += 1;
    const body = { name: 'arc', total: 10, drift_ratio, displaced, has_more: false, data: [], ...more };
    socket.write(answer(200, JSON.stringify(body)));
  });
  const slept: number[] = [];
  let now = NOON;
  const controller = new AbortController();
  const ran = await arx(dir, `--base-url ${server.url} sequence watch arc ${flags}`, {
    env: { ARX_TOKEN: 'tok_any' },
    signal: controller.signal,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
      if (slept.length === 20)
        controller.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' }));
      controller.signal.throwIfAborted();
    },
  });
  return { ...ran, reads, slept };
}

const STATES: States = [
  [0.1, 1],
  [0.1, 1],
  [0.1, 2],
  [0.15, 2],
  [0.2, 2],
  [0.3, 2],
];

test('a line for each change, and exit 8 at the threshold', async () => {
  const ran = await watched(STATES, '--threshold 0.2 --interval 3 -o ndjson');
  expect(ran).toMatchObject({ exit: 8, reads: 5, slept: [3000, 3000, 3000, 3000] });
  const at = (seconds: number): string => new Date(NOON + seconds * 1000).toISOString();
  const state = { name: 'arc', positions: 10 };
  expect(recordsOf(ran)).toEqual([
    { at: at(0), ...state, drift_ratio: 0.1, displaced: 1 },
    { at: at(6), ...state, drift_ratio: 0.1, displaced: 2 },
    { at: at(9), ...state, drift_ratio: 0.15, displaced: 2 },
    { at: at(12), ...state, drift_ratio: 0.2, displaced: 2 },
  ]);
  expect(ran.stderr).toContain('"message":"arc: the drift ratio is 0.2, the threshold 0.2"');
});

test('JSON is one document that says whether the threshold was reached', async () => {
  const crossed = await watched([[0.5, 1]], '--threshold 0.2 --json');
  expect(JSON.parse(crossed.stdout)).toMatchObject({
    data: [{ drift_ratio: 0.5 }],
    summary: { crossed: true },
  });
  await server?.close();
  const ended = await watched([[0.1, 1]], '--threshold 0.2 --reads 3 --json');
  expect(ended).toMatchObject({ exit: 0, reads: 3, slept: [10_000, 10_000] });
  expect(JSON.parse(ended.stdout)).toMatchObject({ summary: { rows: 1, reads: 3, crossed: false } });
});

test('without a ratio the share of displaced positions counts', async () => {
  const ran = await watched(
    [
      [undefined, 2],
      [undefined, 3],
    ],
    '--threshold 0.3 -o tsv',
  );
  expect(ran).toMatchObject({ exit: 8, reads: 2 });
  expect(ran.stderr).toContain('the share of displaced positions is 0.3');
});

describe('it ends', () => {
  test('at Ctrl-C with 130', async () => {
    expect(await watched([[0.1, 1]], '--threshold 0.2')).toMatchObject({ exit: 130 });
  });

  test('with 3 where nothing can be watched', async () => {
    const ran = await watched([[undefined]], '', { total: undefined, data: [{ id: 'entry_1' }] });
    expect(ran).toMatchObject({ exit: 3, stdout: '', reads: 1 });
    expect(ran.stderr).toContain('states no drift ratio and no checked positions');
  });

  test.each(['--threshold 1.5', '--threshold x', '--threshold -1', '--interval 0', '--reads 0'])(
    'with 2 for %s',
    async (flags) => {
      expect(await watched(STATES, flags)).toMatchObject({ exit: 2, reads: 0 });
    },
  );
});

test('a signal that --max-time gives ends it with 0', async () => {
  const late = new Fault('network', 'not done within 5 s');
  const controller = new AbortController();
  server = await misbehave(always(answer(200, JSON.stringify({ name: 'arc', drift_ratio: 0.1, data: [] }))));
  const ran = await arx(dir, `--base-url ${server.url} sequence watch arc --threshold 0.2 -o ndjson`, {
    env: { ARX_TOKEN: 'tok_any' },
    signal: controller.signal,
    sleep: async () => {
      controller.abort(late);
      throw late;
    },
  });
  expect(ran).toMatchObject({ exit: 0 });
  expect(recordsOf(ran)).toHaveLength(1);
});
