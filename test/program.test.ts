// Command lines as text: help of commands and topics, suggestions for mistyped words, and the manual page.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HELP_TOPIC_NAMES } from '../src/command-list/help-topics.ts';
import { COMMAND_LIST, NOUNS } from '../src/command-list/index.ts';
import { TASKS } from '../src/command-list/tasks.ts';
import { Fault } from '../src/faults.ts';
import { manPage } from '../src/help/man-page.ts';
import { parse } from '../src/program.ts';

const textOf = async (line: string): Promise<string> => {
  const parsed = await parse(line === '' ? [] : line.split(' '), '1.2.3');
  return 'text' in parsed ? parsed.text : '';
};
const faultOf = async (line: string): Promise<Fault | undefined> =>
  parse(line.split(' '), '1.2.3').then(
    () => undefined,
    (error: unknown) => (error instanceof Fault ? error : undefined),
  );

test('arx, arx help and arx --help are the same: at most 28 lines of 80 columns, with each command and topic', async () => {
  const help = await textOf('help');
  expect(await textOf('--help')).toBe(help);
  expect(await textOf('')).toBe(help);
  // `arx` alone adds an empty line and the archive in use.
  expect(help.trimEnd().split('\n').length).toBeLessThanOrEqual(28);
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
  const words = new Set(help.match(/[\w-]+/g));
  expect(HELP_TOPIC_NAMES.filter((topic) => !words.has(topic))).toEqual([]);
});

test('each command stands in one task of the overview', () => {
  const first = new Set(COMMAND_LIST.map(({ words }) => words.split(' ')[0] ?? ''));
  expect(Object.values(TASKS).flat().toSorted()).toEqual([...first].toSorted());
});

test('only arx alone asks for the archive in use', async () => {
  expect(await parse([], '1.2.3')).toHaveProperty('isOverview', true);
  expect(await parse(['--help'], '1.2.3')).not.toHaveProperty('isOverview');
  expect(await parse(['attachments'], '1.2.3')).not.toHaveProperty('isOverview');
});

test.each(Object.entries(NOUNS))('arx %s alone prints the help of that group', async (noun) => {
  const help = await textOf(noun);
  expect(help).toBe(await textOf(`help ${noun}`.trim()).then((text) => text.slice(0, help.length)));
  for (const { words } of COMMAND_LIST.filter((spec) => spec.words.startsWith(`${noun} `)))
    expect(help).toMatch(new RegExp(`^  ${words.slice(noun.length + 1)} `, 'm'));
});

test.each(COMMAND_LIST.map(({ words, examples }) => [words, examples] as const))(
  'the help of %s begins with one sentence and its examples',
  async (words, examples) => {
    const [, ...lines] = (await textOf(`${words} --help`)).split('\n\n');
    expect(lines[0]).toBe(['Examples:', ...examples.map((line) => `  ${line}`)].join('\n'));
    expect(lines.at(-1)).toMatch(/^Options of every command: arx help options\n/);
  },
);

test.each(HELP_TOPIC_NAMES)('arx help %s prints the topic', async (topic) => {
  expect((await textOf(`help ${topic}`)).length).toBeGreaterThan(500);
});

test.each(COMMAND_LIST.map(({ words }) => words))(
  'arx help %s prints the help of the command',
  async (words) => {
    expect((await textOf(`help ${words}`)).startsWith(await textOf(`${words} --help`))).toBe(true);
  },
);

test('help fits 80 columns, but for examples', async () => {
  for (const { words, examples } of COMMAND_LIST) {
    const lines = (await textOf(`${words} --help`)).split('\n');
    expect(lines.filter((line) => line.length > 80 && !examples.includes(line.trim()))).toEqual([]);
  }
});

test('arx help glossary WORD prints the entry of the word', async () => {
  expect(await textOf('help glossary withheld')).toMatch(/^ {2}withheld {2}the row is shown/);
  expect(await textOf('help glossary local archive')).toMatch(/^ {2}local archive {2}/);
});

