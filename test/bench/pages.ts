// Measures pages at three depths through the real client and the in-process transport; bundled by page.mjs.
import { createInProcessTransport, EMBEDDED_BASE_URL } from '../../src/client/in-process.ts';
import { createClient } from '../../src/client/index.ts';
import { sampleArchive, tokenFor } from '../support/archive.ts';

const ROWS = 20_000;
const ROUNDS = 200;

export async function measurePages(): Promise<Record<string, string>[]> {
  const sample = await sampleArchive({ conversations: 5000, messages: 2, attachments: ROWS });
  try {
    const token = await tokenFor(sample.service, 'internal');
    const client = createClient({
      baseUrl: EMBEDDED_BASE_URL,
      transport: createInProcessTransport({ [EMBEDDED_BASE_URL]: sample.service }),
      bearer: async () => token,
      world: {
        now: () => Date.now(),
        monotonic: () => performance.now(),
        sleep: async () => {},
        randomBytes: (count) => new Uint8Array(count),
        signal: new AbortController().signal,
      },
    });
    const depths: [string, number][] = [
      ['start', ROUNDS],
      ['middle', ROWS / 2],
      ['end', ROWS - 2 * ROUNDS],
    ];
    const times = new Map<string, number[]>(depths.map(([name]) => [name, []]));
    for (let round = -20; round < ROUNDS; round++) {
      for (const [name, depth] of depths) {
        // Another page each time: those that were read before are cached.
        const starting_after = `att_${depth + round}`;
        const begun = performance.now();
        await client.attachments({ limit: 100, starting_after });
        if (round >= 0) times.get(name)?.push(performance.now() - begun);
      }
    }
    return depths.map(([name]) => {
      const sorted = (times.get(name) ?? []).sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(2) ?? '';
      return { page: name, 'p50 ms': at(0.5), 'p95 ms': at(0.95), goal: '≤ 10 ms' };
    });
  } finally {
    await sample.close();
  }
}
