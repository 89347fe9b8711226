// Values in the real shells, at a terminal: what completion inserts is the value itself, and nothing in it is run.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { addSeenValues } from '../../src/completion/seen-values.ts';
import { isInstalled } from '../support/installed.ts';
import { buildProgram } from '../support/program.ts';
import { argumentsOf, type RealShell } from '../support/shell.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Cities with everything that a shell gives a meaning to. What would be run makes a file named `pwned`. */
const CITIES = [
  'lisbon',
  'New York',
  "d'Ivoire 'quoted'",
  'say "porto" now',
  'x$(touch pwned)`touch pwned`$HOME',
  'back\\slash\\',
  'semi;touch pwned&|<>(){}[]*?~#!x',
  'key:value=a@b',
  'são paulo',
  '東京 都',
  'per%cent %s',
];
const MESSAGES = ['msg_1', 'urn:x:2', '<a@b>'];

/** Keys that are typed before the tab, for each shell the same, and the arguments that they give. */
type Case = { keys: string; gives: string[] };
const city = (typed: string, gives: string): Case => ({
  keys: `arx attachments ls --city ${typed}\t`,
  gives: ['attachments', 'ls', '--city', gives],
});
const CASES: Case[] = [
  city('lis', 'lisbon'),
  city('New\\ Y', 'New York'),
  city('Ne', 'New York'),
  city('"New Y', 'New York'),
  city("'New Y", 'New York'),
  city("d\\'", "d'Ivoire 'quoted'"),
  city('"d\'I', "d'Ivoire 'quoted'"),
  city('say', 'say "porto" now'),
  city("'say", 'say "porto" now'),
  city('x', 'x$(touch pwned)`touch pwned`$HOME'),
  city('"x', 'x$(touch pwned)`touch pwned`$HOME'),
  city("'x", 'x$(touch pwned)`touch pwned`$HOME'),
  city('ba', 'back\\slash\\'),
  city('sem', 'semi;touch pwned&|<>(){}[]*?~#!x'),
  city('"sem', 'semi;touch pwned&|<>(){}[]*?~#!x'),
  city('key', 'key:value=a@b'),
  city('key:v', 'key:value=a@b'),
  city('são', 'são paulo'),
  city('東', '東京 都'),
  city('per', 'per%cent %s'),
  { keys: 'arx attachments ls --city=New\t', gives: ['attachments', 'ls', '--city=New York'] },
  { keys: 'arx read ms\t', gives: ['read', 'msg_1'] },
  { keys: 'arx search city:lis\t', gives: ['search', 'city:lisbon'] },
  { keys: "arx search 'glass city:lis\t", gives: ['search', 'glass city:lisbon'] },
  {
    keys: 'arx attachments ls --matching city:lis\t',
    gives: ['attachments', 'ls', '--matching', 'city:lisbon'],
  },
  { keys: 'arx read urn\t', gives: ['read', 'urn:x:2'] },
  { keys: "arx read '<a\t", gives: ['read', '<a@b>'] },
  { keys: 'arx --profile wo\t', gives: ['--profile', 'work'] },
  { keys: 'arx profile use wo\t', gives: ['profile', 'use', 'work'] },
  { keys: 'arx health --base-url https\t', gives: ['health', '--base-url', 'https://work.example'] },
  { keys: 'arx attachments ls --fields sha\t', gives: ['attachments', 'ls', '--fields', 'sha256'] },
  { keys: 'arx attachments ls --fields id,sha\t', gives: ['attachments', 'ls', '--fields', 'id,sha256'] },
  { keys: 'arx login --observer-tier mir\t', gives: ['login', '--observer-tier', 'mirror'] },
  { keys: 'arx help glos\t', gives: ['help', 'glossary'] },
  { keys: 'arx help attach\t', gives: ['help', 'attachments'] },
  // Another profile has seen other rows.
  {
    keys: 'arx --profile work attachments ls --city ost\t',
    gives: ['--profile', 'work', 'attachments', 'ls', '--city', 'ostrava'],
  },
  { keys: 'arx attachments ls --city ost\t', gives: ['attachments', 'ls', '--city', 'ost'] },
];

const needs: Record<RealShell, string[]> = {
  bash: ['bash', 'script'],
  zsh: ['zsh', 'script'],
  fish: ['fish', 'script'],
};
for (const shell of ['bash', 'zsh', 'fish'] as const) {
  const missing = needs[shell].filter((command) => !isInstalled(command));
  if (missing.length > 0) console.warn(`SKIPPED: values in ${shell}: no ${missing.join(', ')} here`);
  describe.skipIf(missing.length > 0)(shell, () => {
    let dir: string;
    let found: string[][];
    beforeAll(async () => {
      dir = tempFolder('completion-values');
      const bin = join(dir, '.bin');
      mkdirSync(bin);
      symlinkSync(buildProgram().launcher, join(bin, 'arx'));
      const config = join(dir, '.config/arx');
      mkdirSync(config, { recursive: true });
      const profiles = { work: { base_url: 'https://work.example' } };
      writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
      const place = { cache: join(dir, '.cache/arx'), uid: process.getuid?.(), pid: process.pid };
      const local = JSON.stringify([join(dir, '.local/share/arx'), 'default']);
      addSeenValues(
        { ...place, archive: local },
        {
          cities: CITIES.map((value) => [value, '']),
          messages: MESSAGES.map((value) => [value, 'a `touch pwned` $(touch pwned): subject']),
        },
      );
      const work = JSON.stringify(['https://work.example', 'work']);
      addSeenValues({ ...place, archive: work }, { cities: [['ostrava', '']] });
      const path = [bin, process.env['PATH'] ?? ''].join(delimiter);
      found = await argumentsOf(
        shell,
        CASES.map(({ keys }) => keys),
        { dir, path },
      );
    });

    test.each(CASES.map((one, index) => ({ ...one, index })))('$keys', ({ index, gives }) => {
      expect(found[index]).toEqual(gives);
    });

    test('nothing in a value was run', () => {
      expect(existsSync(join(dir, 'pwned'))).toBe(false);
    });
  });
}
