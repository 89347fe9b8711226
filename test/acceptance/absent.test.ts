// Files that are available, withheld (a redaction) or absent (the archive never had their bytes), each with its reason, in every command.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { arx, recordsOf } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { zipOf } from '../support/zip.ts';

const dir = tempFolder('absent');
const file = (id: string, more: object = {}) => ({
  id,
  name: `${id}.txt`,
  mimetype: 'text/plain',
  mode: 'hosted',
  size: 9,
  ...more,
});
const say = (ts: string, ...files: object[]) => ({ type: 'message', user: 'U1', text: 'hello', ts, files });

beforeAll(async () => {
  const day = [
    say('1704200000.1', file('F1'), file('F2')),
    say('1704200001.1', file('F3', { mode: 'external' }), file('F4', { mode: 'tombstone' })),
    say('1704200002.1', file('F5')),
  ];
  writeFileSync(
    join(dir, 'slack.zip'),
    zipOf({
      'users.json': '[]',
      'channels.json': '[{"id":"C1","name":"general"}]',
      'general/2024-01-02.json': JSON.stringify(day),
      '__uploads/F1/F1.txt': 'the first',
      '__uploads/F5/F5.txt': 'the fifth',
    }),
  );
  await arx(dir, 'import slack.zip --tier external');
  await arx(dir, 'redact --yes att_5 --reason "names a minor"');
});

const STATES = [
  ['att_1', 'available', null],
  ['att_2', 'absent', 'is not in the export'],
  ['att_3', 'absent', 'is kept outside of Slack'],
  ['att_4', 'withheld', 'deleted in slack'],
  ['att_5', 'withheld', 'names a minor'],
] as const;

test('a list shows three states, each with its reason', async () => {
  const { stdout, exit } = await arx(dir, 'attachments ls --all -o table', {
    columns: 200,
    env: { LANG: 'C.UTF-8', NO_COLOR: '1' },
  });
  expect(exit).toBe(0);
  for (const [id, state, reason] of STATES)
    expect(stdout).toMatch(new RegExp(`${id} +${state}${reason === null ? ' ' : ` \\(${reason}\\) `}`));
  const { summary, data, status } = JSON.parse((await arx(dir, 'attachments ls --all --json')).stdout);
  expect([status, summary]).toMatchObject(['partial', { rows: 5, withheld: 2, absent: 2 }]);
  expect(data.map(({ id, reason = null }: Record<string, string | null>) => [id, reason])).toEqual(
    STATES.map(([id, , reason]) => [id, reason]),
  );
});

test('a file without bytes has no hash, and a declared size', async () => {
  const row = JSON.parse((await arx(dir, 'attachments show att_2 --json')).stdout);
  expect(row).toMatchObject({ redacted: false, file_url: null, bytes: 9 });
  expect(row).not.toHaveProperty('sha256');
  expect(JSON.parse((await arx(dir, 'attachments show att_4 --json')).stdout)).not.toHaveProperty('sha256');
  expect((await arx(dir, 'attachments show att_2 --strict')).stderr).toContain('att_2 is absent');
});

test('a message names its files that cannot be had', async () => {
  const { stdout } = await arx(dir, 'content get msg_2 --json');
  expect(JSON.parse(stdout).data.unavailable).toEqual([
    { id: 'att_3', state: 'absent', reason: 'is kept outside of Slack' },
    { id: 'att_4', state: 'withheld', reason: 'deleted in slack' },
  ]);
  expect((await arx(dir, 'content get msg_3 -o table')).stdout).toMatch(/att_5 +withheld +names a minor/);
});

describe('a pull', () => {
  test('says what it could not get, and why', async () => {
    const ran = await arx(dir, 'attachments pull --all --to dl --json');
    expect(ran.exit).toBe(3);
    expect(ran.stderr).toContain('2 of 5 files are withheld, 2 absent');
    const { files, verdicts } = JSON.parse(ran.stdout);
    expect(verdicts).toMatchObject({ match: 1, withheld: 2, absent: 2, missing: 0 });
    expect(
      files.map(({ id, verdict, reason = null }: Record<string, string | null>) => [id, verdict, reason]),
    ).toEqual(STATES.map(([id, state, reason]) => [id, state === 'available' ? 'match' : state, reason]));
  });

  test('is verified with the same three states, and exported with them', async () => {
    for (const line of ['verify dl', 'verify dl --offline', 'verify dl --against catalogue']) {
      const ran = await arx(dir, `attachments ${line} -o ndjson`);
      const seen = recordsOf(ran).flatMap(({ id, verdict, reason = null }) =>
        id === undefined ? [] : [[id, verdict, reason]],
      );
      expect([line, ran.exit, seen]).toEqual([
        line,
        3,
        STATES.map(([id, state, reason]) => [id, state === 'available' ? 'match' : state, reason]),
      ]);
    }
    const bag = await arx(dir, 'attachments export dl --to bag.zip --json');
    expect(JSON.parse(bag.stdout)).toMatchObject({
      files: 1,
      withheld: ['att_4', 'att_5'],
      absent: ['att_2', 'att_3'],
    });
    expect((await arx(dir, 'attachments verify bag.zip')).exit).toBe(0);
  });
});
