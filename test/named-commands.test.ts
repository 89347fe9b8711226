// Every command that a text of the program names, in its code, help or manual, has the options that are named with it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wrongCommandsIn } from './support/named-commands.ts';

const ROOT = join(import.meta.dirname, '..');
const texts = [
  ...readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|md)$/.test(name))
    .map((name) => join('src', name)),
  'README.md',
  ...readdirSync(join(ROOT, 'test', 'transcripts')).map((name) => join('test', 'transcripts', name)),
];

test('texts name no option that the command lacks', () => {
  expect(texts.length).toBeGreaterThan(800);
  expect(
    texts.flatMap((path) =>
      wrongCommandsIn(readFileSync(join(ROOT, path), 'utf8'), { isCode: !path.endsWith('transcript') }).map(
        (wrong) => `${path}: ${wrong}`,
      ),
    ),
  ).toEqual([]);
});

test.each([
  ['exact: arx events types --all', ['arx events types --all: --all']],
  ["next: arx search 'a --b' --nothing; all", ['arx search VALUE --nothing: --nothing']],
  ['arx attachments ls --all lists them, --nothing', []],
  ['hint: arx attachments get att_1', ['arx attachments get att_1: no such command']],
])('%s', (text, wrong) => {
  expect(wrongCommandsIn(text)).toEqual(wrong);
});
