// `arx import`: only into the local archive, and by the kind that was asked for.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ImportReport } from '../../src/contract/reports/archive.ts';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('import-command')));
beforeEach(() => {
  mkdirSync(join(dir, 'box'));
  writeFileSync(join(dir, 'box/1'), 'From: a@b\nSubject: x\n\ntext\n');
});

test('with a base URL is refused, and nothing is written', async () => {
  const env = { LANG: 'C.UTF-8', ARX_BASE_URL: 'http://127.0.0.1:9' };
  const { exit, stderr, stdout } = await arx(dir, 'import box', { env });
  expect([exit, stdout]).toEqual([2, '']);
  expect(stderr).toContain('import works on the local archive, and a base URL is set');
  expect(readdirSync(dir)).toEqual(['box']);
});

test.each([
  ['import missing.mbox', '(no such file or folder)'],
  ['import box missing.mbox', '(no such file or folder)'],
  ['import box box/2', 'box/2 is none of these: '],
  ['import --kind mbox box', 'box is no mbox'],
])('a path that cannot be imported makes no archive: %s', async (line, words) => {
  writeFileSync(join(dir, 'box/2'), 'of no kind');
  const { exit, stderr } = await arx(dir, line);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(words)]);
  expect(readdirSync(dir)).toEqual(['box']);
});

test.each([
  ['', 'mail'],
  ['--kind mail', 'mail'],
  ['--kind folder', 'folder'],
])('%s', async (option, kind) => {
  const { exit, stdout } = await arx(dir, `import box --json ${option}`);
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ sources: [{ kind, messages: { read: 1, stored: 1 } }] });
});

test.each([
  ['', 80, true],
  ['-q', 80, false],
  ['--dry-run', 80, false],
  ['', undefined, false],
])('import %s at a terminal of %s columns names the next commands: %s', async (option, columns, isNamed) => {
  const { stderr } = await arx(dir, `import box ${option}`, columns === undefined ? {} : { columns });
  expect(stderr.includes('next: arx attachments ls; arx search WORD; arx explore')).toBe(isNamed);
});

test('a dry run says what would be stored', async () => {
  const { stdout } = await arx(dir, 'import box --dry-run -o table');
  expect(stdout).toContain('1 message read: 1 would be stored, 0 already there or repeated, 0 refused');
  expect(readdirSync(dir)).toEqual(['box']);
});

test('an import that changes who may read known messages says so, above all a dry run', async () => {
  await arx(dir, 'import box');
  const runs = async (options: string): Promise<[unknown, string]> => {
    const { stdout, stderr } = await arx(dir, `import box box/1 --json ${options}`);
    return [(JSON.parse(stdout) as ImportReport).tier_changes, stderr];
  };
  const changes = [{ from: 'internal', to: 'external', messages: 1 }];
  expect(await runs('--tier external --dry-run')).toEqual([
    changes,
    expect.stringContaining(
      'arx: 1 message and its attachments would change from tier internal to external\n',
    ),
  ]);
  expect(await runs('--tier external')).toEqual([
    changes,
    'arx: 1 message and its attachments changed from tier internal to external\n',
  ]);
  for (const options of ['', '--tier external']) expect(await runs(options)).toEqual([undefined, '']);
  const { stdout } = await arx(dir, 'import box --tier mirror -o table');
  expect(stdout).toContain('─ 1 message and its attachments changed from tier external to mirror\n');
});

test.each(['--kind maildir', '--kind mbox', '--kind slack', '--kind pst'])(
  '%s does not fit',
  async (option) => {
    const { exit, stdout, stderr } = await arx(dir, `import box ${option}`);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
  },
);

test.each([
  ['"New York"', 'new-york'],
  ['"São Paulo "', 'sao-paulo'],
  ['LONDON', 'london'],
  ['"***"', 'lisbon'],
])('--origin-city %s: the label that is meant is named', async (city, label) => {
  const ran = await arx(tempFolder('origin-city'), `import x --origin-city ${city}`);
  expect([ran.exit, ran.stderr]).toEqual([
    2,
    expect.stringContaining(`must be a lower-case label, e.g. ${label}`),
  ]);
});

test.each([
  ['no such file or folder', 'missing'],
  ['not a folder', 'file/inside'],
  ['name too long', 'x'.repeat(300)],
])('why a path cannot be read is said in words: %s', async (reason, path) => {
  writeFileSync(join(dir, 'file'), '');
  const { exit, stderr } = await arx(dir, `import ${path}`);
  expect([exit, stderr.split('\n')[0]]).toEqual([
    2,
    `arx: cannot read ${join(dir, path)} (${reason}) [usage, exit 2]`,
  ]);
});

test.each([
  ['the folder of the archive', 'data', 'data (ARX_DATA_DIR) is the folder of the archive itself'],
  ['its database', 'data/archive.db', 'data/archive.db belongs to the archive itself'],
  ['its files', 'data/blobs', 'data/blobs belongs to the archive itself'],
  ['a link to it', 'link', 'link is the folder of the archive itself'],
  ['a folder that holds it', '.', ' holds the folder of the archive itself, '],
])('the archive is not imported into itself: %s', async (_, path, why) => {
  await sampleData(join(dir, 'data'));
  symlinkSync(join(dir, 'data'), join(dir, 'link'));
  for (const dryRun of ['', ' --dry-run']) {
    const { exit, stdout, stderr } = await arx(dir, `import ${path}${dryRun}`);
    expect([exit, stdout]).toEqual([13, '']);
    expect(stderr).toContain(why);
    expect(stderr).toContain('  hint: name other folders, or keep it elsewhere (arx help environment)');
  }
  writeFileSync(join(dir, 'data/mail'), 'From: a@b\nSubject: y\n\ntext\n');
  for (const other of ['box', 'data/mail']) expect((await arx(dir, `import ${other}`)).exit).toBe(0);
});

