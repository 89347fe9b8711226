// The real walk over a real port against a service with injected faults and writes: the list is exact, or said to be incomplete.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WalkReport } from '../../src/contract/reports/walk.ts';
import type { FaultLogEntry } from '../../src/service/fault-injection/index.ts';
import { DRIFT_FAULTS } from '../../src/service/fault-injection/drift.ts';
import { DRIFT_MODES } from '../../src/contract/injected-faults.ts';
import { sampleArchive, tokenFor, type Sample } from '../support/archive.ts';
import { arx, recordsOf } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { serve, type Served } from '../support/served.ts';

const SIZE = 300;
/** Three apart, as in a real archive: numbers say what is before what, but not what is next. */
const TRUTH = Array.from({ length: SIZE }, (_, n) => `conv_${3 * n + 3}`);

let sample: Sample;
let token: string;
let dir: string;
let served: Served | undefined;
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 3 * SIZE, messages: 1, attachments: 0 });
  for (const table of ['conversations', 'messages', 'raws']) {
    await sample.archive.database.run(`DELETE FROM ${table} WHERE n % 3 <> 0`);
  }
  token = await tokenFor(sample.service);
});
afterAll(() => sample.close());
beforeEach(() => void (dir = tempFolder('faults')));
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const asks = (command: string) =>
  arx(dir, `--base-url ${served?.base_url} ${command}`, { env: { ARX_TOKEN: token } });

/** A walk of what `arx serve` with these flags serves, what it gave out, and what the service says it did. */
async function walked(flags: string, options = '--limit 50') {
  const argv = [...flags.split(' '), '--drift-log', 'drift.ndjson'];
  served = await serve(dir, argv, { ARX_DATA_DIR: sample.dir });
  const ran = await asks(`conversations walk -o ndjson --report report.json ${options}`);
  const linesOf = (name: string) => readFileSync(join(dir, name), 'utf8').split('\n').filter(Boolean);
  return {
    exit: ran.exit,
    shown: recordsOf(ran).map(({ id }) => id as string),
    stderr: ran.stderr,
    report: WalkReport.parse(JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'))),
    log: linesOf('drift.ndjson').map((line) => JSON.parse(line) as FaultLogEntry),
  };
}

describe.each(DRIFT_MODES)('mode %s', (mode) => {
  test.each([1, 2])('all kinds at 0.21 on a failing line, seed %i', async (seed) => {
    const faults = `--drift-faults ${DRIFT_FAULTS.join()} --transport-faults 0.1`;
    const { exit, shown, report, log } = await walked(
      `--drift 0.21 --drift-mode ${mode} --drift-seed ${seed} ${faults}`,
    );
    expect(shown).toEqual(TRUTH.slice(0, shown.length));
    expect([exit, shown.length]).toEqual(exit === 8 ? [8, shown.length] : [0, SIZE]);
    expect(report.verdict).toBe(exit === 0 ? 'complete' : 'incomplete');
    // It was no honest service.
    expect(log.filter((entry) => entry.type === 'read' && entry.fault !== null).length).toBeGreaterThan(0);
    expect(log.filter((entry) => entry.type === 'transport').length).toBeGreaterThan(0);
  });
});

test.each(['append:10:4', 'insert:5:5', 'delete:5:5', 'append:5:7,insert:3:5,delete:3:6'])(
  'writes %s: a list of some moment of the walk',
  async (writes) => {
    const { exit, shown, log } = await walked(`--drift 0.21 --drift-writes ${writes}`);
    const plan = log.flatMap((entry) => (entry.type === 'write' ? [entry] : []));
    expect(plan.length).toBeGreaterThan(2);
    // Rows still to come were never there; the others may have been met or not.
    const { data } = JSON.parse((await asks(`api '/v1/conversations?limit=500&truth=true'`)).stdout) as {
      data: { id: string }[];
    };
    const ends = new Set(data.map(({ id }) => id));
    const moved = new Set(plan.map(({ id }) => id));
    const ever = TRUTH.filter((id) => ends.has(id) || moved.has(id));
    expect(shown).toEqual(ever.filter((id) => shown.includes(id)));
    const throughout = ever.filter((id) => !moved.has(id));
    const end = exit === 0 ? throughout.length : throughout.findLastIndex((id) => shown.includes(id)) + 1;
    expect(throughout.slice(0, end).filter((id) => !shown.includes(id))).toEqual([]);
    expect([0, 8]).toContain(exit);
  },
);

describe('what never settles', () => {
  test('ends by itself: unstable, the gap named, the frozen windows kept', async () => {
    const { exit, shown, stderr, report } = await walked(
      '--drift 0:1 --drift-faults scramble --drift-seed 3',
      '--limit 8 --freeze log --max-requests 250',
    );
    expect(exit).toBe(8);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.length).toBeLessThan(SIZE);
    expect(shown).toEqual(TRUTH.slice(0, shown.length));
    expect(report.requests).toBeLessThanOrEqual(250);
    expect(report.unstable[0]).toMatchObject({ after: shown.at(-1) });
    expect(stderr).toContain(`after ${shown.at(-1)}`);
    const verified = await arx(dir, 'conversations verify log');
    expect([verified.exit, report.frozen.head === null]).toEqual([3, false]);
  });

  test.each([
    ['empty', 1],
    ['oversize', 1],
    ['empty', 0.5],
    ['oversize', 0.5],
    ['empty,loop,oversize,scramble', 0.5],
  ])('pages that break the rules (%s at %d) end in bounds', async (faults, ratio) => {
    const { exit, shown, report } = await walked(`--drift ${ratio} --drift-faults ${faults}`);
    expect(shown).toEqual(TRUTH.slice(0, shown.length));
    expect([exit, shown.length]).toEqual(exit === 0 ? [0, SIZE] : [exit, shown.length]);
    // Rows too many are still rows of the list, so nothing is lost by them.
    expect(ratio === 1 && faults !== 'oversize' ? [11] : [0, 8, 11]).toContain(exit);
    expect(report.requests).toBeLessThan(200);
  });

  test.each([1, 0.5])('pages that show the same rows again (loop at %d) follow no cursor', async (ratio) => {
    served = await serve(dir, ['--drift', String(ratio), '--drift-faults', 'loop'], {
      ARX_DATA_DIR: sample.dir,
    });
    const ran = await asks('conversations walk -o ndjson --limit 50');
    const shown = recordsOf(ran).map(({ id }) => id as string);
    expect(shown).toEqual(TRUTH.slice(0, shown.length));
    expect(ratio === 1 ? [3] : [0, 3, 8, 11]).toContain(ran.exit);
  });
});
