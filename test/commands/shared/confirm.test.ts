// Commands that change or delete something: --dry-run, the question on a terminal, --yes elsewhere.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { sampleData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const template = tempFolder('confirm-template');
let made: Promise<void> | undefined;
let dir: string;
beforeEach(async () => {
  await (made ??= sampleData(join(template, 'data')));
  dir = tempFolder('confirm');
  cpSync(template, dir, { recursive: true });
  await arx(dir, 'config set --profile work timeout 5');
  await arx(dir, 'login');
  await arx(dir, 'login --profile work');
});

/** What each command changes, as another command shows it. */
const state = async (): Promise<string> => {
  const shown = [];
  for (const line of [
    'attachments show att_1 --json',
    'profile ls',
    'config get timeout --profile work',
    'fsck',
    'tokens ls',
  ])
    shown.push((await arx(dir, line)).stdout);
  shown.push((await arx(dir, 'logout --all --dry-run')).stdout);
  return shown.join('\n');
};

const COMMANDS = ['redact att_1', 'logout --all', 'profile rm work', 'tokens revoke --all'] as const;

test.each(COMMANDS)('%s', async (line) => {
  const before = await state();
  expect((await arx(dir, `${line} --dry-run`)).exit).toBe(0);
  expect(
    (await arx(dir, `${line} --dry-run`)).stderr + (await arx(dir, `${line} --dry-run`)).stdout,
  ).toContain('would');
  expect(await state()).toBe(before);

  const unasked = await arx(dir, line);
  expect(unasked).toMatchObject({ exit: 2, stdout: '' });
  expect(unasked.stderr).toContain('--yes is missing, and there is no terminal to ask on');
  expect(await arx(dir, `${line} --no-input`, { columns: 80, typed: ['y'] })).toMatchObject({ exit: 2 });
  for (const typed of [['n'], [''], ['yess'], []])
    expect(await arx(dir, line, { columns: 80, typed })).toMatchObject({ exit: 2, stdout: '' });
  expect(await state()).toBe(before);

  expect(await arx(dir, line, { columns: 80, typed: ['Y'] })).toMatchObject({ exit: 0 });
  expect(await state()).not.toBe(before);
});

test.each(COMMANDS)('%s --yes asks nothing', async (line) => {
  const before = await state();
  expect(await arx(dir, `${line} --yes`)).toMatchObject({ exit: 0 });
  expect(await state()).not.toBe(before);
});

test('profile rm: the default profile stays, an unknown one is refused, the one in use is no longer it', async () => {
  expect(await arx(dir, 'profile rm default --yes')).toMatchObject({ exit: 2 });
  expect(await arx(dir, 'profile rm nobody --yes')).toMatchObject({ exit: 2 });
  await arx(dir, 'profile use work');
  expect((await arx(dir, 'profile rm work --yes --json')).stdout).toBe(
    '{"profile":"work","settings":1,"tokens":1,"deleted":true}\n',
  );
  expect((await arx(dir, 'config get profile')).stdout).toBe('default\n');
});

test('redact says how many attachments have the same bytes', async () => {
  mkdirSync(join(dir, 'two'));
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(dir, 'two', name), 'same');
  expect((await arx(dir, 'import two')).exit).toBe(0);
  const ls = await arx(dir, `attachments ls --all --name '[ab].txt' --template '{{id}}'`);
  const ids = ls.stdout.trimEnd().split('\n');
  expect(ids).toHaveLength(2);
  const ran = await arx(dir, `redact ${ids[0]} --dry-run`);
  expect(ran.stderr).toContain(`would withhold ${ids[0]} (2 attachments with the same bytes)`);
});

test('import --dry-run counts as an import does, and stores nothing', async () => {
  const mail = (n: number) =>
    `From a@x Mon Jan  1 00:00:00 2024\nMessage-ID: <${n}@x>\nSubject: ${n}\n\nb\n\n`;
  writeFileSync(join(dir, 'a.mbox'), mail(1) + mail(2) + mail(1));
  const empty = tempFolder('confirm-empty');
  writeFileSync(join(empty, 'a.mbox'), mail(1) + mail(2) + mail(1));
  const first = await arx(empty, 'import a.mbox --dry-run --json');
  expect(JSON.parse(first.stdout)).toMatchObject({
    dry_run: true,
    conversations: 0,
    sources: [{ messages: { read: 3, stored: 2, known: 1, refused: 0 } }],
  });
  expect((await arx(empty, 'fsck')).exit).toBe(6);

  const before = await state();
  const dry = JSON.parse((await arx(dir, 'import a.mbox --dry-run --json')).stdout) as { sources: object[] };
  expect(await state()).toBe(before);
  const real = JSON.parse((await arx(dir, 'import a.mbox --json')).stdout) as { sources: object[] };
  expect(dry.sources).toEqual(real.sources);
  const again = JSON.parse((await arx(dir, 'import a.mbox --dry-run --json')).stdout) as {
    sources: object[];
  };
  expect(again.sources).toMatchObject([{ messages: { stored: 0, known: 3 } }]);
});

test('a redaction that is not there is not undone, and nobody is asked', async () => {
  const before = await state();
  for (const line of ['redact att_1 --undo', 'redact att_1 --undo --dry-run', 'redact att_1 --undo --yes']) {
    const { exit, stderr } = await arx(dir, line);
    expect([exit, stderr]).toEqual([0, 'arx: att_1 is not redacted: nothing to undo\n']);
  }
  expect(await state()).toBe(before);
  await arx(dir, 'redact att_1 --yes');
  const { stderr } = await arx(dir, 'redact att_1 --undo --dry-run');
  expect(stderr).toBe('arx: dry run, nothing is changed; would make att_1 readable again\n');
  const undone = await arx(dir, 'redact att_1 --undo --yes --jq .redacted');
  expect(undone).toMatchObject({ exit: 0, stdout: 'false\n', stderr: '' });
});
