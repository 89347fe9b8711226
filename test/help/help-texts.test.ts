// Every topic of `arx help`: it fits a terminal, its facts come from the code, and its words are in the glossary.
import { describe, expect, test } from 'vitest';
import { GLOBAL_OPTIONS } from '../../src/command-list/global-options.ts';
import { HELP_TOPIC_NAMES, HELP_TOPICS } from '../../src/command-list/help-topics.ts';
import { COMMAND_LIST, NOUNS } from '../../src/command-list/index.ts';
import { SETTING_KEYS } from '../../src/config/setting-keys.ts';
import { SEARCH_FACETS } from '../../src/contract/search/parameters.ts';
import { MANIFEST_FILE } from '../../src/download/manifest.ts';
import { EXIT } from '../../src/exit.ts';
import { overview } from '../../src/help/overview.ts';
import { topicBlocks, topicText } from '../../src/help/help-texts.ts';

/** Words that a newcomer cannot know: where one is used, the glossary has to define it. */
const SPECIAL_WORDS = [
  'absent',
  'acknowledgement',
  'adjacency',
  'bag',
  'catalogue',
  'cross-check',
  'cursor',
  'dead',
  'displaced',
  'drift',
  'drift ratio',
  'entry',
  'envelope',
  'faulty read',
  'fixity',
  'freeze',
  'frozen log',
  'frozen window',
  'glyph',
  'integrity',
  'journal',
  'local archive',
  'lore',
  'manifest',
  'mirror',
  'observer tier',
  'pipeline',
  'position',
  'profile',
  'raw view',
  'redacted',
  'relay',
  'scope',
  'sequence',
  'settled',
  'stale answer',
  'stego',
  'superseded',
  'tier',
  'verdict',
  'waiting',
  'walk',
  'window',
  'withheld',
];

/** Words that arx no longer uses for these things. */
const ABANDONED_WORDS =
  /\b(witness|testimony|lies?|lying|ledger|desk|crew|lanes?|borne|befell|told|hole|trial|ordeal|gatekeeper|doorkeeper)\b/i;

const helpLines = [
  ...GLOBAL_OPTIONS.map(([, description]) => description),
  ...Object.values(NOUNS),
  ...Object.values(HELP_TOPICS),
  ...COMMAND_LIST.flatMap(({ summary, options = [], arguments: given = [] }) => [
    summary,
    ...options.map(([, description]) => description),
    ...given.map(([, description]) => description),
  ]),
];
const texts = HELP_TOPIC_NAMES.map((topic) => [topic, topicText(topic)] as const);
const everything = [...helpLines, ...texts.map(([, text]) => text)].join('\n');
const terms = topicBlocks('glossary').flatMap((block) =>
  block.kind === 'definition' ? [block.term.replaceAll('*', '')] : [],
);

describe.each(texts)('arx help %s', (_, text) => {
  test('fits 80 columns', () => {
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
  test('has no mark of Markdown left, and ends with one newline', () => {
    expect(text).not.toMatch(/`|\*\*|^\s*\{\{|\]\(/m);
    expect(text).toMatch(/[^\n]\n$/);
  });
});

test.each([36, 40, 60])('on a terminal of %i columns no word of a topic is broken', (width) => {
  for (const topic of HELP_TOPIC_NAMES) {
    const words = new Set(topicText(topic, width).split(/\s+/));
    const short = topicText(topic)
      .split(/\s+/)
      .filter((word) => word.length <= 24);
    expect(short.filter((word) => word !== word.toUpperCase() && !words.has(word))).toEqual([]);
    const examples = new Set(
      topicBlocks(topic).flatMap((block) => (block.kind === 'code' ? block.lines : [])),
    );
    const tooLong = topicText(topic, width)
      .split('\n')
      .filter((line) => line.length > width && !examples.has(line.trim()));
    expect(
      tooLong.filter((line) => line.trim().includes(' ') && !/^ {4}|^ {2}(?:arx |--)/.test(line)),
    ).toEqual([]);
  }
  const tooLong = overview(width)
    .split('\n')
    .filter((line) => line.length > width);
  expect(tooLong.filter((line) => !line.startsWith('  arx '))).toEqual([]);
});

test('exit codes, settings and topics are those of the code', () => {
  const codes = topicText('exit-codes');
  for (const [kind, code] of Object.entries(EXIT)) {
    if (kind !== 'interrupted') expect(codes).toContain(`${code} ${kind}`);
  }
  const settings = topicText('environment');
  for (const key of SETTING_KEYS) expect(settings).toContain(`\n  ${key} `);
  for (const [, topic] of everything.matchAll(/arx help ([a-z-]+)/g)) {
    expect([...HELP_TOPIC_NAMES, ...terms]).toContain(topic);
  }
});

test('options that the topics name are options of a command', () => {
  const known = new Set([
    '--help',
    '--version',
    ...[...GLOBAL_OPTIONS, ...COMMAND_LIST.flatMap(({ options = [] }) => options)].flatMap(
      ([syntax]) => syntax.match(/--[\w-]+/g) ?? [],
    ),
  ]);
  const named = texts.flatMap(([, text]) => text.match(/(?<=[\s(])--[a-z][\w-]+/g) ?? []);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('the glossary defines every special word that help uses, once', () => {
  const used = SPECIAL_WORDS.filter((word) => new RegExp(`\\b${word}\\b`, 'i').test(everything));
  expect(used.filter((word) => !terms.some((term) => term.split(' ').join(' ').includes(word)))).toEqual([]);
  expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
});

test('no help points to a file of the source, which a user does not have', () => {
  expect(everything.split('\n').filter((line) => /\b(?:src|test)\/|of the source\b/.test(line))).toEqual([]);
});

test('the section on scripts says how a pipe fails where arx fails', () => {
  const [, scripts = ''] = topicText('output').split(/^(?:## )?scripts$/im);
  expect(scripts.split(/^(?:## )?text of/im)[0]).toContain('set -o pipefail');
});

test('abandoned words are in no help line and no topic', () => {
  expect(everything.split('\n').filter((line) => ABANDONED_WORDS.test(line))).toEqual([]);
});

test('help queries names the values of --facet', () => {
  const [, values = ''] = /--facet\s+prints ([^;]+);/.exec(topicText('queries')) ?? [];
  expect(SEARCH_FACETS.filter((name) => !new RegExp(String.raw`\b${name}\b`).test(values))).toEqual([]);
});

test('the help of completion says which values it knows', () => {
  expect(topicText('environment')).toMatch(/proposed once\s+a\s+list\s+or\s+a\s+search\s+has\s+shown\s+them/);
  expect(COMMAND_LIST.find(({ words }) => words === 'completion')?.topics).toContain('environment');
});

test('the help names every file that a pull leaves beside what it downloads', () => {
  for (const name of [MANIFEST_FILE, '.part', '.unfinished', '.undecided'])
    expect(topicText('files')).toContain(name);
});
