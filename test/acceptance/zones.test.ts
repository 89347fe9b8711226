// Reports name instants as lists do: in the zone of the user, or with --utc. JSON keeps them as they are stored.
import { beforeAll, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

const dir = tempFolder('zones');
const zoned = { env: { TZ: 'Asia/Kathmandu' } };
beforeAll(async () => {
  await sampleData(`${dir}/data`);
  for (const name of ['a', 'b']) expect((await arx(dir, `conversations walk --freeze ${name}`)).exit).toBe(0);
});

test.each([
  ['report', 'read'],
  ['conversations verify a', 'to the end of the list,'],
  ['conversations diff a b -o table', 'complete'],
  ['backup --to copy', 'the archive as it was at'],
  ['archive copy sqlite:data sqlite:other --dry-run', 'the archive as it was at'],
])('%s', async (line, words) => {
  const local = await arx(dir, line, zoned);
  expect(local.stdout).toContain(`${words} 2026-01-02 08:49 UTC+5:45`);
  const utc = await arx(dir, `${line} --utc`, zoned);
  expect(utc.stdout).toContain(`${words} 2026-01-02 03:04 UTC`);
  const json = await arx(dir, `${line} --json`, zoned);
  expect(json.stdout).not.toMatch(/UTC|2026-01-02T08/);
});