test.each([
  ['withheld', /^ {2}withheld {2}the row is shown/, /^More: arx help files/m],
  ['Withheld', /^ {2}withheld {2}the row is shown/, /^More: arx help files/m],
  ['verified', /^ {2}verified {2}\S/, /^More: arx help /m],
  ['integrity', /as\s+it\s+was\s+found\s+at\s+import/, /damaged\s+since\s+keeps/],
  ['local archive', /^ {2}local archive {2}/, /^More: arx help /m],
  // Terms that have the word in them.
  ['frozen', /^ {2}frozen window {2}/, /^ {2}frozen log {2}/m],
  ['hashes', /^ {2}hash {2}/, /^More: arx help /m],
  // A command that is a term too.
  ['walk', /Usage: arx walk/, /^ {2}walk {2}reading a whole list/m],
])(
  'arx help %s prints the meaning of a word of the glossary, and where more stands',
  async (words, ...all) => {
    const text = await textOf(`help ${words}`);
    for (const pattern of all) expect(text).toMatch(pattern);
    expect(text.split('\n').filter((line) => line.length > 80 && !line.startsWith('  arx'))).toEqual([]);
  },
);

test('the help of a command has no terms that only contain its word', async () => {
  expect(await textOf('help content')).not.toContain('content record');
});

test('a word that is a command and a topic shows both', async () => {
  const help = await textOf('help import');
  expect(help).toContain('Usage: arx import');
  expect(help).toContain('IMPORTING');
});

