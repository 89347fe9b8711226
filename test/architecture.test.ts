// Checks the structure of the code: which folder may import which, what appears only in main.ts, and that the lists in the documents are true.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NOUNS, COMMAND_LIST } from '../src/command-list/index.ts';
import { generate } from '../src/generate.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const sources = (readdirSync(join(ROOT, 'src'), { recursive: true }) as string[])
  .map((path) => posix.join('src', path.replaceAll('\\', '/')))
  .filter((path) => path.endsWith('.ts'));

/**
 * Room of src → rooms and files of src/ that it may import, from the bottom up; {@link COMMON} is for all. main.ts, arx.ts, program.ts and
 * generate.ts stand above all rooms: no room imports them. The lines about these rooms in src/README.md name the same rooms.
 */
const ROOMS: Record<string, string[]> = {
  disk: [],
  concurrency: [],
  contract: [],
  client: ['contract', 'concurrency'],
  verify: ['contract'],
  format: ['contract'],
  config: ['format', 'client', 'contract'],
  walk: ['contract'],
  service: ['contract', 'concurrency'],
  download: ['verify', 'client', 'contract', 'concurrency'],
  bagit: ['download', 'walk', 'verify', 'contract', 'concurrency'],
  capabilities: ['walk', 'client', 'contract'],
  warc: ['download', 'client', 'contract'],
  'command-list': ['config', 'contract'],
  completion: ['command-list', 'config', 'format', 'contract'],
  explore: ['format', 'contract'],
  wiring: [
    'app.ts',
    'completion',
    'command-list',
    'warc',
    'download',
    'service',
    'config',
    'format',
    'client',
    'contract',
  ],
  help: ['command-list', 'config', 'format', 'contract'],
  commands: [
    'app.ts',
    'wiring',
    'explore',
    'completion',
    'command-list',
    'capabilities',
    'bagit',
    'download',
    'service',
    'walk',
    'config',
    'format',
    'verify',
    'client',
    'contract',
    'concurrency',
  ],
};
/**
 * Room of src/service → rooms of it that it may import, from the bottom up: a room imports only rooms above it in this
 * table, so there are no circles. The lines about these rooms in src/README.md name the same rooms.
 */
const SERVICE_ROOMS: Record<string, string[]> = {
  rules: [],
  'file-type': [],
  geocoding: [],
  records: ['rules'],
  mail: ['file-type', 'records'],
  store: ['records', 'rules'],
  import: ['file-type', 'geocoding', 'mail', 'records', 'store'],
  fsck: ['mail', 'records', 'rules', 'store'],
  sample: ['geocoding', 'mail', 'records'],
  handlers: ['mail', 'records', 'rules', 'store'],
  copy: ['handlers', 'mail', 'records', 'rules', 'store'],
  // The handlers know its interface alone (handlers/fault-plan.ts); `arx serve` loads it where its options ask for faults.
  'fault-injection': ['handlers', 'rules', 'store'],
  http: ['handlers', 'rules', 'store'],
  'index.ts': ['handlers', 'store'],
  'administration.ts': ['handlers', 'store'],
};
/** Room of src/walk → what it may import of src/walk, from the bottom up. Files of src/walk itself stand above its rooms. */
const WALK_ROOMS: Record<string, string[]> = {
  'source.ts': [],
  order: [],
  evidence: ['source.ts', 'order'],
  decide: ['evidence'],
  plan: ['source.ts', 'order', 'evidence', 'decide'],
  log: ['source.ts', 'order'],
};
/** Files and one folder that every room may import. */
const COMMON = new Set(['faults.ts', 'exit.ts', 'world.ts', 'lazy.ts', 'shell-words.ts', 'disk']);

const importsOf = (path: string): string[] =>
  [...read(path).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) =>
    posix.relative('src', posix.join(posix.dirname(path), match[1] ?? '')),
  );

