// Checks that every citation in code, tests and documents can be followed inside this repository.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { SECTIONS } from '../../src/contract/facts/index.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const THIS_FILE = 'test/acceptance/citations.test.ts';
const below = (folder: string): string[] =>
  (readdirSync(join(ROOT, folder), { recursive: true }) as string[]).map((path) => join(folder, path));
const texts = [...below('src'), ...below('test'), ...below('bin'), 'README.md', 'CHANGELOG.md']
  .filter((path) => /\.(ts|mts|mjs|js|md|transcript)$/.test(path) && path !== THIS_FILE)
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** Every match of `pattern` in all texts, as `path: match`. */
const found = (pattern: RegExp): { where: string; path: string; match: RegExpMatchArray }[] =>
  texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => ({ where: `${path}: ${match[0]}`, path, match })),
  );

test('a section of the interface is a heading of src/contract/README.md', () => {
  const headings = readFileSync(join(ROOT, 'src/contract/README.md'), 'utf8');
  const cited = found(/\binterface ((?:\d(?:\.\d+)?)(?:(?:, | and | to |; )\d(?:\.\d+)?)*)/g);
  expect(cited.length).toBeGreaterThan(50);
  for (const { where, match } of cited) {
    for (const [section] of match[1]!.matchAll(/\d(?:\.\d+)?/g)) {
      expect([...SECTIONS.keys()], where).toContain(section);
      expect(headings).toMatch(new RegExp(`^#+ ${section.replace('.', '\\.')} `, 'm'));
    }
  }
});

test('a Markdown file that is named exists', () => {
  const names = new Set(texts.map(({ path }) => basename(path)));
  // Written by a command, or an example of a name.
  const written = /^(?:note|notes|out|link|x|a|b)\.md$/;
  for (const { where, path, match } of found(/(?<![\w./-])((?:[\w-]+\/)*[\w-]+\.md)\b/g)) {
    const name = match[1]!;
    if (written.test(name)) continue;
    const here = existsSync(join(ROOT, name)) || existsSync(join(ROOT, dirname(path), name));
    expect(here || (!name.includes('/') && names.has(name)), where).toBe(true);
  }
});

const README = join(ROOT, 'test/README.md');
const readme = readFileSync(README, 'utf8');
/** A line of the list in test/README.md: `- **A1** input → behaviour — test files`. */
const LINE = /^(- \*\*([A-Z]\d+[a-z]?)\*\*)(.*)$/gm;
const listed = new Set(Array.from(readme.matchAll(LINE), ([, , id = '']) => id));
const ID = /\b(?:[A-R]\d{1,2}b?|X\d{1,2})\b/g;
/** Ids stand at the start of a test title, or after the words "bad input". */
const TITLE_IDS =
  /(?:['"`]|bad inputs? )((?:[A-R]\d{1,2}b?|X\d{1,2})(?:(?:,? | and | to )(?:[A-R]\d{1,2}b?|X\d{1,2}))*)(?=[\s:'"`,)])/g;
/** Ids of Slack channels and files look the same. */
const OTHER_IDS = /^test\/(service\/(import|mail|fsck)\/|transcripts|acceptance\/absent)/;
const citedIn = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(TITLE_IDS), ([, ids = '']) => ids.match(ID) ?? []).flat());

test('the id of a bad input is in the list of test/README.md', () => {
  expect(listed.size).toBeGreaterThan(180);
  const cited = texts
    .filter(({ path }) => /\.(ts|mts|mjs)$/.test(path) && !OTHER_IDS.test(path))
    .flatMap(({ path, text }) => [...citedIn(text)].map((id) => ({ path, id })));
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter(({ id }) => !listed.has(id))).toEqual([]);
});

test('the list names the test files of every bad input', () => {
  const tests = texts.filter(({ path }) => path.startsWith('test/') && !OTHER_IDS.test(path));
  const filesOf = (id: string): string => {
    const files = tests.filter(({ path, text }) => path.endsWith('.ts') && citedIn(text).has(id));
    const names = files.map(({ path }) => `\`${path.slice('test/'.length)}\``).toSorted();
    return names.length === 0 ? 'no test by this id' : names.join(', ');
  };
  const expected = readme.replaceAll(LINE, (_, head: string, id: string, text: string) => {
    return `${head}${text.split(' — ').slice(0, -1).join(' — ')} — ${filesOf(id)}`;
  });
  // Moving a test changes the list: ARX_UPDATE_BAD_INPUTS=1 writes it.
  if (process.env['ARX_UPDATE_BAD_INPUTS'] === '1') writeFileSync(README, expected);
  else expect(readme).toBe(expected);
});
