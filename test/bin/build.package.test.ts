// What an install brings: files, help that is written already, and nothing that npm runs or warns about.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { helpByWords } from '../../src/program.ts';
import { pngFile, scene } from '../support/pictures.ts';
import { buildProgram, outside, type Program } from '../support/program.ts';
import { atTerminal, quoted } from '../support/shell.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { wordsOf } from '../support/transcript.ts';

const ROOT = join(import.meta.dirname, '../..');
let arx: Program;
beforeAll(() => {
  arx = buildProgram();
});

test('the package needs no other, and npm runs no script of it when it is installed', () => {
  const { dependencies, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies?: object;
    scripts: Record<string, string>;
  };
  expect(dependencies).toBeUndefined();
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
});

test('the package has the program, the manual page and the completions, but no code cache of the build', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...['arx.js', 'start.js', 'code-cache.js'].map((name) => `bin/${name}`),
      ...['main.js', 'complete.js', 'licences.txt', 'man/arx.1', 'help/arx.txt'].map(
        (name) => `dist/${name}`,
      ),
      `dist/sqlite/${process.platform}-${process.arch}/glibc.node`,
    ]),
  );
  expect(paths.filter((path) => path.endsWith('.cache') || /^(src|test)\//.test(path))).toEqual([]);
});

test('the licence of every package in the bundles is named', () => {
  const licences = readFileSync(join(arx.launcher, '../../dist/licences.txt'), 'utf8');
  for (const name of [
    'commander',
    'zod',
    'undici',
    'pg',
    '@photostructure/sqlite',
    'postal-mime',
    'jq-wasm',
  ]) {
    expect(licences).toMatch(new RegExp(String.raw`^${name} \d.* \(.+\)$`, 'm'));
  }
});

test('the launcher prints the help that the program has, and leaves everything else to it', async () => {
  const texts = await helpByWords('');
  const folder = join(arx.launcher, '../../dist/help');
  const written = Object.entries(texts).map(([words, text]) => {
    const name = `${['arx', ...words.split(' ')].filter((word) => word !== '').join('.')}.txt`;
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
    return name;
  });
  expect(readdirSync(folder).toSorted()).toEqual(written.toSorted());
  expect(texts['attachments ls']).toContain('Usage: arx attachments ls');
  const dir = tempFolder('home');
  for (const [args, words] of [
    ['--help', ''],
    ['attachments ls -h', 'attachments ls'],
    // These are answered by the program.
    ['--json attachments ls --help', 'attachments ls'],
    ['help attachments', 'attachments'],
  ] as const) {
    const ended = await arx.run(args.split(' '), { dir });
    expect({ args, ...ended }).toEqual({ args, stdout: texts[words], stderr: '', exit: 0, signal: null });
  }
  expect(await arx.run(['../main', '--help'], { dir })).toMatchObject({ exit: 2, stdout: '' });
});

/** A copy of the built program. */
function copied(): string {
  const root = tempFolder('copied');
  const built = join(dirname(arx.launcher), '..');
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(built, name), join(root, name), { recursive: true });
  return root;
}

/** Runs a copy of the program whose home is its own folder. */
function runCopy(root: string, words: string[]): { stderr: string; status: number | null } {
  const { stderr, status } = spawnSync(process.execPath, [join(root, 'bin/arx.js'), ...words], {
    cwd: root,
    encoding: 'utf8',
    env: { HOME: root, PATH: process.env['PATH'] },
  });
  return { stderr, status };
}

