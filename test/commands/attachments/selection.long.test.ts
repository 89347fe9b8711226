// What a pull and a conversation are asked for, of a service whose lists drift: exactly the true rows, or exit 8 (3 where only a count disagrees).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { PullReport } from '../../../src/contract/reports/files.ts';
import { arx } from '../../support/command.ts';
import { serve } from '../../support/served.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** More than two of the largest pages; of a folder, each is also a message of its one conversation. */
const FILES = 1100;
const ids = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${kind}_${index + 1}`);

let dir: string;
beforeAll(async () => {
  dir = tempFolder('selection');
  mkdirSync(join(dir, 'files'));
  for (let n = 1; n <= FILES; n += 1) {
    writeFileSync(join(dir, 'files', `${String(n).padStart(4, '0')}.txt`), `file ${n}`);
  }
  expect((await arx(dir, 'import files --kind folder')).exit).toBe(0);
});

/** The line against the archive served with such drift, logged in before. */
async function drifting(drift: string, line: string) {
  const served = await serve(dir, ['--drift', ...drift.split(' ')]);
  try {
    const login = '--client-id me --observer-tier internal --requested-tier internal --no-input';
    const at = `--base-url ${served.base_url}`;
    expect((await arx(dir, `login ${login} ${at}`)).exit).toBe(0);
    return await arx(dir, `${line} ${at}`);
  } finally {
    await served.close();
  }
}

// Where every answer is an old one, nothing can be settled, and nothing is given out that is not the list.
test.each([
  ['0.21 --drift-seed 1', 0],
  ['0.21 --drift-seed 2', 0],
  ['1 --drift-faults stale', 8],
])('pull --all with drift %s', async (drift, exit) => {
  const ran = await drifting(drift, 'attachments pull --all --to dl --json');
  expect(ran.exit, ran.stderr).toBe(exit);
  const report = ran.stdout === '' ? { files: [] } : PullReport.parse(JSON.parse(ran.stdout));
  const shown = report.files.map(({ id }) => id);
  expect(shown).toEqual(ids('att', exit === 0 ? FILES : shown.length));
  if (exit === 8) expect(ran.stderr).toMatch(/\[unstable, exit 8\]/);
});

// Nothing settles the end of a list that is old throughout.
test.each([
  ['0.21 --drift-seed 3', 0],
  ['1 --drift-faults stale', 8],
])('conversations show with drift %s', async (drift, exit) => {
  const ran = await drifting(drift, 'conversations show conv_1 --json');
  expect(ran.exit, ran.stderr).toBe(exit);
  const shown =
    ran.stdout === '' ? [] : JSON.parse(ran.stdout).messages.data.map(({ id }: { id: string }) => id);
  expect(shown).toEqual(ids('msg', exit === 0 ? FILES : shown.length));
});