test.each<[line: string, message: string, hint: string]>([
  ['help exitcodes', "no command, topic or word is called 'exitcodes'", 'did you mean: arx help exit-codes'],
  [
    'help attachmnts ls',
    "no command, topic or word is called 'attachmnts ls'",
    'did you mean: arx help attachments ls',
  ],
  [
    'help attachments ls all',
    "no command, topic or word is called 'attachments ls all'",
    'did you mean: arx help attachments ls',
  ],
  [
    'help nonsense',
    "no command, topic or word is called 'nonsense'",
    'arx --help shows the commands and topics',
  ],
  ...(
    [
      ['pull', 'did you mean: arx help attachments pull'],
      ['plot', 'did you mean: arx help conversations plot'],
      ['verify', 'did you mean: arx help attachments verify or arx help conversations verify'],
      ['ls', 'for that: arx messages ls'],
      ['deploy', 'did you mean: arx help deployment'],
      ['walking', 'did you mean: arx help walk'],
      ['list attachments', 'did you mean: arx help attachments ls'],
      ['search queries', 'did you mean: arx help search or arx help queries'],
      ['tokn rotate', 'did you mean: arx help token'],
      ['events publish', 'did you mean: arx help events'],
      ['stats', 'for that: arx report'],
      ['x y', 'arx --help shows the commands and topics'],
    ] as const
  ).map(([words, hint]): [string, string, string] => [
    `help ${words}`,
    `no command, topic or word is called '${words}'`,
    hint,
  ]),
  ['attachmnts ls', "unknown command 'attachmnts ls'", 'did you mean: arx attachments ls'],
  ['attachmnts ls --city lisbon', "unknown command 'attachmnts ls'", 'did you mean: arx attachments ls'],
  ['attachments lss', "unknown command 'attachments lss'", 'did you mean: arx attachments ls'],
  [
    'conversations wakl --resume wa',
    "unknown command 'conversations wakl'",
    'did you mean: arx conversations walk',
  ],
  ['attachments --json lss', "unknown command 'attachments lss'", 'did you mean: arx attachments ls'],
  [
    '-o json --profile p attachments lss',
    "unknown command 'attachments lss'",
    'did you mean: arx attachments ls',
  ],
  // An option of the command stands before its words, right or mistyped.
  ...[
    ['conversations --resume wa wakl', '--resume', 'conversations walk'],
    ['conversations --resume wakl', '--resume', 'conversations walk'],
    ['attachments --limit 5 lss', '--limit', 'attachments ls'],
    ['attachments --limit 5 ls --json', '--limit', 'attachments ls'],
    ['attachments --all pll --to dl', '--all', 'attachments pull'],
    ['--limit 5 attachments lss', '--limit', 'attachments ls'],
    ['--limit 5 serach hello', '--limit', 'search'],
  ].map(([line = '', option, meant]): [string, string, string] => [
    line,
    `unknown option '${option}'`,
    `did you mean: arx ${meant} ${option}; ${line.startsWith('-') ? 'arx --help shows the commands' : `arx help ${line.split(' ')[0]}`}`,
  ]),
  ['--jsn attachments ls', "unknown option '--jsn'", 'did you mean: --json; arx --help shows the commands'],
  ['logni', "unknown command 'logni'", 'did you mean: arx login'],
  [
    'attachments ls extra',
    "too many arguments, from 'extra': arx attachments ls takes none",
    'arx help attachments ls',
  ],
  [
    'attachments ls --min-bytes 2 MB',
    "too many arguments, from 'MB': arx attachments ls takes none",
    'a value with a blank needs quotes: --min-bytes "2 MB"; arx help attachments ls',
  ],
  [
    'attachments ls --city new york',
    "too many arguments, from 'york': arx attachments ls takes none",
    'a value with a blank needs quotes: --city "new york"; arx help attachments ls',
  ],
  [
    'attachments ls *.patch',
    "too many arguments, from '*.patch': arx attachments ls takes none",
    '--name "*.patch"; arx help attachments ls',
  ],
  ['login bob', 'too many arguments: arx login takes none', '--client-id NAME; arx help login'],
  ['whoami arx_secret', 'too many arguments: arx whoami takes none', 'arx help whoami'],
  [
    'search usb -hub',
    "unknown option '-hub'",
    'words that begin with a minus stand behind --, and options before it: arx search -- usb -hub; arx help search',
  ],
  ['search x --until 2021', "unknown option '--until'", 'did you mean: --before; arx help search'],
  [
    'conversations ls --sort -message_count',
    "option '--sort <column>' argument '-message_count' is invalid. Allowed choices are started, -started, last, -last, messages, -messages, subject, -subject, hits, -hits",
    'did you mean: -messages; arx help conversations ls',
  ],
  [
    'attachments ls --sort content_type',
    "option '--sort <column>' argument 'content_type' is invalid. Allowed choices are filename, -filename, type, -type, bytes, -bytes, city, -city, source, -source, from, -from, date, -date",
    'did you mean: type; arx help attachments ls',
  ],
  ['version', "unknown command 'version'", 'for that: arx --version'],
  ['pull att_1', "unknown command 'pull'", 'did you mean: arx attachments pull'],
  ['watch', "unknown command 'watch'", 'did you mean: arx sequence watch'],
  [
    'export conv_1',
    "unknown command 'export'",
    'for that: arx conversations export; of files: arx attachments export',
  ],
  ['thread conv_1', "unknown command 'thread'", 'for that: arx read'],
  ['cat att_1', "unknown command 'cat'", 'for that: arx read; of a file: arx attachments cat'],
  ['messages search foo', "unknown command 'messages search'", 'did you mean: arx search'],
  ['conversations read conv_1', "unknown command 'conversations read'", 'did you mean: arx read'],
  ['attachments open att_1', "unknown command 'attachments open'", 'did you mean: arx open'],
  ['attachments save att_1', "unknown command 'attachments save'", 'did you mean: arx attachments pull'],
  ['messages find foo', "unknown command 'messages find'", 'for that: arx search'],
  ['events show evt_a', "unknown command 'events show'", 'did you mean: arx events ls'],
  ['events nonsense', "unknown command 'events nonsense'", 'arx help events'],
  ['-v', 'a command is missing', 'arx --version shows the version; -v goes with a command'],
  ['list attachments', "unknown command 'list attachments'", 'did you mean: arx attachments ls'],
  ['show conversations', "unknown command 'show conversations'", 'did you mean: arx conversations show'],
  [
    'attachments show a b',
    "too many arguments, from 'b': arx attachments show takes only <id>",
    'arx help attachments show',
  ],
  ['attachments --json', 'arx attachments needs a subcommand', 'arx help attachments'],
  ['--json', 'a command is missing', 'arx --help shows the commands'],
  ['helth now', "unknown command 'helth'", 'did you mean: arx health'],
  ['serach foo', "unknown command 'serach'", 'did you mean: arx search'],
  ['stats', "unknown command 'stats'", 'for that: arx report'],
  [
    'verify oslo',
    "unknown command 'verify'",
    'for that: arx attachments verify DIR; of a walk: arx conversations verify DIR; of the archive: arx fsck',
  ],
  [
    'restore DIR',
    "unknown command 'restore'",
    'for that: arx help maintenance (a backup is an archive: copy its folder)',
  ],
  ['diff w1 w2', "unknown command 'diff'", 'for that: arx conversations diff; of messages: arx content diff'],
  ['download x', "unknown command 'download'", 'for that: arx attachments pull'],
  [
    'messages ls --origin-city x',
    "unknown option '--origin-city'",
    '--origin-city is an option of arx import; arx help messages ls',
  ],
  ['nonsense', "unknown command 'nonsense'", 'arx --help shows the commands'],
  [' ', 'the command has an empty word', 'arx --help shows the commands'],
  ['--json ', 'the command has an empty word', 'arx --help shows the commands'],
  ['help ', 'the command has an empty word', 'arx help help'],
  ['attachments ', 'the command has an empty word', 'arx help attachments'],
  ['help att', "no command, topic or word is called 'att'", 'did you mean: arx help attachments'],
  ['help witheld', "no command, topic or word is called 'witheld'", 'did you mean: arx help withheld'],
  ['help glossary witheld', "the glossary has no 'witheld'", 'did you mean: arx help glossary withheld'],
  ['help glossary xyzzy', "the glossary has no 'xyzzy'", 'arx help glossary'],
])('arx %s is a usage fault with a suggestion', async (line, message, hint) => {
  const fault = await faultOf(line);
  expect(fault?.kind).toBe('usage');
  expect(fault?.message).toBe(message);
  expect(fault?.detail.hint).toBe(hint);
});

