// A service that is started again with a lower --max-tier than a token has: every command states the tier that it gives.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ArchiveReport } from '../../src/contract/reports/whole-archive.ts';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { serve } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

test('report and whoami state the tier that the service gives now', async () => {
  const dir = tempFolder('lowered-tier');
  const reader = tempFolder('lowered-tier-reader');
  await sampleData(join(dir, 'data'));
  const first = await serve(dir, ['--max-tier', 'internal']);
  const { base_url: url } = first;
  const { port } = new URL(url);
  const as = (line: string) => arx(reader, `${line} --base-url ${url}`);
  const login = await as('login --client-id me --observer-tier internal');
  expect([login.exit, login.stdout]).toEqual([0, expect.stringContaining('internal')]);
  const before = await as('report --json');
  expect((JSON.parse(before.stdout) as ArchiveReport).reader.tier).toBe('internal');
  await first.close();

  const second = await serve(dir, ['--port', port, '--max-tier', 'external']);
  const report = await as('report --json --html page.html');
  expect((JSON.parse(report.stdout) as ArchiveReport).reader.tier).toBe('external');
  expect(report.stderr).toContain(
    'the token is for tier internal, and the service gives tier external now\n',
  );
  expect(readFileSync(join(reader, 'page.html'), 'utf8')).not.toContain('tier internal');
  // Each command says it once. What shows the token without a request says it too.
  for (const line of ['messages ls --limit 1 --fields id', 'messages ls --walk'])
    expect((await as(line)).stderr.split('the token is for tier')).toHaveLength(2);
  const whoami = await as('whoami --json');
  expect(JSON.parse(whoami.stdout)).toMatchObject({ access_tier: 'internal', given_tier: 'external' });
  expect(whoami.stderr).toContain('the token is for tier internal, and the service gave tier external');
  await second.close();

  const third = await serve(dir, ['--port', port, '--max-tier', 'internal']);
  expect((await as('messages ls --limit 1')).stderr).toContain('the service gives tier internal again\n');
  const again = await as('whoami');
  expect(again.stderr).toBe('');
  expect(again.stdout).not.toContain('external');
  await third.close();
});
