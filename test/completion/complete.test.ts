// The answers to completion scripts: which values, for which archive, written for which shell.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { complete } from '../../src/completion/complete.ts';
import { addSeenValues } from '../../src/completion/seen-values.ts';
import { COMMAND_LIST } from '../../src/command-list/index.ts';
import { kindsOfArgument, kindsOfOption } from '../../src/completion/value-kinds.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
const outside = () => ({ env: {}, home: dir, platform: 'linux', cwd: dir, uid: process.getuid?.() });
const ask = async (...argv: string[]): Promise<string[]> => (await complete(argv, outside())).split('\n');
const seen = (archive: readonly [string, string], cities: string[]): void =>
  addSeenValues(
    { cache: join(dir, '.cache/arx'), archive: JSON.stringify(archive), uid: process.getuid?.(), pid: 1 },
    { cities: cities.map((city) => [city, '']), messages: [[`${cities[0]}:1`, 'A subject']] },
  );

beforeEach(() => {
  dir = tempFolder('complete');
  mkdirSync(join(dir, '.config/arx'), { recursive: true });
  const settings = { profiles: { work: { base_url: 'https://work.example' }, 'x;id': {} } };
  writeFileSync(join(dir, '.config/arx/config.json'), JSON.stringify(settings), { mode: 0o600 });
  seen([join(dir, '.local/share/arx'), 'default'], ['lisbon', 'new york', `o'b`]);
  seen(['https://work.example', 'work'], ['work city']);
  seen(['https://other.example', 'default'], ['other city']);
});

test('each archive and profile has its own values', async () => {
  expect(await ask('fish', 'cities', '--', '', 'arx')).toEqual(['lisbon\t', 'new york\t', `o'b\t`]);
  expect(await ask('fish', 'cities', '--', '', 'arx', '--profile', 'work')).toEqual(['work city\t']);
  expect(await ask('fish', 'cities', '--', '', 'arx', '--profile=work')).toEqual(['work city\t']);
  expect(await ask('fish', 'cities', '--', '', 'arx', '--base-url', 'https://other.example')).toEqual([
    'other city\t',
  ]);
  expect(await ask('fish', 'cities', '--', '', 'arx', '--base-url', 'https://unknown.example')).toEqual(['']);
  expect(await ask('fish', 'cities', '--', '', 'arx', '--profile', 'gone')).toEqual(['']);
});

test('each shell gets what it reads', async () => {
  expect(await ask('bash', 'cities', '--', 'new', 'arx attachments ls --city new')).toEqual(['new\\ york']);
  expect(await ask('zsh', 'messages', '--', '', 'arx', 'read')).toEqual(['lisbon\\:1:A subject']);
  expect(await ask('fish', 'messages', '--', '', 'arx', 'read')).toEqual(['lisbon:1\tA subject']);
  expect(await ask('powershell', 'cities', '--', '=', 'arx')).toEqual([
    'lisbon\tlisbon\tlisbon',
    `'new york'\tnew york\tnew york`,
    `'o''b'\to'b\to'b`,
  ]);
  expect(await ask('powershell', 'cities', '--', `='new`, 'arx')).toEqual([`'new york'\tnew york\tnew york`]);
});

test('fields are those of the command, after those that are typed', async () => {
  const fields = await ask('bash', 'fields', '--', 'id,origin', 'arx attachments ls --fields id,origin');
  expect(fields).toEqual(['id,origin_city']);
  expect(await ask('zsh', 'fields', '--', 'id,', 'arx', 'events', 'types')).toEqual([
    'type',
    'meaning',
    'payload',
    'fields',
    'fields.name',
    'fields.type',
    'fields.required',
  ]);
  expect(await ask('fish', 'fields', '--', 'type,', 'arx', 'events', 'types')).not.toContain('type,type\t');
  expect(await ask('fish', 'fields', '--', '', 'arx', 'walk')).toEqual(['']);
});

test('in a query, the values of the field that is typed last', async () => {
  const line = (text: string) =>
    ask('bash', 'queries', '--', text.split(/[: ]/).at(-1) ?? '', `arx search ${text}`);
  expect(await line('city:li')).toEqual(['lisbon']);
  expect(await line('city:po')).toEqual(['']);
  // As a word of its own it would be an option.
  expect(await line('-city:li')).toEqual(['']);
  expect(await ask('fish', 'queries', '--', 'city:', 'arx', 'search')).toEqual([
    'city:lisbon\t',
    'city:"new york"\t',
    `city:o'b\t`,
  ]);
  expect(await ask('fish', 'queries', '--', '(glass -city:', 'arx', 'search')).toContain(
    '(glass -city:lisbon\t',
  );
  expect(await ask('zsh', 'queries', '--', 'city:l', 'arx', 'search')).toContain('city\\:lisbon');
  expect(await ask('powershell', 'queries', '--', 'city:l', 'arx', 'search')).toEqual([
    'city:lisbon\tcity:lisbon\tcity:lisbon',
  ]);
  for (const text of ['glass', 'from:', 'type:', 'constructor:', ''])
    expect(await ask('fish', 'queries', '--', text, 'arx', 'search')).toEqual(['']);
});

test('profiles and addresses come from config.json, whatever stands there', async () => {
  expect(await ask('bash', 'profiles', '--', '', 'arx --profile ')).toEqual(['default', 'work', 'x\\;id']);
  expect(await ask('fish', 'addresses', '--', '', 'arx')).toEqual(['https://work.example\tprofile work']);
  writeFileSync(join(dir, '.config/arx/config.json'), 'not json');
  expect(await ask('bash', 'profiles,cities', '--', 'li', 'arx x li')).toEqual(['']);
});

test.each([
  [[]],
  [['bash']],
  [['tcsh', 'cities', '--', '', '']],
  [['bash', 'nonsense,__proto__', '--', '', '']],
])('a question that no script asks has no answer: %j', async (argv) => {
  expect(await ask(...argv)).toEqual(['']);
});

test('every option and argument that names a record of the archive has its values', () => {
  const isKnown = /^--(id|client-id|ids|id-field|reason) |<id>$/;
  const without = COMMAND_LIST.flatMap(({ words, options = [], arguments: given = [] }) => [
    ...options
      .filter(
        ([syntax]) => /<(city|type|source|id)>/.test(syntax) && kindsOfOption(words, syntax).length === 0,
      )
      .filter(([syntax]) => !isKnown.test(syntax))
      .map(([syntax]) => `${words} ${syntax}`),
    ...given
      .slice(0, 1)
      .filter(([syntax]) => /<(id|ids\.\.\.|messages\.\.\.)>|\[attachments/.test(syntax))
      .filter(() => kindsOfArgument(words).length === 0)
      .map(([syntax]) => `${words} ${syntax}`),
  ]);
  expect(without).toEqual([]);
});
