// Frozen folders read again: whether a walk says it ended, what `diff` and `plot` make of whole, torn and broken ones.
import { appendFile, chmod, mkdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { DiffReport, PlotReport } from '../../../src/contract/reports/walk.ts';
import { canonicalJson } from '../../../src/contract/canonical-json.ts';
import { COMPLETION_FILE } from '../../../src/walk/log/completion.ts';
import { openFrozenLog } from '../../../src/walk/log/frozen-log.ts';
import { arx, recordsOf } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { freezeInto } from '../../support/frozen-folder.ts';
import { sampleData } from '../../support/sample.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('frozen')));
const at = (name: string) => join(dir, name);
const ids = (count: number) => Array.from({ length: count }, (_, index) => `conv_${index + 1}`);

async function diff(options = ''): Promise<{ report: DiffReport; exit: number; stderr: string }> {
  const { stdout, exit, stderr } = await arx(dir, `conversations diff a b --json ${options}`);
  return { report: DiffReport.parse(JSON.parse(stdout)), exit, stderr };
}

test('a walk says that it ended, for the head it ended with', async () => {
  await sampleData(at('data'));
  const walk = 'conversations walk --limit 10 --freeze a';
  const cut = await arx(dir, `${walk} --max-requests 9`);
  expect(cut).toMatchObject({ exit: 8, stdout: '' });
  expect(cut.stderr).toContain('  hint: raise --max-requests: they are too few for the first window\n');
  await expect(stat(at(`a/${COMPLETION_FILE}`))).rejects.toThrow('ENOENT');
  const plot = async () =>
    PlotReport.parse(JSON.parse((await arx(dir, 'conversations plot a --json')).stdout)).walk;
  expect(await plot()).toMatchObject({ complete: false, finished_at: null });
  expect((await arx(dir, `${walk} --resume`)).exit).toBe(0);
  const whole = await plot();
  expect(whole).toMatchObject({ complete: true, finished_at: '2026-01-02T03:04:05.678Z', conversations: 60 });
  expect((await arx(dir, 'conversations verify a')).stdout).toContain(whole.head ?? 'no head');
});

test.each([
  ['', 'run that walk again with --base-url https://archive.example --freeze a --resume'],
  ['--base-url https://archive.example', 'run that walk again with --freeze a --resume'],
])('the hint of an unfinished walk names its service where %j is another one', async (flags, hint) => {
  await freezeInto(at('a'), ids(2), { end: false });
  const { stderr } = await arx(dir, `conversations verify a ${flags}`);
  expect(stderr).toContain(`  hint: ${hint}\n`);
});

test('a folder that exists keeps its mode, a new one is private', async () => {
  await sampleData(at('data'));
  await mkdir(at('shared'));
  await chmod(at('shared'), 0o755);
  for (const [name, mode] of [
    ['shared', 0o755],
    ['own', 0o700],
  ] as const) {
    const ran = await arx(dir, `conversations walk --limit 30 --freeze ${name}`);
    expect(ran).toMatchObject({ exit: 0 });
    expect(ran.stderr).not.toContain('mode');
    expect((await stat(at(name))).mode & 0o777).toBe(mode);
  }
});

describe('a walk that reached its end', () => {
  const cutTo = async (windows: number, rows: number) => {
    for (const [name, lines] of [
      ['windows.ndjson', windows],
      ['rows.ndjson', rows],
    ] as const) {
      const text = await readFile(at(`a/${name}`), 'utf8');
      await writeFile(at(`a/${name}`), text.split(/(?<=\n)/).slice(0, lines));
    }
  };
  const READERS = ['verify a', 'diff a b', 'diff b a', 'plot a'];

  test.each([
    ['its last window and rows', 2, 4],
    ['its last window', 2, 6],
    ['all of its windows', 0, 0],
  ])('and lost %s is broken for every reader, and is not continued', async (_, windows, rows) => {
    for (const name of ['a', 'b']) await freezeInto(at(name), ids(6));
    expect(await arx(dir, 'conversations verify a')).toMatchObject({ exit: 0, stderr: '' });
    await cutTo(windows, rows);
    const missing = `window ${windows + 1} is missing: ${COMPLETION_FILE} names a head that is not in the chain`;
    for (const line of READERS) {
      const ended = await arx(dir, `conversations ${line}`);
      expect({ line, exit: ended.exit }).toEqual({ line, exit: 12 });
      expect(ended.stderr).toContain(missing);
    }
    const verified = await arx(dir, 'conversations verify a --json');
    const sound = ['none of its rows is proved', '4 rows in 2 windows before it hold'];
    const words = await arx(dir, 'conversations verify a -o table');
    expect(words.stdout).toContain(`broken at window ${windows + 1}: ${sound[windows === 0 ? 0 : 1]!}`);
    expect(words.stdout).not.toMatch(/0 windows|0 rows|head none|--resume/);
    expect(words.stderr).toContain('  hint: take another copy of the folder, or walk again into a new one\n');
    const report = JSON.parse(verified.stdout);
    expect(report).toMatchObject({
      verdict: 'broken',
      windows,
      problems: [{ window: windows + 1, what: missing }],
    });
    const subject = { base_url: 'https://archive.example', after: null, before: null };
    await writeFile(at('a/walk.json'), `${canonicalJson({ version: 1, ...subject })}\n`);
    await expect(openFrozenLog(at('a'), subject, { resume: true })).rejects.toMatchObject({
      kind: 'integrity',
      message: expect.stringContaining(missing),
    });
  });

  test.each([
    [COMPLETION_FILE, 12],
    ['walk.json', 12],
    ['doubts.ndjson', 12],
  ])('with {} for its %s is broken for every reader', async (name, exit) => {
    for (const walk of ['a', 'b']) await freezeInto(at(walk), ids(6));
    await writeFile(at(`a/${name}`), '{}\n');
    for (const line of READERS)
      expect({ line, ...(await arx(dir, `conversations ${line}`)) }).toMatchObject({
        line,
        exit,
        stdout: '',
      });
  });

  test('and then went on holds with the ends of both times', async () => {
    await freezeInto(at('a'), ids(4));
    const first = await readFile(at(`a/${COMPLETION_FILE}`), 'utf8');
    await freezeInto(at('a'), ids(8));
    expect((await readFile(at(`a/${COMPLETION_FILE}`), 'utf8')).startsWith(first)).toBe(true);
    expect(await arx(dir, 'conversations verify a')).toMatchObject({ exit: 0, stderr: '' });
  });
});

test('verify counts rows of the list that was walked, and says what follows the last window', async () => {
  await freezeInto(at('a'), ids(4), { end: false, list: 'messages' });
  const verify = async () => (await arx(dir, 'conversations verify a')).stdout;
  expect(await verify()).toContain('valid, 2 windows with 4 rows, head ');
  const lines = (await readFile(at('a/windows.ndjson'), 'utf8')).split(/(?<=\n)/);
  await writeFile(at('a/windows.ndjson'), lines[0]!);
  expect(await verify()).toContain('rows follow the last window, and their line is missing');
  await writeFile(at('a/windows.ndjson'), lines.join('').slice(0, -2));
  expect(await verify()).toContain('the last line is torn');
});

describe('diff', () => {
  test('names the first of two folders that are missing first', async () => {
    const { exit, stderr } = await arx(dir, 'conversations diff walk1 walk2');
    expect(exit).toBe(6);
    expect(stderr.indexOf('walk1')).toBeGreaterThan(-1);
    expect(stderr.indexOf('walk2')).toBeGreaterThan(stderr.indexOf('walk1'));
  });

  test('names what was added, moved, lost and changed', async () => {
    await freezeInto(at('a'), ids(9));
    await freezeInto(
      at('b'),
      ['conv_9', ...ids(8).filter((id) => id !== 'conv_4'), 'conv_10'].map((id) =>
        id === 'conv_2' ? 'conv_2:new' : id,
      ),
    );
    const { report, exit } = await diff();
    expect(exit).toBe(0);
    expect(report).toMatchObject({
      added: [{ id: 'conv_10', after: 'conv_8' }],
      moved: [{ id: 'conv_9', from: { after: 'conv_8' }, to: { after: null } }],
      lost: [{ id: 'conv_4', after: 'conv_3' }],
      changed: [{ id: 'conv_2' }],
      unknown: [],
      same: 6,
    });
    const [changed] = report.changed;
    expect(changed?.from.sha256).not.toBe(changed?.to.sha256);
    const records = recordsOf(await arx(dir, 'conversations diff a b -o ndjson'));
    expect(records.map(({ change, id }) => `${change} ${id}`)).toEqual([
      'added conv_10',
      'moved conv_9',
      'lost conv_4',
      'changed conv_2',
    ]);
    const strict = await arx(dir, 'conversations diff a b --strict');
    expect(strict).toMatchObject({ exit: 3 });
    expect(strict.stderr).toContain('the walks differ: 1 added, 1 moved, 1 lost, 1 changed');
    expect(strict.stderr).not.toContain('no difference');
  });

  test('names the fields that differ, those of one walk alone too', async () => {
    const old = { subject: 'a', drift: { ratio: 1 }, messages: 2, last: null };
    const { last: _, ...fewer } = old;
    await freezeInto(
      at('a'),
      ids(3).map((id) => ({ id, ...old })),
    );
    await freezeInto(at('b'), [
      { id: 'conv_1', ...old },
      { id: 'conv_2', ...old, subject: 'b', drift: { ratio: 2 } },
      { id: 'conv_3', ...fewer, opened: '' },
    ]);
    const { report } = await diff();
    expect(report.changed.map(({ id, fields }) => [id, fields])).toEqual([
      ['conv_2', ['drift', 'subject']],
      ['conv_3', ['last', 'opened']],
    ]);
    const screen = await arx(dir, 'conversations diff a b', { columns: 120 });
    expect(screen.stdout).toMatch(/conv_2\S+  drift, subject: \w{12}, now \w{12}/);
    const tsv = await arx(dir, 'conversations diff a b --fields id,fields');
    expect(tsv.stdout).toBe('conv_2\tdrift,subject\nconv_3\tlast,opened\n');
  });

  test('names the tiers of the walks, and the rows that one of them alone does not show', async () => {
    const shown = { subject: 'glass', last: '2026', status: 'stable' };
    const hidden = { subject: null, last: null, status: 'withheld' };
    const rows = (first: object, second: object) => [
      { id: 'conv_1', ...first },
      { id: 'conv_2', ...second },
      { id: 'conv_3', ...hidden, count: first === shown ? 1 : 2 },
    ];
    await freezeInto(at('a'), rows(shown, shown), { tier: 'internal' });
    await freezeInto(at('b'), rows(hidden, hidden), { tier: 'external' });
    const { report, stderr } = await diff();
    expect([report.a.tier, report.b.tier]).toEqual(['internal', 'external']);
    expect(report.changed.map(({ withheld }) => withheld)).toEqual(['b', 'b', undefined]);
    expect(stderr).toContain('arx: walks at different tiers: internal and external\n');
    expect(stderr).toContain('arx: withheld in b alone: 2 of 3 changed rows\n');
    const screen = await arx(dir, 'conversations diff a b', { columns: 120 });
    expect(screen.stdout).toMatch(/3 rows in 2 windows at tier internal/);
    expect(screen.stdout).toMatch(/conv_2\S+  withheld in b: /);
    expect((await arx(dir, 'conversations diff b a')).stderr).toContain(
      'withheld in b alone: 2 of 3 changed rows',
    );
  });

  test('says how many rows are the same where nothing differs', async () => {
    await freezeInto(at('a'), ids(9));
    await freezeInto(at('b'), ids(9));
    const line = 'conversations diff a b';
    const said = 'arx: no difference, 9 the same\n';
    for (const form of ['', ' -o csv', ' -o ndjson'])
      expect(await arx(dir, line + form)).toMatchObject({ exit: 0, stderr: said });
    expect(await arx(dir, `${line} -q`)).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    const [summary] = recordsOf(await arx(dir, `${line} -o ndjson --summary`));
    expect(summary).toMatchObject({ type: 'summary', rows: 0, same: 9 });
    const screen = await arx(dir, line, { columns: 80 });
    expect(screen.stdout).toMatch(/no difference.*9 the same/);
    expect(screen.stderr).toBe('');
    expect((await diff()).report.same).toBe(9);
  });

  test('what a walk without an end did not reach is unknown, not lost, and the exit code says so', async () => {
    await freezeInto(at('a'), ids(6));
    await freezeInto(
      at('b'),
      ids(6)
        .slice(0, 4)
        .filter((id) => id !== 'conv_2'),
      { end: false },
    );
    const { report, exit, stderr } = await diff();
    expect(exit).toBe(3);
    expect(report.lost).toEqual([{ id: 'conv_2', after: 'conv_1' }]);
    expect(report.unknown).toEqual(
      ['conv_5', 'conv_6'].map((id, index) => ({
        id,
        side: 'a',
        after: `conv_${index + 4}`,
        reason: 'not_reached',
      })),
    );
    expect(stderr).toContain('finish the walk in b with --resume');
  });

  test('a side without an end is said, and is no proof of equality', async () => {
    await freezeInto(at('a'), ids(4), { end: false });
    await freezeInto(at('b'), ids(4), {
      base_url: 'https://mirror.example',
      list: 'messages',
      after: 'conv_0',
    });
    const { exit, stderr } = await diff();
    expect(exit).toBe(0);
    for (const said of [
      'different archives: https://archive.example and https://mirror',
      'different lists: conversations and messages',
      'different ranges',
      'a: this walk has no record',
    ])
      expect(stderr).toContain(said);
    expect((await diff('--strict')).exit).toBe(3);
  });

  test('a torn last line is said and not counted', async () => {
    await freezeInto(at('a'), ids(4));
    await freezeInto(at('b'), ids(4));
    await appendFile(at('b/windows.ndjson'), '{"after":"conv_4"');
    const { report, exit, stderr } = await diff();
    expect({ exit, torn: report.b.torn, same: report.same }).toEqual({ exit: 0, torn: true, same: 4 });
    expect(stderr).toContain('b: the log ends with an unfinished window');
  });

  test('a chain that does not hold is named with its window, on both sides, and nothing is printed', async () => {
    for (const name of ['a', 'b']) {
      await freezeInto(at(name), ids(6));
      const rows = await readFile(at(`${name}/rows.ndjson`), 'utf8');
      await writeFile(at(`${name}/rows.ndjson`), rows.replace('conv_3', 'conv_7'));
    }
    const { exit, stdout, stderr } = await arx(dir, 'conversations diff a b');
    expect({ exit, stdout }).toEqual({ exit: 12, stdout: '' });
    expect(stderr).toContain('arx: a: window 2 has rows of another hash');
    expect(stderr).toContain('arx: b: window 2 has rows of another hash');
  });

  test.each([
    ['nothing', async () => {}, 6],
    ['an empty folder', () => mkdir(at('b')), 6],
    [
      'a folder without its subject',
      async () => {
        await freezeInto(at('b'), ids(2));
        await rm(at('b/walk.json'));
      },
      6,
    ],
    [
      'a cut subject',
      async () => {
        await freezeInto(at('b'), ids(2));
        await truncate(at('b/walk.json'), 9);
      },
      12,
    ],
    [
      'a damaged record of the end',
      async () => {
        await freezeInto(at('b'), ids(2));
        await writeFile(at(`b/${COMPLETION_FILE}`), 'prose\n');
      },
      12,
    ],
    [
      'a link',
      async () => {
        await freezeInto(at('b'), ids(2));
        await rm(at('b/rows.ndjson'));
        await symlink(at('a/rows.ndjson'), at('b/rows.ndjson'));
      },
      13,
    ],
  ])('%s in its place', async (_, make, exit) => {
    await freezeInto(at('a'), ids(2));
    await make();
    expect(await arx(dir, 'conversations diff a b')).toMatchObject({ exit, stdout: '' });
  });

  test('what an archive calls its rows cannot act on a terminal', async () => {
    await freezeInto(at('a'), ['conv_1']);
    await freezeInto(at('b'), ['conv_1', 'x\u001b]0;evil\u0007']);
    const { stdout } = await arx(dir, 'conversations diff a b', { columns: 80, env: { NO_COLOR: '1' } });
    expect(stdout).toContain('x\\u{1b}]0;evil\\u{7}  after conv_1');
  });
});

describe('plot --html', () => {
  test('writes a page that is whole or not there, and over another file only with --force', async () => {
    await freezeInto(at('a'), ids(9));
    const page = 'conversations plot a --html page.html';
    expect(await arx(dir, page)).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('the page is in page.html'),
    });
    const first = await readFile(at('page.html'), 'utf8');
    expect((await stat(at('page.html'))).mode & 0o777).toBe(0o600);
    await rm(at('a'), { recursive: true });
    await freezeInto(at('a'), ids(8));
    expect(await arx(dir, page)).toMatchObject({ exit: 13, stdout: '' });
    expect(await readFile(at('page.html'), 'utf8')).toBe(first);
    expect((await arx(dir, `${page} --force`)).exit).toBe(0);
    expect(await readFile(at('page.html'), 'utf8')).not.toBe(first);
  });

  test('never writes through a link, and never over a folder', async () => {
    await freezeInto(at('a'), ids(2));
    await writeFile(at('victim'), 'precious');
    await symlink(at('victim'), at('page.html'));
    expect((await arx(dir, 'conversations plot a --html page.html --force')).exit).toBe(13);
    expect(await readFile(at('victim'), 'utf8')).toBe('precious');
    expect((await arx(dir, 'conversations plot a --html a --force')).exit).toBe(13);
  });

  test('a walk that froze nothing is no picture, an empty list is', async () => {
    await freezeInto(at('a'), [], { end: false });
    expect(await arx(dir, 'conversations plot a --json')).toMatchObject({ exit: 3 });
    await freezeInto(at('b'), []);
    expect(await arx(dir, 'conversations plot b --html b.html')).toMatchObject({ exit: 0 });
  });
});
