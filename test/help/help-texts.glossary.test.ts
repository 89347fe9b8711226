// Every term of the output is a word that needs no explanation, or stands in the glossary.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_LIST } from '../../src/command-list/index.ts';
import { printedRecord } from '../../src/command-list/printed-records.ts';
import { fieldsOf } from '../../src/contract/record-fields.ts';
import { FIELDS_OF_HEADING } from '../../src/format/heading-fields.ts';
import * as views from '../../src/format/views/index.ts';

/** Everyday words, and words of HTTP, mail, files and databases, which everybody who uses a command line knows. */
const PLAIN = new Set(
  (
    'a b base access fsck trigger indexed about action actual added after ahead algorithms alias all archives at attempts base64 before began behind body by bytes cc ' +
    'change changed changes check cities checked checks city class client code compared config content copied count counts created current ' +
    'data database date deleted depth detail differing dir directory dropped dry dsn encoding end engine entries equal error ' +
    'expected expired expires fact failed fetch field fields file filename files findings finding finished first format formats ' +
    'forgotten forwarded found from given groups header headers html id ids in issued kept key kind known last layer left line lines links list ' +
    'listed lists looked lost lowest made mark matched max meaning message messages metrics minimal month moved ms name named not notice ' +
    'notices obtained of only or others out pages parts path pid place positions problem problems raw read reader reads reason ' +
    'reasons received refused required response resumed rows run same script seen section sender sent service settings severity sha256 shell ' +
    'side since size skipped start started state stated status stored subject subjects summary tables taken text there time to token ' +
    'tokens topic total truncated type types unavailable unchecked is explained undated unknown unreadable until upgraded uptime url ' +
    'value values verification version view warnings what where window windows writable damaged asset assets answered was accepted now newly'
  ).split(' '),
);

/** Returns the bold words of the glossary in lower case. */
function glossaryTerms(): Set<string> {
  const text = readFileSync(join(import.meta.dirname, '../../src/help/topics/glossary.md'), 'utf8');
  return new Set(Array.from(text.matchAll(/^- \*\*([^*]+)\*\*/gm), ([, term = '']) => term));
}

/** Returns the names of fields, of columns and of headings, each with a command or view that has it. */
function printedNames(): Map<string, string> {
  const names = new Map<string, string>();
  for (const { words } of COMMAND_LIST)
    for (const isOneRowPerLine of [true, false]) {
      const run = { given: {}, isOneRowPerLine, isRemote: false, isSelection: true };
      const schema = printedRecord(words, run);
      for (const { name } of schema === undefined ? [] : fieldsOf(schema))
        names.set(name.split('.').at(-1) ?? '', words);
    }
  for (const name of FIELDS_OF_HEADING.keys()) names.set(name, 'a heading');
  for (const [view, value] of Object.entries(views))
    if (typeof value === 'object' && 'columns' in value)
      for (const { name } of value.columns) names.set(name, view);
  return names;
}

test('each name in the output is plain, or a term of the glossary', () => {
  const terms = glossaryTerms();
  const isTerm = (words: string): boolean =>
    [words, words.replace(/s$/, ''), `${words} view`, `${words} row`].some((each) => terms.has(each));
  const isExplained = (name: string): boolean => {
    const words = name.replaceAll('_', ' ').replace(/ (?:ms|id|at)$/, '');
    return isTerm(words) || words.split(' ').every((word) => PLAIN.has(word) || isTerm(word));
  };
  const names = printedNames();
  expect(names.size).toBeGreaterThan(250);
  expect([...names].filter(([name]) => !isExplained(name))).toEqual([]);
});

test.each([
  'timeline offset',
  'session drift',
  'drift ratio',
  'confidence',
  'disagreement',
  'effect',
  'fixity',
])('the glossary has %s', (term) => {
  expect(glossaryTerms()).toContain(term);
});
