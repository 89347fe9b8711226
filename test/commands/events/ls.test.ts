// `arx events ls`: one page, all events, their number, and the first ones of an order.
import { beforeAll, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { sampleData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const home = tempFolder('events');
const ran = (line: string) => arx(home, line, { env: { ARX_DATA_DIR: `${home}/data` } });
const idsOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[0]!);

beforeAll(async () => {
  await sampleData(`${home}/data`);
  for (let n = 1; n <= 25; n += 1)
    await ran(`events send mirror.detected --id own_${String(n).padStart(2, '0')} --payload '{"layer":"x"}'`);
});

test('all events are listed once, with a summary that proves it', async () => {
  const { stdout, exit } = await ran('events ls --all --json');
  const { data, summary } = JSON.parse(stdout) as { data: { id: string }[]; summary: object };
  const ids = data.map(({ id }) => id);
  expect(exit).toBe(0);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => id.startsWith('own_'))).toHaveLength(25);
  expect(summary).toMatchObject({ rows: ids.length, total: ids.length, has_more: false, complete: true });
  expect((await ran('events ls --count')).stdout.trim()).toBe(String(ids.length));
});

test('one page says how to go on, and that command exists', async () => {
  const { stderr } = await ran('events ls --limit 2');
  expect(stderr).toContain('all rows: arx events ls --all');
});

test.each([
  // All came at one moment, in this order.
  ['--sort -received --limit 2', ['own_01', 'own_02']],
  ['--since 2100', ['']],
])('%s', async (options, ids) => {
  expect(idsOf((await ran(`events ls ${options} -o tsv`)).stdout)).toEqual(ids);
});
