// Services and their PostgreSQL killed under ingest load: no acknowledged event is lost or applied twice.
import { beforeAll, expect, test } from 'vitest';
import { killIngest } from '../support/killed-ingest.ts';
import { noPostgres } from '../support/postgres.ts';
import { buildProgram, type Program } from '../support/program.ts';

let arx: Program;
beforeAll(() => {
  arx = buildProgram();
});

/** More of them: `npm run bench ingest-kill`. */
const KILLS = 6;

test.each([
  ['sqlite', 0],
  ['postgres', 2],
] as const)('%s', async (engine, restarts) => {
  if (engine === 'postgres' && noPostgres) return;
  const outcome = await killIngest({
    engine,
    launcher: arx.launcher,
    kills: KILLS,
    restarts,
    events: 2_000,
    seed: 1,
  });
  const noted = engine === 'postgres' ? { twice: 0 } : {};
  expect(outcome).toMatchObject({ lost: 0, unapplied: 0, misplaced: 0, ...noted });
  expect(outcome?.acknowledged).toBeGreaterThanOrEqual(2_000);
  expect(outcome?.stored).toBe(outcome?.acknowledged);
});
