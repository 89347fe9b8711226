// The rows that large benches read are spread as those of real archives: what is measured on them is said of those.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ASSET_URL, sampleArchive, tokenFor, type Sample } from './archive.ts';
import { call } from './call.ts';
import { generate, SPREADS, WITH_FILES, type Generated } from './generated-rows.ts';
import { createService } from '../../src/service/index.ts';

const COUNT = 20_000;
let sample: Sample;
let made: Generated;
beforeAll(async () => {
  sample = await sampleArchive({ conversations: 0, attachments: 0 });
  made = await generate(sample.archive.database, COUNT);
});
afterAll(() => sample.close());

test.each([
  ['threads', 'SELECT message_count AS value FROM conversations'],
  ['messages', 'SELECT raw_bytes AS value FROM messages'],
  ['attachments', 'SELECT bytes AS value FROM attachments'],
] as const)('%s', async (spread, sql) => {
  const rows = await sample.archive.database.all<{ value: number }>(`${sql} ORDER BY value`);
  expect(rows.length).toBeGreaterThanOrEqual(COUNT);
  for (const [share, value] of SPREADS[spread].slice(1, -1)) {
    const at = (rank: number) => rows[Math.floor(rank * rows.length)]!.value;
    expect(at(share - 0.005), `${share}`).toBeLessThanOrEqual(value);
    expect(at(share + 0.005), `${share}`).toBeGreaterThanOrEqual(value);
  }
  const greatest = SPREADS[spread].at(-1)![1];
  expect(rows.at(-1)!.value).toBeLessThanOrEqual(greatest);
  expect(rows.at(-1)!.value).toBeGreaterThan(greatest * 0.9);
});

test('one to ten messages of a hundred have files, and every count agrees', async () => {
  const { database } = sample.archive;
  const row = await database.get<Record<string, number>>(
    `SELECT (SELECT COUNT(*) FROM messages) AS messages, (SELECT COUNT(*) FROM messages WHERE attachments > 0) AS bearing,
      (SELECT CAST(SUM(message_count) AS BIGINT) FROM conversations) AS counted, (SELECT COUNT(*) FROM attachments) AS files,
      (SELECT COUNT(DISTINCT raw_sha256) FROM messages) AS hashes, (SELECT COUNT(*) FROM messages m
        JOIN conversations c ON c.n = m.conversation WHERE m.n >= c.n AND m.n < c.n + c.message_count) AS placed`,
  );
  const { messages } = made;
  expect(row).toMatchObject({
    messages,
    counted: messages,
    hashes: messages,
    placed: messages,
    files: COUNT,
  });
  expect(made).toMatchObject({ conversations: COUNT, attachments: COUNT });
  expect(row!['bearing']! / messages).toBeCloseTo(WITH_FILES, 2);
});

test('they are read by the service as any others', async () => {
  const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0' });
  const token = await tokenFor(service, 'mirror');
  const { json } = await call(service, `/v1/attachments?limit=3&starting_after=att_${COUNT - 3}`, { token });
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual([
    `att_${COUNT - 2}`,
    `att_${COUNT - 1}`,
    `att_${COUNT}`,
  ]);
  expect(json.data[0].sha256).toMatch(/^[0-9a-f]{64}$/);
});
