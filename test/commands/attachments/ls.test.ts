// `arx attachments ls --strict`: a page that is not the whole list is not all that was asked for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { sampleData } from '../../support/sample.ts';

let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'arx-ls-'));
  await sampleData(join(dir, 'data'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test.each([
  ['--redacted no --limit 1', 0],
  ['--redacted no --limit 1 --strict', 3],
  ['--redacted no --limit 500 --strict', 0],
  ['--redacted no --after att_1 --limit 500 --strict', 3],
  ['--redacted no --all --strict', 0],
])('%s: exit %i', async (line, code) => {
  const { exit, stderr } = await arx(dir, `attachments ls ${line}`);
  expect(exit).toBe(code);
  if (code !== 0) expect(stderr).toMatch(/^arx: the page is not the whole list \[partial, exit 3\]\n.*--all/);
});
