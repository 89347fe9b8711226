// Dates of records and trees on a terminal: in the zone of the user, with --utc in UTC, as those of tables.
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeAll(async () => {
  dir = tempFolder('record-instants');
  await sampleData(join(dir, 'data'));
  await arx(dir, 'login --observer-tier internal');
});

test.each([
  'read conv_1',
  'conversations show conv_1',
  'messages show msg_1',
  'content get msg_1',
  'whoami',
  'health',
])('%s', async (line) => {
  const world = { columns: 100, env: { LANG: 'C.UTF-8', TZ: 'Asia/Kolkata' } };
  const local = (await arx(dir, line, world)).stdout;
  expect(local).toMatch(/\d\d:\d\d UTC\+5:30/);
  const others = /\dT\d\d:\d\d:|\d\d:\d\d UTC(?!\+5:30)/;
  expect(local).not.toMatch(others);
  expect((await arx(dir, `${line} --utc`, world)).stdout).toMatch(/\d\d:\d\d UTC(?!\+)/);
  expect((await arx(dir, `${line} --relative`, world)).stdout).toMatch(/ ago|in \d|just now/);
  expect((await arx(dir, `${line} --json`, world)).stdout).toMatch(/\dT\d\d:\d\d:/);
});
