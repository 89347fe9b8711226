// The modules that the build replaces inside packages: a package that uses more of one after an upgrade fails here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { rolldown, type Plugin } from 'rolldown';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const { STUBS, PREFIX, stubs } = (await import(pathToFileURL(join(ROOT, 'bin/stubs.mjs')).href)) as {
  STUBS: Record<string, Record<string, string>>;
  PREFIX: string;
  stubs: Plugin;
};
const CASES = Object.entries(STUBS).flatMap(([name, modules]) =>
  Object.keys(modules).map((module) => [name, module] as const),
);

/** Everything that loads a package with a stub. */
const ENTRY = `
import '${ROOT}/src/client/network.ts';
import '${ROOT}/src/client/proxy.ts';
import '${ROOT}/src/format/terminal/table.ts';
import 'commander';
import 'conf';
import '@photostructure/sqlite';
`;
/** By package and module, the files that load the stub. */
const loadersOf = new Map<string, readonly string[]>();
beforeAll(async () => {
  const entry: Plugin = {
    name: 'entry',
    resolveId: (id) => (id === 'entry' ? join(ROOT, 'entry.ts') : undefined),
    load: (id) => (id === join(ROOT, 'entry.ts') ? ENTRY : undefined),
    buildEnd() {
      for (const id of this.getModuleIds())
        if (id.startsWith(PREFIX))
          loadersOf.set(id.slice(PREFIX.length), this.getModuleInfo(id)?.importers ?? []);
    },
  };
  const bundle = await rolldown({ input: 'entry', cwd: ROOT, platform: 'node', plugins: [entry, stubs] });
  await bundle.generate();
});

/** What a file uses of a module: names of members, and `()` where the module itself is called. */
function membersUsed(source: string, module: string): string[] {
  const quoted = `['"]${module.replaceAll(/[./]/g, String.raw`\$&`)}['"]`;
  const names = [
    ...source.matchAll(new RegExp(String.raw`(?:const|let|var) (\w+|\{[^}]*\}) = require\(${quoted}\)`, 'g')),
    ...source.matchAll(new RegExp(String.raw`import (\w+|\{[^}]*\}) from ${quoted}`, 'g')),
  ].map((match) => match[1]!);
  expect(names, `${module} is loaded in a way that this test does not know`).not.toEqual([]);
  return names.flatMap((name) => {
    if (name.startsWith('{'))
      return name
        .slice(1, -1)
        .split(',')
        .map((each) => each.split(':')[0]!.trim());
    const members = [...source.matchAll(new RegExp(String.raw`(?<![\w.])${name}\.(\w+)`, 'g'))].map(
      (match) => match[1]!,
    );
    const isCalled = new RegExp(String.raw`(?<![\w.])${name}\(`).test(source);
    return isCalled ? [...members, '()'] : members;
  });
}

function membersOf(contents: string): string[] {
  const module = { exports: undefined as unknown };
  const body = contents.replace('export default', 'module.exports =');
  runInNewContext(body, { module, require: () => ({}) });
  return typeof module.exports === 'function' ? ['()'] : Object.keys(module.exports as object);
}

describe('a replaced module', () => {
  test.each(CASES)('of %s: %s is loaded, and has all that is used of it', (name, module) => {
    const loaders = loadersOf.get(`${name}:${module}`) ?? [];
    expect(loaders, 'nothing loads it: remove the stub').not.toEqual([]);
    const used = loaders.flatMap((path) => membersUsed(readFileSync(path, 'utf8'), module));
    expect(membersOf(STUBS[name]![module]!)).toEqual(expect.arrayContaining([...new Set(used)]));
  });
});