test('no option of a command can be given twice: the first value would be forgotten', async () => {
  let options = 0;
  for (const spec of COMMAND_LIST)
    for (const [syntax, , choices] of spec.options ?? []) {
      const name = syntax.replace(/^-\w, /, '').split(' ')[0]!;
      // `<urls...>` takes any number.
      if (!/[<[]/.test(syntax) || syntax.includes('...')) continue;
      const value = choices?.[0] ?? '1';
      const words = (spec.arguments ?? []).flatMap(([argument]) => (argument.startsWith('<') ? ['1'] : []));
      const fault = await faultOf([spec.words, ...words, `${name}=${value}`, `${name}=${value}`].join(' '));
      expect([spec.words, fault?.message]).toEqual([
        spec.words,
        `option '${name}' is given twice: it takes one value`,
      ]);
      options += 1;
    }
  expect(options).toBeGreaterThan(100);
});

test('package.json names the manual page that the build writes', () => {
  const { man } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
    man: string[];
  };
  expect(man).toEqual(['dist/man/arx.1']);
  const page = manPage('1.2.3');
  expect(page).toContain('.TH ARX 1 "" "arx 1.2.3"');
  expect(page).toMatch(/^[\0-\x7f]*$/);
  for (const { words } of COMMAND_LIST) expect(page).toContain(`.SS "arx ${words}`);
});

const man = spawnSync('man', ['--version'], { encoding: 'utf8' });
test.skipIf(man.error !== undefined || !man.stdout.includes('man '))(
  'man renders the page without warnings',
  () => {
    const dir = mkdtempSync(join(tmpdir(), 'arx-man-'));
    try {
      const path = join(dir, 'arx.1');
      writeFileSync(path, manPage('1.2.3'));
      const env = { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', MANWIDTH: '80' };
      const shown = spawnSync('man', ['--warnings', '-l', path], { encoding: 'utf8', env });
      expect(shown.stderr).toBe('');
      expect(shown.status).toBe(0);
      expect(shown.stdout).toContain('arx attachments pull');
      expect(shown.stdout).toContain('GLOSSARY');
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
);