test('every package and every thread works where there is no node_modules', async () => {
  const launcher = join(copied(), 'bin/arx.js');
  const dir = tempFolder('no-modules');
  mkdirSync(join(dir, 'd'));
  writeFileSync(join(dir, 'd/b.txt'), 'b');
  writeFileSync(join(dir, 'd/c.txt'), 'c');
  writeFileSync(join(dir, 'd/picture.png'), pngFile(scene(8, 8)));
  writeFileSync(
    join(dir, 'mail.mbox'),
    'From a@b Thu Jan  1 00:00:00 2026\nFrom: a@b\nSubject: =?utf-8?q?w=C3=B6rd?=\n\nwörd\n',
  );
  const says = (line: string): string => {
    const args = [launcher, ...wordsOf(line)];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: dir,
      encoding: 'utf8',
      env: outside(dir),
    });
    expect({ line, stderr: status === 0 ? '' : stderr, status }).toEqual({ line, stderr: '', status: 0 });
    return stdout;
  };
  says('import d mail.mbox');
  expect(says('attachments ls --jq .data[].filename')).toBe('b.txt\nc.txt\npicture.png\n');
  expect(says('attachments ls --template {{filename}} --name *.txt')).toBe('b.txt\nc.txt\n');
  expect(says('search subject:wörd -o table --color always')).toContain('wörd');
  const id = says('attachments ls --name *.png --jq .data[0].id').trim();
  const shown = atTerminal(
    `${quoted(process.execPath)} ${quoted(launcher)} attachments show ${id} --preview`,
    { dir },
  );
  expect((await shown.ended).stdout).toMatch(/[▀▄█]/);
  says('attachments pull --all --to files');
  expect(says('attachments verify files').match(/^=/gm)).toHaveLength(3);
});

test.each([
  ['that every run loads', /^parts\/rolldown-runtime\.js$/, ['config', 'ls']],
  ['that a command loads', /^parts\/(?!rolldown-runtime)/, ['config', 'ls']],
  ['that answers completions', /^complete\.js$/, ['__complete', 'arx', 'att']],
  ['that is a thread', /^disk-worker\.js$/, ['attachments', 'pull', '--all', '--to', 'files']],
])('a missing part %s is named', (_name, missing, words) => {
  const root = copied();
  const dist = join(root, 'dist');
  mkdirSync(join(root, 'd'));
  writeFileSync(join(root, 'd/a.txt'), 'a');
  expect(runCopy(root, ['import', 'd'])).toMatchObject({ status: 0 });
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.js') && missing.test(name)) rmSync(join(dist, name));
  const { stderr, status } = runCopy(root, words);
  expect(stderr).toMatch(/^arx: \S+\.js is missing: this installation is incomplete; install it again/);
  expect(stderr).not.toContain('    at ');
  expect(status).toBe(1);
});

test('where SQLite is missing or cannot be loaded, the message says so', () => {
  const root = copied();
  const libraries = join(root, 'dist/sqlite', `${process.platform}-${process.arch}`);
  for (const name of readdirSync(libraries)) writeFileSync(join(libraries, name), 'no library');
  expect(runCopy(root, ['config', 'ls'])).toMatchObject({
    stderr: expect.stringMatching(/^arx: SQLite cannot be loaded: .+\n$/) as unknown,
    status: 1,
  });
  rmSync(libraries, { recursive: true });
  expect(runCopy(root, ['config', 'ls'])).toMatchObject({
    stderr: expect.stringMatching(/^arx: no SQLite for this system: \S+\.node is missing\n$/) as unknown,
    status: 1,
  });
});

test('the program runs without the texts of the help', () => {
  const root = copied();
  rmSync(join(root, 'dist/help'), { recursive: true });
  expect(runCopy(root, ['config', 'ls'])).toMatchObject({ stderr: '', status: 0 });
});

test('no part of another version is loaded after the program was replaced', () => {
  const root = copied();
  const main = join(root, 'dist/main.js');
  // It is replaced when the first script has been compiled.
  const program = `
    const { utimesSync } = require('node:fs');
    const { Script } = require('node:vm');
    process.argv.splice(1, 0, 'arx');
    require(${JSON.stringify(join(root, 'bin/start.js'))}).start(${JSON.stringify(main)}, (path, text) => {
      utimesSync(${JSON.stringify(main)}, 1, 1);
      return new Script(text, { filename: path });
    });`;
  const { stderr, status } = spawnSync(process.execPath, ['-e', program, 'config', 'ls'], {
    encoding: 'utf8',
    env: { HOME: root, PATH: process.env['PATH'] },
  });
  expect(stderr).toMatch(/^arx: this installation was replaced while arx ran; start it again/);
  expect(status).toBe(1);
});