/** Returns the rooms that the entry of a room in src/README.md names as those that it may import. */
const importsOnMap = (room: string): string[] | undefined => {
  const [, rooms] =
    new RegExp(String.raw`\n- \`${room}\`: [^\n]*\n  May import: ([^\n]*)\.\n`).exec(read('src/README.md')) ??
    [];
  return rooms === 'nothing' ? [] : rooms?.split(', ');
};

describe('imports', () => {
  test.each(sources.filter((path) => path.split('/').length > 2))('%s', (path) => {
    const room = path.split('/')[1] ?? '';
    for (const target of importsOf(path)) {
      const [first = ''] = target.split('/');
      if (target === '../package.json' || COMMON.has(first)) continue;
      expect([room, ...(ROOMS[room] ?? [])], `${path} imports ${target}`).toContain(first);
      if (room === 'commands' && first === 'service') {
        expect([
          'service/index.ts',
          'service/administration.ts',
          'service/mail/readable-mail.ts',
          'service/http/index.ts',
          'service/fsck/check-archive.ts',
          'service/copy/index.ts',
          'service/import/index.ts',
          'service/fault-injection/index.ts',
          'service/sample/index.ts',
        ]).toContain(target);
      }
    }
  });
});

test('no files import each other in a circle', () => {
  const files = new Set(sources);
  const targets = (path: string): string[] =>
    importsOf(path)
      .map((target) => `src/${target}`)
      .filter((target) => files.has(target));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' → '));
    if (done.has(path) || above.includes(path)) return;
    for (const target of targets(path)) visit(target, [...above, path]);
    done.add(path);
  };
  for (const path of files) visit(path, []);
  expect(circles).toEqual([]);
});

describe('rooms of src', () => {
  test('are listed from the bottom up', () => {
    const rooms = Object.keys(ROOMS);
    const upward = Object.entries(ROOMS).flatMap(([room, allowed]) =>
      allowed.filter((other) => rooms.indexOf(other) >= rooms.indexOf(room)),
    );
    expect(upward).toEqual([]);
  });

  test('are described in src/README.md with the rooms that they import', () => {
    const described = Object.keys(ROOMS).map((room) => [room, importsOnMap(`${room}/`)]);
    expect(Object.fromEntries(described)).toEqual(ROOMS);
  });
});

describe('rooms of the walk', () => {
  const rooms = Object.keys(WALK_ROOMS);
  test.each(
    sources.filter((path) => rooms.includes(path.split('/')[2] ?? '') && path.startsWith('src/walk/')),
  )('%s imports rooms of the table alone', (path) => {
    const room = path.split('/')[2] ?? '';
    for (const target of importsOf(path)) {
      const [first, other = ''] = target.split('/');
      if (first === 'walk')
        expect([room, ...(WALK_ROOMS[room] ?? [])], `${path} imports ${target}`).toContain(other);
    }
  });

  test('are listed from the bottom up, and all of them', () => {
    const upward = Object.entries(WALK_ROOMS).flatMap(([room, allowed]) =>
      allowed.filter((other) => rooms.indexOf(other) >= rooms.indexOf(room)),
    );
    expect(upward).toEqual([]);
    const folders = readdirSync(join(ROOT, 'src/walk')).filter((name) => !name.includes('.'));
    expect(folders.filter((name) => !rooms.includes(name))).toEqual([]);
  });
});

describe('rooms of the service', () => {
  test('are listed from the bottom up', () => {
    const rooms = Object.keys(SERVICE_ROOMS);
    const upward = Object.entries(SERVICE_ROOMS).flatMap(([room, allowed]) =>
      allowed
        .filter((other) => rooms.indexOf(other) >= rooms.indexOf(room))
        .map((other) => `${room} → ${other}`),
    );
    expect(upward).toEqual([]);
    expect(rooms.toSorted()).toEqual(
      readdirSync(join(ROOT, 'src/service'))
        .filter((name) => name !== 'README.md')
        .toSorted(),
    );
  });

  test.each(sources.filter((path) => path.startsWith('src/service/')))(
    '%s imports rooms of the table alone',
    (path) => {
      const room = path.split('/')[2] ?? '';
      for (const target of importsOf(path)) {
        const [first, other = ''] = target.split('/');
        if (first === 'service')
          expect([room, ...(SERVICE_ROOMS[room] ?? [])], `${path} imports ${target}`).toContain(other);
      }
    },
  );

  test('fault injection is loaded by name, never together with other code', () => {
    const loaded = sources
      .filter((path) => !path.startsWith('src/service/fault-injection/'))
      .filter((path) => /^(?:import|export) (?!type )[^;]*'[^']*\/fault-injection\/[^']*'/m.test(read(path)));
    expect(loaded).toEqual([]);
  });

  test('are described in src/README.md with the rooms that they import', () => {
    const rooms = Object.entries(SERVICE_ROOMS).filter(([room]) => !room.endsWith('.ts'));
    const described = rooms.map(([room]) => [room, importsOnMap(`service/${room}`)]);
    expect(described).toEqual(rooms);
  });
});

