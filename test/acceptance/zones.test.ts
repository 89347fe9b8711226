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

test('sequence watch: to the second, with the zone in the heading', async () => {
  const line = 'sequence watch arc_reconstruction --reads 1 -o';
  expect((await arx(dir, `${line} table`, zoned)).stdout).toMatch(
    /^AT \(UTC\+5:45\) .*\n─.*\n2026-01-02 08:49:05 /,
  );
  expect((await arx(dir, `${line} table --utc`, zoned)).stdout).toMatch(
    /^AT \(UTC\) .*\n─.*\n2026-01-02 03:04:05 /,
  );
  expect((await arx(dir, `${line} table --relative`, zoned)).stdout).toMatch(/^AT .*\n─.*\njust now /);
  expect((await arx(dir, `${line} tsv`, zoned)).stdout).toMatch(/^2026-01-02T03:04:05\.\d{3}Z\t/);
});

test.each([
  'messages ls --on 2019-04-26 -o table',
  'messages ls --since 2019 --count -o table',
  'conversations ls --until 2019-05 -o table',
  'conversations ls --matching "the since:2019" -o table',
  'attachments ls --since 2019 -o table',
  'attachments cities --on 2019 -o table',
  'search the --before 2020 -o table',
  'search "the on:2019" -o table',
])('%s: says that dates of filters are in UTC', async (line) => {
  const notice = 'arx: dates of filters are in UTC, those of tables in UTC+5:45; --utc shows both in UTC\n';
  expect((await arx(dir, line, zoned)).stderr).toContain(notice);
  for (const other of [`${line} --utc`, `${line} --relative`, line.replace('-o table', '-o tsv')])
    expect((await arx(dir, other, zoned)).stderr).not.toContain('UTC');
  const named = line.replace(/2019[-\d]*|2020/, '2019-04-26T00:00+05:45');
  expect((await arx(dir, named, zoned)).stderr).not.toContain('UTC');
});
