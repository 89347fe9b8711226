// Every regular expression of the program takes time in proportion to its text, whoever wrote that text.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterEach, expect, it, vi } from 'vitest';
import { parseAst } from 'vitest/node';

/** Finds parts of an expression that exchange characters with each other, or with the place where it begins. */
type Analyse = (expression: Expression) => { reports: { type: string }[] };
const { analyse } = createRequire(import.meta.url)('scslre') as { analyse: Analyse };

const SRC = join(import.meta.dirname, '../src');

/** Files whose expressions read only texts of this repository. */
const OWN_TEXTS: ReadonlySet<string> = new Set([
  'help/markdown.ts',
  'service/store/schema/expected-indexes.ts',
]);

/** Files that compose expressions from parts. Each is called below. */
const COMPOSERS = [
  'client/safe-text.ts',
  'config/setting-source.ts',
  'contract/exact-json.ts',
  'contract/loopback.ts',
  'service/mail/date.ts',
];

type Expression = { source: string; flags: string };

/** Returns why the time of an expression may grow faster than its text, empty where it does not. */
function superLinear({ source, flags }: Expression): string[] {
  const { reports } = analyse({ source, flags: flags.replaceAll(/[gyd]/g, '') });
  return reports.map(({ type }) => `/${source}/${flags}: ${type}`);
}

type Found = { literals: Expression[]; composes: boolean };

async function expressionsIn(file: string): Promise<Found> {
  const { code } = await transform(readFileSync(join(SRC, file), 'utf8'), { loader: 'ts', format: 'esm' });
  const found: Found = { literals: [], composes: /\bRegExp\(/.test(code) };
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { regex } = node as { regex?: { pattern: string; flags: string } };
    if (regex !== undefined) found.literals.push({ source: regex.pattern, flags: regex.flags });
    else for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(code));
  return found;
}

const files = (readdirSync(SRC, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts'))
  .sort();

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it('finds expressions that take quadratic or cubic time', () => {
  for (const { source, flags } of [
    /\n+$/,
    /^([^:]+?)[ \t]*:[ \t]*(.*)$/s,
    /^From \S+ .*\d\d:\d\d.*\d{4}.*\r?\n[\w-]+:/,
    /[\w.]{8,}(?![\w.]*=)/g,
  ])
    expect(superLinear({ source, flags }), source).not.toEqual([]);
  expect(superLinear(/^[^:]+:.*$/s)).toEqual([]);
});

it('takes linear time for every regular expression of the source', async () => {
  const slow: string[] = [];
  const composers: string[] = [];
  let count = 0;
  for (const file of files) {
    const { literals, composes } = await expressionsIn(file);
    count += literals.length;
    if (composes) composers.push(file);
    if (!OWN_TEXTS.has(file)) slow.push(...literals.flatMap(superLinear).map((why) => `${file} ${why}`));
  }
  expect(count).toBeGreaterThan(300);
  expect(slow).toEqual([]);
  expect(composers).toEqual(COMPOSERS);
});

it('takes linear time for expressions that are composed', async () => {
  const composed: Expression[] = [];
  vi.resetModules();
  vi.stubGlobal(
    'RegExp',
    class extends RegExp {
      constructor(source: string, flags = '') {
        super(source, flags);
        composed.push({ source, flags });
      }
    },
  );
  await import('../src/contract/loopback.ts');
  await import('../src/service/mail/date.ts');
  const { redactSecret } = await import('../src/client/safe-text.ts');
  expect(redactSecret('a b+c', 'b+c')).toBe('a [token]');
  expect(composed.length).toBeGreaterThanOrEqual(4);
  expect(composed.flatMap(superLinear)).toEqual([]);
});