test.each([
  ['the folder', 'config', 'config is the folder of the settings and tokens of arx'],
  ['the token file', 'config/tokens.json', 'tokens.json belongs to the settings and tokens of arx'],
  ['a folder that holds it', '.', ' holds the folder of the settings and tokens of arx, '],
])('tokens are not imported: %s', async (_, path, why) => {
  mkdirSync(join(dir, 'config'));
  for (const name of ['tokens.json', 'other'])
    writeFileSync(join(dir, 'config', name), 'From: a@b\nSubject: y\n\ntext\n');
  const elsewhere = { env: { ARX_DATA_DIR: join(tempFolder('elsewhere'), 'data') } };
  const { exit, stdout, stderr } = await arx(dir, `import ${path}`, elsewhere);
  expect([exit, stdout, stderr]).toEqual([13, '', expect.stringContaining(why)]);
  expect((await arx(dir, 'import config/other', elsewhere)).exit).toBe(0);
});

test.each([
  ['the archive', {}, '', ' holds the folder of the archive itself, '],
  ['another archive', {}, ' --database sqlite:new/archive', ' holds the folder of the archive itself, '],
  ['settings', { ARX_DATA_DIR: '' }, '', ' holds the folder of the settings and tokens of arx, '],
  ['the cache', { ARX_DATA_DIR: '', ARX_CONFIG_DIR: '' }, '', ' holds the cache of arx, '],
])('a folder in which the import would make its own is refused: %s', async (_, moved, option, why) => {
  const elsewhere = tempFolder('elsewhere');
  const places = Object.keys(moved).map((name) => [name, join(elsewhere, name)]);
  const env = { ARX_CACHE_DIR: join(dir, 'cache'), ...Object.fromEntries(places) };
  for (const dryRun of [' --dry-run', '']) {
    const { exit, stdout, stderr } = await arx(dir, `import .${option}${dryRun}`, { env });
    expect([exit, stdout, stderr]).toEqual([13, '', expect.stringContaining(why)]);
    expect(readdirSync(dir)).toEqual(['box']);
  }
});

test('what an import makes due for the search is indexed at its end', async () => {
  const part = 'Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt';
  writeFileSync(
    join(dir, 'box/1'),
    `From: a@b\nSubject: x\nContent-Type: multipart/mixed; boundary=B\n\n--B\n${part}\n\nharbour\n--B--\n`,
  );
  await arx(dir, 'import box');
  for (const tier of ['external', 'mirror']) {
    expect((await arx(dir, `import box --tier ${tier}`)).exit).toBe(0);
    const { exit, stdout } = await arx(dir, 'fsck --json');
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).not.toHaveProperty('not_indexed');
  }
});

describe('paths without a message', () => {
  const emptyPaths = (): void => {
    mkdirSync(join(dir, 'none'));
    writeFileSync(join(dir, 'mailbox'), '');
  };

  test.each([
    ['mailbox', 'no message was found in mailbox'],
    ['none', 'no message was found in none'],
    ['none mailbox', 'no message was found in these 2 paths'],
    ['none --dry-run', 'no message was found in none'],
  ])('%s alone: exit 3', async (paths, words) => {
    emptyPaths();
    const { exit, stderr } = await arx(dir, `import ${paths} -q`);
    expect([exit, stderr.replaceAll(`${dir}/`, '')]).toEqual([
      3,
      expect.stringContaining(`arx: ${words} [partial, exit 3]`),
    ]);
  });

  test('empty standard input is exit 3', async () => {
    const { exit, stderr } = await arx(dir, 'import -', { stdin: '' });
    expect([exit, stderr]).toEqual([3, expect.stringContaining('no message was found in -')]);
  });

  test('one among others is named, and fails under --strict', async () => {
    emptyPaths();
    const { exit, stderr } = await arx(dir, 'import box mailbox');
    expect([exit, stderr]).toEqual([0, expect.stringMatching(/arx: no message was found in \S+mailbox\n/)]);
    expect((await arx(dir, 'import box mailbox --strict')).exit).toBe(3);
  });
});

test.each(['', '--kind folder'])('a text file, %s: how it is stored is said', async (kind) => {
  writeFileSync(join(dir, 'plain.txt'), 'only text\n');
  const { exit, stderr } = await arx(dir, `import plain.txt ${kind}`);
  expect([exit, stderr]).toEqual([
    2,
    expect.stringContaining('hint: to store it as a file, put it into a folder and import the folder'),
  ]);
});

test('the uploads of a Slack export are named beside it, and counted with it', async () => {
  const files = {
    'export/users.json': '[]',
    'export/channels.json': '[{"id":"C1","name":"general"}]',
    'export/general/2020-01-01.json': '[{"type":"message","ts":"1577836800.000100","user":"U1","text":"a"}]',
    'uploads/__uploads/F1/a.txt': 'a',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  const { stdout } = await arx(dir, 'import export uploads --json --dry-run');
  const report = JSON.parse(stdout) as ImportReport;
  expect(report.sources).toMatchObject([
    { path: join(dir, 'export'), uploads: [join(dir, 'uploads')], files: { seen: 4, skipped: 1 } },
  ]);
  const table = await arx(dir, 'import export uploads --dry-run -o table');
  expect(table.stdout).toMatch(/\/export with \S+\/uploads \(slack\)/);
  expect(JSON.parse((await arx(dir, 'import export --json --dry-run')).stdout).sources[0]).not.toHaveProperty(
    'uploads',
  );
});