test('every export has a docstring', () => {
  // Not needed: what every command exports, types inferred from a schema of the same name, and further overloads of a function.
  const declared = /^export (?:async )?(function|class|const|type|interface)\*? (\w+)/;
  const missing = sources.flatMap((path) => {
    const lines = read(path).split('\n');
    return lines.flatMap((line, index) => {
      const [, kind, name = ''] = declared.exec(line) ?? [];
      if (kind === undefined) return [];
      if (path.startsWith('src/commands/') && (name === 'Input' || name === 'run')) return [];
      const isSame = (other: string, kinds: string): boolean =>
        new RegExp(String.raw`^export (?:async )?(?:${kinds})\*? ${name}\b`).test(other);
      if (kind === 'type' && lines.some((other) => isSame(other, 'const'))) return [];
      if (kind === 'function' && lines.slice(0, index).some((other) => isSame(other, kind))) return [];
      const above = lines.slice(0, index).findLast((other) => !other.startsWith('// oxlint-disable'));
      return above?.endsWith('*/') === true ? [] : [`${path}:${index + 1} ${name}`];
    });
  });
  expect(missing).toEqual([]);
});

test('process, console, clock, random numbers and timers appear only in main.ts, and where a worker ends', () => {
  const edge =
    /(?<![-\w])(process\.|console\.|Date\.now|Math\.random|(?<!socket\.)setTimeout\(|setInterval\()/;
  const found = sources
    .filter((path) => path !== 'src/main.ts')
    .flatMap((path) =>
      read(path)
        .split('\n')
        .map((line, index) => `${path}:${index + 1} ${line.trim()}`)
        .filter((line) => edge.test(line) && !/:\d+ (\/\/|\*|\/\*)/.test(line))
        // In a worker exit() ends the thread alone.
        .filter(
          (line) => !/-worker\.ts:\d+ .*process\.(?:exit\(\)|kill\(process\.pid, 'SIGKILL'\));/.test(line),
        ),
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

test('a command stands at the path of its words', () => {
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

describe('the tests', () => {
  const tests = (readdirSync(join(ROOT, 'test'), { recursive: true }) as string[])
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts'));

  test('each stands at the path of what it tests, or in acceptance/', () => {
    const exists = (path: string): boolean =>
      statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined;
    const isMirror = (path: string): boolean => {
      // `a/b.<aspect>.long.test.ts` tests a/b.
      const [name = ''] = posix.basename(path).split('.');
      const tested = posix.join(posix.dirname(path), name);
      return [`src/${tested}`, `src/${tested}.ts`, `test/${tested}.ts`, `${tested}.mjs`, `${tested}.js`].some(
        exists,
      );
    };
    const elsewhere = tests.filter((path) => path.includes('/') && !/^(acceptance|bench)\//.test(path));
    expect(elsewhere.filter((path) => !isMirror(path))).toEqual([]);
  });

  test('each that vitest.config.mts names is there', () => {
    const named = [...read('test/vitest.config.mts').matchAll(/'test\/([\w./-]+\.test\.ts)'/g)];
    expect(named.length).toBeGreaterThan(0);
    expect(named.map(([, path = '']) => path).filter((path) => !tests.includes(path))).toEqual([]);
  });
});
