// Checks the structure of the code: which folder may import which, what appears only in main.ts, and that the lists in the documents are true.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NOUNS, COMMAND_LIST } from '../src/command-list/index.ts';
import { EXIT } from '../src/exit.ts';
import { generate } from '../src/generate.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const sources = (readdirSync(join(ROOT, 'src'), { recursive: true }) as string[])
  .map((path) => posix.join('src', path.replaceAll('\\', '/')))
  .filter((path) => path.endsWith('.ts'));

/**
 * Room → rooms and files of src/ that it may import. What {@link COMMON} names is for all. The files of src/ that are not
 * named here (main.ts, arx.ts, program.ts, generate.ts) stand above all rooms: no room imports them.
 */
const DOORS: Record<string, string[]> = {
  contract: [],
  disk: [],
  client: ['contract'],
  walk: ['contract'],
  concurrency: [],
  verify: ['contract'],
  download: ['contract', 'client', 'concurrency', 'verify'],
  bagit: ['contract', 'walk', 'concurrency', 'verify', 'download'],
  config: ['contract', 'client'],
  warc: ['contract', 'client', 'download'],
  format: ['contract'],
  service: ['contract', 'concurrency'],
  'command-list': ['contract', 'config'],
  completion: ['command-list'],
  wiring: ['app.ts', 'contract', 'client', 'config', 'download', 'format', 'service', 'warc', 'command-list'],
  commands: [
    'app.ts',
    'contract',
    'client',
    'concurrency',
    'walk',
    'verify',
    'download',
    'bagit',
    'config',
    'format',
    'service',
    'command-list',
    'completion',
    'wiring',
  ],
};
/** Files and one folder that every room may import. */
const COMMON = new Set(['faults.ts', 'exit.ts', 'world.ts', 'disk']);

const importsOf = (path: string): string[] =>
  [...read(path).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) =>
    posix.relative('src', posix.join(posix.dirname(path), match[1] ?? '')),
  );

describe('imports', () => {
  test.each(sources.filter((path) => path.split('/').length > 2))('%s', (path) => {
    const room = path.split('/')[1] ?? '';
    for (const target of importsOf(path)) {
      const [first = ''] = target.split('/');
      if (target === '../package.json' || COMMON.has(first)) continue;
      expect([room, ...(DOORS[room] ?? [])], `${path} imports ${target}`).toContain(first);
      if (room === 'commands' && first === 'service') {
        expect([
          'service/index.ts',
          'service/http/index.ts',
          'service/fsck/check-archive.ts',
          'service/import/index.ts',
          'service/fault-injection/index.ts',
          'service/sample/index.ts',
        ]).toContain(target);
      }
    }
  });
});

test('process, console, clock, random numbers and timers appear only in main.ts', () => {
  const edge =
    /(?<![-\w])(process\.|console\.|Date\.now|Math\.random|(?<!socket\.)setTimeout\(|setInterval\()/;
  const found = sources
    .filter((path) => path !== 'src/main.ts')
    .flatMap((path) =>
      read(path)
        .split('\n')
        .map((line, index) => `${path}:${index + 1} ${line.trim()}`)
        .filter((line) => edge.test(line) && !/:\d+ (\/\/|\*|\/\*)/.test(line)),
    );
  expect(found).toEqual([]);
});

test('every source file begins with a sentence on what it contains', () => {
  expect(sources.filter((path) => !read(path).startsWith('// '))).toEqual([]);
});

test('no default exports, no enums, no folders or files without a meaning', () => {
  expect(sources.filter((path) => /^export default|^(export )?(const )?enum /m.test(read(path)))).toEqual([]);
  expect(
    // `events types` is what a user types.
    sources.filter(
      (path) =>
        !path.startsWith('src/commands/') &&
        /\/(utils?|helpers?|common|misc|manager|base|types)\.ts$/.test(path),
    ),
  ).toEqual([]);
});

test('the map in src/README.md names every folder and every file of the wiring', () => {
  const map = read('src/README.md');
  const entries = readdirSync(join(ROOT, 'src')).filter((name) => name !== 'README.md');
  const rooms = readdirSync(join(ROOT, 'src/service')).filter((name) =>
    statSync(join(ROOT, 'src/service', name)).isDirectory(),
  );
  expect(
    [...entries.map((name) => `\`${name}`), ...rooms.map((name) => `\`service/${name}`)].filter(
      (name) => !map.includes(name),
    ),
  ).toEqual([]);
});

test('README lists every command and every exit code', () => {
  // Tables are padded by the formatter.
  const readme = read('README.md').replaceAll(/ +/g, ' ');
  expect(
    COMMAND_LIST.map(({ words }) => `arx ${words}`).filter((words) => !readme.includes(`\`${words}`)),
  ).toEqual([]);
  const codes = Object.entries(EXIT).filter(([kind]) => kind !== 'interrupted');
  expect(codes.filter(([kind, code]) => !readme.includes(`| ${code} | ${kind} |`))).toEqual([]);
});

test('a command lies where its words say', () => {
  expect(
    COMMAND_LIST.filter(({ words }) => !sources.includes(`src/commands/${words.replace(' ', '/')}.ts`)),
  ).toEqual([]);
  expect(
    COMMAND_LIST.filter(({ words }) => words.includes(' ') && NOUNS[words.split(' ')[0] ?? ''] === undefined),
  ).toEqual([]);
});

test('what is generated is fresh', () => {
  const stale = Object.entries(generate()).filter(([path, text]) => read(path) !== text);
  expect(stale.map(([path]) => `${path}: run npm run generate`)).toEqual([]);
});
