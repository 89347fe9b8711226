// The completion scripts in the real shells: bash and zsh at a terminal, fish by its own question.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { NOUNS, COMMAND_LIST } from '../../src/command-list/index.ts';
import { GLOBAL_OPTIONS } from '../../src/command-list/global-options.ts';
import { completionScript } from '../../src/completion/scripts.ts';
import { EVENT_TYPES } from '../../src/contract/event-types.ts';
import { isInstalled } from '../support/installed.ts';
import { proposals, type RealShell } from '../support/shell.ts';
import { tempFolder } from '../support/temp-folder.ts';

type Case = { line: string; is?: string[]; has?: string[]; lacks?: string[] };

const FORMS = ['table', 'tsv', 'csv', 'json', 'ndjson', 'sums'];
const CASES: Case[] = [
  { line: 'arx ', has: ['attachments', 'login', 'health', 'demo', 'about'], lacks: ['ls', 'show'] },
  { line: 'arx att', is: ['attachments'] },
  { line: 'arx co', is: ['content', 'conversations', 'config', 'completion'] },
  {
    line: 'arx attachments ',
    is: ['ls', 'cat', 'cities', 'types', 'sources', 'senders', 'show', 'pull', 'verify', 'export'],
  },
  { line: 'arx conversations w', is: ['walk'] },
  { line: 'arx about ', is: ['api'] },
  { line: 'arx help ', has: ['glossary', 'attachments', 'login'], lacks: ['ls', 'help'] },
  { line: 'arx help conversations w', is: ['walk'] },
  { line: 'arx help about ', is: ['api'] },
  { line: 'arx help conversations walk ', is: [] },
  { line: 'arx help login ', is: [] },
  { line: 'arx help glossary --ou', is: ['--output'] },
  { line: 'arx nonsense ', is: [] },
  { line: 'arx attachments nonsense ', is: [] },
  // flags of the command, global ones everywhere
  { line: 'arx attachments ls --ci', is: ['--city'] },
  {
    line: 'arx attachments ls --',
    has: ['--city', '--redacted', '--json', '--help'],
    lacks: ['--to', '--view'],
  },
  { line: 'arx attachments ls --ou', is: ['--output'] },
  { line: 'arx --ou', is: ['--output'] },
  { line: 'arx attachments --js', is: ['--json'] },
  { line: 'arx health --pr', is: ['--profile', '--progress', '--proxy'] },
  { line: 'arx health --ver', is: ['--verbose', '--version'] },
  // values
  { line: 'arx -o ', is: FORMS },
  { line: 'arx attachments ls -o ', is: FORMS },
  { line: 'arx attachments ls -o j', is: ['json'] },
  { line: 'arx attachments ls --output ', is: FORMS },
  { line: 'arx attachments ls --output=', is: FORMS },
  { line: 'arx attachments ls --output=nd', is: ['ndjson'] },
  { line: 'arx conversations export conv_1 --format ', is: ['mbox', 'md', 'html'] },
  { line: 'arx attachments cat --allow', is: ['--allow-escape-sequences', '--allow-asset-host'] },
  { line: 'arx content get msg_1 --view ', is: ['raw', 'lore'] },
  { line: 'arx content get --view=l', is: ['lore'] },
  { line: 'arx messages show msg_1 --around 2 --in ', is: ['conversation', 'archive'] },
  { line: 'arx attachments ls --redacted ', is: ['yes', 'no'] },
  { line: 'arx messages ls --sort ', has: ['date', '-date', 'from'] },
  { line: 'arx search --sort ', is: ['relevance', 'newest', 'oldest'] },
  { line: 'arx attachments ls --city ', is: [] },
  { line: 'arx --profile ', is: [] },
  // words after options
  { line: 'arx --json att', is: ['attachments'] },
  { line: 'arx --json attachments l', is: ['ls'] },
  { line: 'arx -o json attachments l', is: ['ls'] },
  { line: 'arx --output=json attachments l', is: ['ls'] },
  { line: 'arx --base-url http://127.0.0.1:4747 attachments l', is: ['ls'] },
  { line: 'arx attachments --profile work ls --ci', is: ['--city'] },
  { line: 'arx attachments ls --city lisbon --red', is: ['--redacted'] },
  { line: "arx attachments ls --city 'new york' --red", is: ['--redacted'] },
  { line: 'arx events send --payload \'{"id": 1}\' --fil', is: ['--file'] },
  { line: 'arx events send --payload @a.json --fil', is: ['--file'] },
  // proposals for arguments
  { line: 'arx sequence show ', is: ['arc_reconstruction', 'mirror_relay'] },
  { line: 'arx events send ', is: [...EVENT_TYPES] },
  { line: 'arx events send message.', is: ['message.reordered'] },
  { line: 'arx completion ', is: ['bash', 'zsh', 'fish', 'powershell', 'install', 'uninstall'] },
  { line: 'arx attachments show ', is: [] },
  // files and folders
  { line: 'arx import ', has: ['my file.json', 'plain.txt', 'folder'] },
  { line: 'arx import p', is: ['plain.txt'] },
  { line: 'arx import my\\ ', is: ['my file.json'] },
  { line: 'arx events send --file pl', is: ['plain.txt'] },
  { line: 'arx --token-file pl', is: ['plain.txt'] },
  { line: 'arx health --token-file=pl', is: ['plain.txt'] },
  { line: 'arx attachments pull --to ', has: ['folder'], lacks: ['plain.txt', 'my file.json'] },
  { line: 'arx attachments verify fo', is: ['folder'] },
  { line: 'arx attachments verify ', has: ['folder', 'plain.txt'] },
  { line: 'arx conversations diff ', has: ['folder'], lacks: ['plain.txt'] },
  { line: 'arx conversations diff folder f', is: ['folder'] },
  { line: 'arx conversations walk --freeze ', has: ['folder'], lacks: ['plain.txt'] },
  { line: 'arx walk http://127.0.0.1:1/v1/x --freeze f', is: ['folder'] },
  { line: 'arx conversations export conv_1 --to ', has: ['folder', 'plain.txt'] },
  { line: 'arx attachments export --to ', has: ['folder', 'plain.txt'] },
  { line: 'arx blobs move --to f', is: ['folder'] },
  { line: 'arx serve --blobs f', is: ['folder'] },
];

