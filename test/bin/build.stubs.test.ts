// The modules that the build replaces inside packages: a package that uses more of one after an upgrade fails here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { build, type Metafile, type Plugin } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const { STUBS, stubs } = (await import(pathToFileURL(join(ROOT, 'bin/stubs.mjs')).href)) as {
  STUBS: Record<string, Record<string, string>>;
  stubs: Plugin;
};
const CASES = Object.entries(STUBS).flatMap(([name, modules]) =>
  Object.keys(modules).map((module) => [name, module] as const),
);

/** Everything that loads a package with a stub. */
const ENTRY = `
import './src/client/network.ts';
import './src/client/proxy.ts';
import 'commander';
import 'conf';
import '@photostructure/sqlite';
`;
let inputs: Metafile['inputs'];
beforeAll(async () => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: ENTRY, resolveDir: ROOT },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    metafile: true,
    logLevel: 'error',
    plugins: [stubs],
  });
  inputs = metafile.inputs;
});

/** The files that load the stub. */
function loadersOf(name: string, module: string): string[] {
  return Object.entries(inputs).flatMap(([path, { imports }]) =>
    imports.some((each) => each.path === `stub:${name}/${module}`) ? [path] : [],
  );
}

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
    const loaders = loadersOf(name, module);
    expect(loaders, 'nothing loads it: remove the stub').not.toEqual([]);
    const used = loaders.flatMap((path) => membersUsed(readFileSync(join(ROOT, path), 'utf8'), module));
    expect(membersOf(STUBS[name]![module]!)).toEqual(expect.arrayContaining([...new Set(used)]));
  });
});
