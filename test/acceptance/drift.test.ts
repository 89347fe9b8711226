// Walks over a service that returns faulty reads by seed: what is shown is true, and "complete" is said only of the exact list.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInProcessTransport, EMBEDDED_BASE_URL } from '../../src/client/in-process.ts';
import { createClient } from '../../src/client/index.ts';
import { conversationSource } from '../../src/commands/conversations/walk-source.ts';
import { createService } from '../../src/service/index.ts';
import { DRIFT_FAULTS, type DriftFault, type DriftOptions } from '../../src/service/fault-injection/drift.ts';
import { createFaultPlan, parseDrift } from '../../src/service/fault-injection/index.ts';
import { walk } from '../../src/walk/walk.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { sampleArchive, tokenFor, type Sample } from '../support/archive.ts';

/** Conversations and the page size to walk them with. */
const ARCHIVES = [
  { size: 60, limit: 10 },
  { size: 500, limit: 50 },
] as const;
type Mode = 'boundary' | 'full';
/**
 * Drift, kind of fault (undefined: all), what the cross-check source is asked, and the least share of complete walks.
 * `trusted`: no row may ever be shown out of place. Reads that share one stale state agree with each other, so only the
 * cross-check source shows the fault. Where every read is faulty nothing does: then no wrong list may be called complete.
 */
const CASES: [
  ratio: string,
  fault: DriftFault | undefined,
  mode: Mode,
  complete: number,
  trusted: boolean,
][] = [
  ['0', undefined, 'boundary', 1, true],
  ['0.05', undefined, 'boundary', 1, true],
  ['0.13', undefined, 'boundary', 1, true],
  ['0.13:0.21', undefined, 'boundary', 1, true],
  ['0.35', undefined, 'boundary', 1, true],
  ['1', undefined, 'boundary', 0, false],
  ['0.21', undefined, 'full', 1, true],
  ...DRIFT_FAULTS.filter((fault) => fault !== 'stale').map(
    (fault) => ['0.21', fault, 'boundary', 1, true] as (typeof CASES)[number],
  ),
  ['0.21', 'stale', 'boundary', 0, false],
  ['0.21', 'stale', 'full', 0, true],
];
/** More of them by hand: ARX_DRIFT_SEEDS=50 also says the figures. */
const SEEDS = Number(process.env['ARX_DRIFT_SEEDS'] ?? 3);

const samples = new Map<number, Sample>();
beforeAll(async () => {
  for (const { size } of ARCHIVES) {
    samples.set(size, await sampleArchive({ conversations: size, messages: 2, attachments: 0 }));
  }
});
afterAll(async () => {
  for (const sample of samples.values()) await sample.close();
});

async function walked(
  { size, limit }: (typeof ARCHIVES)[number],
  crossCheck: Mode,
  drift: DriftOptions | undefined,
) {
  const { archive } = samples.get(size)!;
  const options = { assetUrl: 'http://127.0.0.1:9', version: '0' };
  const service = createService(
    archive,
    drift === undefined ? options : { ...options, faults: createFaultPlan(archive, { drift }) },
  );
  const token = await tokenFor(service);
  const world = fakeWorld();
  const client = createClient({
    baseUrl: EMBEDDED_BASE_URL,
    transport: createInProcessTransport({ [EMBEDDED_BASE_URL]: service }),
    bearer: async () => token,
    world,
  });
  const shown: string[] = [];
  const windows = walk(conversationSource(client), { limit, crossCheck, signal: world.signal });
  let next = await windows.next();
  for (; next.done !== true; next = await windows.next()) shown.push(...next.value.rows.map(({ id }) => id));
  return { shown, ...next.value };
}

describe.each(ARCHIVES)('$size conversations by $limit', (archive) => {
  const truth = Array.from({ length: archive.size }, (_, index) => `conv_${index + 1}`);

  test.each(CASES)('drift %s, fault %s, cross-check %s', async (ratio, faults, mode, least, trusted) => {
    let complete = 0;
    let requests = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const drift = ratio === '0' ? undefined : parseDrift(ratio, seed, faults);
      const { shown, report, fault } = await walked(archive, mode, drift);
      expect(new Set(shown).size).toBe(shown.length);
      expect(report.conversations).toBe(shown.length);
      expect(report.verdict).toBe(fault === undefined ? 'complete' : 'incomplete');
      if (report.verdict === 'complete') expect({ seed, shown }).toEqual({ seed, shown: truth });
      if (trusted) expect({ seed, shown }).toEqual({ seed, shown: truth.slice(0, shown.length) });
      if (fault !== undefined) expect(['unstable', 'protocol']).toContain(fault.kind);
      complete += Number(fault === undefined);
      requests += report.requests / report.minimum_requests / SEEDS;
    }
    if (SEEDS > 3) {
      console.info(
        `${archive.size}, drift ${ratio}, ${faults ?? 'all'}, ${mode}: ${complete}/${SEEDS} complete, ${requests.toFixed(1)}x`,
      );
    } else expect(complete).toBeGreaterThanOrEqual(least * SEEDS);
  });
});