let dir: string;
beforeAll(() => {
  dir = tempFolder('completion');
  mkdirSync(join(dir, 'folder'));
  for (const name of ['my file.json', 'plain.txt']) writeFileSync(join(dir, name), '');
});

const needs: Record<RealShell, string[]> = {
  bash: ['bash', 'script'],
  zsh: ['zsh', 'script'],
  fish: ['fish'],
};
for (const shell of ['bash', 'zsh', 'fish'] as const) {
  const missing = needs[shell].filter((command) => !isInstalled(command));
  if (missing.length > 0) console.warn(`SKIPPED: completion in ${shell}: no ${missing.join(', ')} here`);
  describe.skipIf(missing.length > 0)(shell, () => {
    let found: string[][];
    beforeAll(async () => {
      found = await proposals(
        shell,
        CASES.map(({ line }) => line),
        dir,
      );
    });
    test.each(CASES.map((one, index) => ({ ...one, index })))(
      '$line',
      ({ index, is, has = [], lacks = [] }) => {
        const words = found[index] ?? [];
        if (is !== undefined) expect(words.toSorted()).toEqual(is.toSorted());
        expect(words).toEqual(expect.arrayContaining(has));
        expect(words.filter((word) => lacks.includes(word))).toEqual([]);
      },
    );
  });
}

/** PowerShell is not at hand: its script is read as text. */
describe('powershell', () => {
  const script = completionScript('powershell');

  test('brackets and quotes are balanced', () => {
    const code = script
      .split('\n')
      .filter((line) => !/^\s*#/.test(line))
      .join('\n')
      .replaceAll(/'(?:[^'\n]|'')*'|"[^"\n]*"/g, '_');
    expect(code).not.toMatch(/['"]/);
    const open: string[] = [];
    for (const [mark] of code.matchAll(/[()[\]{}]/g)) {
      const closes = { ')': '(', ']': '[', '}': '{' }[mark];
      if (closes === undefined) open.push(mark);
      else expect(open.pop()).toBe(closes);
    }
    expect(open).toEqual([]);
  });

  const keys = [...script.matchAll(/^ {4}('[^']*') = @\((.*)\)$/gm)];
  test('no hash table holds a key twice, in any case of letters: PowerShell refuses the whole script', () => {
    for (const part of script.split(/\$\w+ = @\{/)) {
      const found = [...part.matchAll(/^ {4}('[^']*') =/gm)].map(([, key = '']) => key.toLowerCase());
      expect(found.length).toBe(new Set(found).size);
    }
  });

  test('every command with its options, every second word, every global option', () => {
    const table = new Map(keys.map(([, key = '', words = '']) => [key.slice(1, -1), words]));
    for (const noun of Object.keys(NOUNS)) expect(table.has(noun)).toBe(true);
    for (const { words, options = [] } of COMMAND_LIST) {
      const [first = '', second] = words.split(' ');
      expect(table.get(second === undefined ? '' : first)).toContain(`'${second ?? first}'`);
      for (const [syntax] of options) expect(table.get(words)).toContain(`'${syntax.split(' ')[0]}'`);
    }
    for (const [syntax] of GLOBAL_OPTIONS) {
      for (const name of syntax.match(/(?<![\w-])--?[\w-]+/g) ?? []) {
        expect(/\$globals = @\((.*)\)/.exec(script)?.[1]).toContain(`'${name}'`);
      }
    }
  });
});

test('an option of one name takes a value in every command or in none: the scripts tell them by name', () => {
  const takes = new Map<string, boolean>();
  for (const [syntax] of [...GLOBAL_OPTIONS, ...COMMAND_LIST.flatMap(({ options = [] }) => options)]) {
    for (const name of syntax.match(/(?<![\w-])--?[\w-]+/g) ?? []) {
      expect(takes.get(name) ?? syntax.includes('<'), name).toBe(syntax.includes('<'));
      takes.set(name, syntax.includes('<'));
    }
  }
});
