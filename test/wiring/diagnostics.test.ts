// Messages on a terminal: no word and no command is broken by its width.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

const dir = tempFolder('diagnostics');
beforeAll(async () => {
  await sampleData(join(dir, 'data'));
  mkdirSync(join(dir, 'files'));
});

test.each([
  ['a failure and its hint', 'attachments show att_99999', 3],
  ['a failure of the command line', 'attachments ls --limit many --json', 2],
  ['a notice', 'attachments pull att_1 att_2 att_3 --to files', 1],
])('%s breaks at blanks', async (_what, line, minLines) => {
  const wide = await arx(dir, line, { columns: 1_000 });
  const narrow = await arx(dir, line, { columns: 40 });
  const lines = narrow.stderr.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(minLines);
  // A command, or a record for programs, is left to the terminal.
  expect(lines.filter((each) => each.length > 40 && !/^\s*(?:hint: )?\(?arx |^\{/.test(each))).toEqual([]);
  const words = (text: string) => text.replaceAll(/req_\w+| ·/g, '').replaceAll(/\s+/g, ' ');
  expect(words(narrow.stderr)).toBe(words(wide.stderr));
});
