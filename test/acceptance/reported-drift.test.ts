// Injected drift is reported in body, header, health and token, is reproducible by seed, and affects lists only.
import { expect, test } from 'vitest';
import { Token } from '../../src/contract/access-token.ts';
import { parseDrift } from '../../src/service/fault-injection/options.ts';
import { sampleArchive, tokenFor } from '../support/archive.ts';
import { call } from '../support/call.ts';

const drift = { ...parseDrift('0.9:1'), seed: 7 };

async function reads(): Promise<{ pages: string[]; ratios: number[] }> {
  const sample = await sampleArchive({ conversations: 60, messages: 1, attachments: 0, faults: { drift } });
  try {
    const token = await tokenFor(sample.service, 'internal');
    const pages: string[] = [];
    const ratios: number[] = [];
    for (let n = 1; n <= 20; n += 1) {
      const { json, headers, text } = await call(
        sample.service,
        `/v1/conversations?limit=10&starting_after=conv_${n}`,
        { token },
      );
      expect(headers['x-drift-ratio']).toBe(String(json.drift_ratio));
      pages.push(text);
      ratios.push(json.drift_ratio);
    }
    const misordered = await call(
      sample.service,
      '/v1/conversations?starting_after=conv_3&ending_before=conv_2',
      {
        token,
      },
    );
    expect(misordered.status).toBe(409);
    expect((await call(sample.service, '/api/health')).json.drift_ratio).toBeGreaterThanOrEqual(0.9);
    expect(
      (await call(sample.service, '/v1/conversations/conv_3', { token })).json.messages.data,
    ).toHaveLength(1);
    return { pages, ratios };
  } finally {
    await sample.close();
  }
}

test('the same seed and requests give the same faults, and the ratio rises', async () => {
  const first = await reads();
  expect(await reads()).toEqual(first);
  expect(first.ratios[0]).toBe(0.9);
  expect(first.ratios.at(-1)).toBeGreaterThan(0.9);
  const truth = first.pages.filter((page, at) => {
    const ids = (JSON.parse(page) as { data: { id: string }[] }).data.map(({ id }) => id);
    return ids.join() === Array.from({ length: 10 }, (_, index) => `conv_${at + 2 + index}`).join();
  });
  expect(truth.length).toBeLessThan(10);
});

test('a token reports the drift in milliseconds', async () => {
  const sample = await sampleArchive({ conversations: 1, faults: { drift } });
  try {
    const body = { client_id: 'c', observer_tier: 'external', requested_tier: 'external' };
    const token = Token.parse((await call(sample.service, '/api/auth/token', { body })).json);
    expect(token).toMatchObject({ timeline_offset_ms: -900, session_drift_ms: 90 });
  } finally {
    await sample.close();
  }
});
