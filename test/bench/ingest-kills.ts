// Kills processes that serve under ingest load, on both engines; bundled by ingest-kill.mjs.
import { killIngest } from '../support/killed-ingest.ts';

export type KillSizes = { launcher: string; kills: number; events: number; restarts: number; seed: number };

/** Rows of a table, one an engine; `kills` and `events` are shared between them. */
export async function measureIngestKills({ launcher, kills, events, restarts, seed }: KillSizes) {
  const rows: Record<string, string | number>[] = [];
  for (const engine of ['sqlite', 'postgres'] as const) {
    const begun = performance.now();
    const half = { kills: Math.ceil(kills / 2), events: Math.ceil(events / 2) };
    const outcome = await killIngest({
      engine,
      launcher,
      ...half,
      restarts: engine === 'postgres' ? restarts : 0,
      seed,
    });
    if (outcome === undefined) continue;
    const minutes = (performance.now() - begun) / 60_000;
    rows.push({ engine, ...outcome, minutes: minutes.toFixed(1) });
  }
  return rows;
}
