// `arx attachments export`: other tools accept the bag, and there is none if a file has changed since the pull.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ExportReport, VerifyReport } from '../../../src/contract/reports/files.ts';
import { Fault } from '../../../src/faults.ts';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { serveCatalogue, type ForeignFile } from '../../support/catalogue-server.ts';
import { arx } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import type { Misbehaving } from '../../support/misbehaving-server.ts';
import { isInstalled } from '../../support/installed.ts';
import { sha256Of } from '../../support/digest.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('export')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A pulled folder `dl` as pull leaves it. */
function pulled(files: Record<string, string>, withheld: string[] = []): void {
  mkdirSync(join(dir, 'dl'), { recursive: true });
  let count = 0;
  const line = (path: string | null, content: string) =>
    `${JSON.stringify({ id: `att_${++count}`, path, sha256: sha256Of(content), bytes: content.length, redacted: path === null })}\n`;
  for (const [path, content] of Object.entries(files)) {
    writeFileSync(join(dir, 'dl', path), content);
    appendFileSync(join(dir, 'dl', MANIFEST_FILE), line(path, content));
  }
  for (const content of withheld) appendFileSync(join(dir, 'dl', MANIFEST_FILE), line(null, content));
}
const FILES = { 'a.txt': 'hello', 'b c%25.bin': 'b', 'grüße.txt': '' };

const exported = (line: string) => arx(dir, `attachments export ${line}`);
const json = (path: string) => JSON.parse(readFileSync(join(dir, path), 'utf8')) as Record<string, any>;
/** Expects that a bag is valid, and that it says what it lacks. */
async function valid(path: string, lacks?: string): Promise<VerifyReport> {
  const { exit, stdout, stderr } = await arx(dir, `attachments verify --against bag ${path} --json`);
  expect([exit, stderr]).toEqual([0, lacks === undefined ? '' : `arx: ${lacks}\n`]);
  return VerifyReport.parse(JSON.parse(stdout));
}
const leftovers = () => readdirSync(dir).filter((name) => name.startsWith('.arx-'));

test('names with a percent sign are said: bagit-python does not find such files', async () => {
  pulled(FILES);
  const { exit, stderr } = await exported('dl --to bag --offline');
  expect([exit, stderr]).toEqual([
    0,
    'arx: 1 file name has a percent sign: bagit-python does not find the file in a bag; pull without --exact-names replaces it\n',
  ]);
  rmSync(join(dir, 'dl'), { recursive: true });
  pulled({ 'a.txt': 'hello' });
  expect((await exported('dl --to other --offline')).stderr).toBe('');
});

// A second reading of RFC 8493, by another language's zip, hash and text.
const ORACLE = `
import hashlib, os, re, sys, zipfile
path = sys.argv[1]
if zipfile.is_zipfile(path):
    bag = zipfile.ZipFile(path)
    base = bag.namelist()[0].split('/')[0] + '/'
    files = {name[len(base):]: bag.read(name) for name in bag.namelist()}
    assert len(files) == len(bag.namelist()) and all(name.startswith(base) for name in bag.namelist())
else:
    found = [os.path.join(at, name) for at, _, names in os.walk(path) for name in names]
    files = {os.path.relpath(each, path): open(each, 'rb').read() for each in found}
assert files['bagit.txt'] == b'BagIt-Version: 1.0\\nTag-File-Character-Encoding: UTF-8\\n'
def listed(name):
    lines = files[name].decode().split('\\n')
    assert lines.pop() == ''
    pairs = [re.fullmatch('([0-9a-f]{64})  (.+)', line).groups() for line in lines]
    return {p.replace('%0A', '\\n').replace('%0D', '\\r').replace('%25', '%'): h for h, p in pairs}
payload, tags = listed('manifest-sha256.txt'), listed('tagmanifest-sha256.txt')
data = {name for name in files if name.startswith('data/')}
assert set(payload) == data and set(tags) == set(files) - data - {'tagmanifest-sha256.txt'}
for name, value in [*payload.items(), *tags.items()]:
    assert hashlib.sha256(files[name]).hexdigest() == value
oxum = '%d.%d' % (sum(len(files[name]) for name in data), len(data))
assert ('Payload-Oxum: ' + oxum + '\\n').encode() in files['bag-info.txt']
`;
function acceptedByPython(path: string): void {
  if (isInstalled('python3')) execFileSync('python3', ['-c', ORACLE, join(dir, path)], { stdio: 'pipe' });
  else console.warn('python3 is not here: the bag was not read by it');
}

describe.each(['bag', 'bag.zip'])('as %s', (to) => {
  test('a bag that is valid here and elsewhere, with what is withheld named', async () => {
    pulled(FILES, ['secret']);
    const { exit, stdout, stderr } = await exported(`dl --format bagit --to ${to} --offline --json`);
    expect([exit, stderr]).toEqual([3, expect.stringMatching(/1 of 4 files is withheld/)]);
    const report = ExportReport.parse(JSON.parse(stdout));
    expect(report).toMatchObject({
      files: 3,
      bytes: 6,
      withheld: ['att_4'],
      walk: null,
      path: join(dir, to),
    });
    const lacks = 'the bag lacks 1 file withheld when it was made';
    const { bag, files } = await valid(to, lacks);
    expect(bag).toMatchObject({
      version: '1.0',
      algorithms: ['sha256'],
      payload_oxum: report.payload_oxum,
      problems: [{ kind: 'lacking', what: lacks }],
    });
    expect(files.map(({ path }) => path).filter((path) => path?.startsWith('data/files/'))).toEqual([
      'data/files/a.txt',
      'data/files/b c%25.bin',
      'data/files/grüße.txt',
    ]);
    acceptedByPython(to);
    expect(leftovers()).toEqual([]);
  });

  test('a file that is not what was pulled: no bag, and every such file is named', async () => {
    pulled({ ...FILES, 'd.txt': 'd', 'e.txt': 'e' });
    writeFileSync(join(dir, 'dl/a.txt'), 'hellO');
    writeFileSync(join(dir, 'dl/d.txt'), 'D');
    rmSync(join(dir, 'dl/e.txt'));
    const { exit, stdout, stderr } = await exported(`dl --to ${to} --offline`);
    expect([exit, stdout]).toEqual([12, '']);
    expect(stderr).toMatch(/a\.txt: expected sha256/);
    expect(stderr).toMatch(/d\.txt: expected sha256/);
    expect(stderr).toMatch(/e\.txt is missing/);
    expect(existsSync(join(dir, to))).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  test.each(['file', 'folder', 'link'])('nothing is overwritten: a %s', async (kind) => {
    pulled(FILES);
    if (kind === 'file') writeFileSync(join(dir, to), 'mine');
    if (kind === 'folder') mkdirSync(join(dir, to));
    if (kind === 'link') symlinkSync('nowhere', join(dir, to));
    const { exit, stderr } = await exported(`dl --to ${to} --offline`);
    expect([exit, stderr]).toEqual([13, expect.stringMatching(/exists already/)]);
    if (kind === 'file') expect(readFileSync(join(dir, to), 'utf8')).toBe('mine');
    expect(leftovers()).toEqual([]);
  });

  test('a link in the pulled folder is not followed', async () => {
    pulled(FILES);
    writeFileSync(join(dir, 'elsewhere'), 'hello');
    rmSync(join(dir, 'dl/a.txt'));
    symlinkSync('../elsewhere', join(dir, 'dl/a.txt'));
    expect((await exported(`dl --to ${to} --offline`)).exit).toBe(13);
    expect(existsSync(join(dir, to))).toBe(false);
  });

  test('interrupted, it leaves nothing', async () => {
    pulled(FILES);
    const { exit } = await arx(dir, `attachments export dl --to ${to} --offline`, {
      signal: AbortSignal.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGTERM' })),
    });
    expect(exit).toBe(143);
    expect(existsSync(join(dir, to))).toBe(false);
    expect(leftovers()).toEqual([]);
  });
});

test.each([
  ['.arx-0123456789abcdef.unfinished', 3],
  ['.arx-0123456789abcdef.undecided', 0],
])('a pull that may lack files: %s', async (mark, code) => {
  pulled(FILES);
  writeFileSync(join(dir, 'dl', mark), '');
  const { exit, stdout } = await exported('dl --to bag --offline --json');
  expect(exit).toBe(code);
  expect(ExportReport.parse(JSON.parse(stdout)).completeness).toBe('unknown');
  expect(readFileSync(join(dir, 'bag/bag-info.txt'), 'utf8')).toContain('Files-Complete: unknown\n');
  const lacks =
    'the bag may lack files: its pull did not end, or could not tell of all rows whether they match';
  expect((await valid('bag', lacks)).completeness).toBe('unknown');
  expect(await arx(dir, 'attachments verify bag --strict')).toMatchObject({
    exit: 3,
    stderr: `arx: ${lacks} [partial, exit 3]\n`,
  });
});

test('what the bag lacks and why is said; its verification is incomplete', async () => {
  pulled(FILES, ['secret']);
  const line = { id: 'att_4', path: null, sha256: null, bytes: null, redacted: true, reason: 'of a child' };
  appendFileSync(join(dir, 'dl', MANIFEST_FILE), `${JSON.stringify(line)}\n`);
  expect((await exported('dl --to bag --offline -o table')).stdout).toContain('att_4  of a child');
  expect((await valid('bag', 'the bag lacks 1 file withheld when it was made')).completeness).toBe(
    'incomplete',
  );
  expect((await arx(dir, 'attachments verify bag --strict')).exit).toBe(3);
});

test('percent signs are escaped in the manifest, and only they and line ends', async () => {
  pulled(FILES);
  await exported('dl --to bag --offline');
  const manifest = readFileSync(join(dir, 'bag/manifest-sha256.txt'), 'utf8');
  expect(manifest).toContain(`${sha256Of('b')}  data/files/b c%2525.bin\n`);
  expect(manifest).toContain('data/files/grüße.txt\n');
});

test('sha256sum accepts the manifest, unzip the zip', async () => {
  pulled({ 'a.txt': 'hello', 'b c.bin': 'b' });
  await exported('dl --to bag --offline');
  await exported('dl --to bag.zip --offline');
  for (const manifest of ['manifest-sha256.txt', 'tagmanifest-sha256.txt'])
    execFileSync('sha256sum', ['--check', '--strict', manifest], { cwd: join(dir, 'bag'), stdio: 'pipe' });
  if (spawnSync('unzip', ['-v']).error === undefined)
    execFileSync('unzip', ['-tq', 'bag.zip'], { cwd: dir, stdio: 'pipe' });
  else console.warn('unzip is not here: the zip was not tested by it');
});

test('the crate describes every file of the payload, and what is withheld', async () => {
  pulled(FILES, ['secret']);
  await exported('dl --to bag --offline');
  const { '@context': context, '@graph': graph } = json('bag/data/ro-crate-metadata.json');
  expect(context[0]).toBe('https://w3id.org/ro/crate/1.1/context');
  const entities = new Map<string, Record<string, any>>(graph.map((each: any) => [each['@id'], each]));
  expect(entities.size).toBe(graph.length);
  expect(entities.get('ro-crate-metadata.json')).toMatchObject({
    '@type': 'CreativeWork',
    about: { '@id': './' },
    conformsTo: { '@id': 'https://w3id.org/ro/crate/1.1' },
  });
  const root = entities.get('./')!;
  expect(root).toMatchObject({ '@type': 'Dataset', datePublished: '2026-01-02T03:04:05.678Z' });
  // Flat: every reference is to an entity of the graph or to the specification.
  const references = JSON.stringify(graph).match(/\{"@id":"[^"]+"\}/g) ?? [];
  const dangling = references
    .map((each) => JSON.parse(each)['@id'] as string)
    .filter((id) => !entities.has(id));
  expect([...new Set(dangling)]).toEqual(['https://w3id.org/ro/crate/1.1']);
  const payload = readdirSync(join(dir, 'bag/data'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'ro-crate-metadata.json')
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, 'bag/data/').length));
  const parts = (root['hasPart'] as { '@id': string }[]).map((part) => decodeURIComponent(part['@id']));
  expect(parts.sort()).toEqual(payload.sort());
  for (const path of payload) {
    const content = readFileSync(join(dir, 'bag/data', path));
    const id = path.split('/').map(encodeURIComponent).join('/');
    expect(entities.get(id)).toMatchObject({
      '@type': 'File',
      sha256: sha256Of(content),
      contentSize: String(content.length),
    });
  }
  expect(entities.get('#withheld-att_4')).toMatchObject({
    identifier: 'att_4',
    conditionsOfAccess: 'withheld',
    sha256: sha256Of('secret'),
  });
});

test('a walk goes with it only when its chain holds', async () => {
  pulled(FILES);
  expect((await exported('dl --to bag --offline --frozen none')).exit).toBe(6);
  await arx(dir, 'import dl');
  expect((await arx(dir, 'conversations walk --freeze walk')).exit).toBe(0);
  const { stdout } = await exported('dl --to bag --offline --frozen walk --json');
  const { walk } = ExportReport.parse(JSON.parse(stdout));
  const info = readFileSync(join(dir, 'bag/bag-info.txt'), 'utf8');
  expect(info).toContain(`Walk-Head: ${walk}\n`);
  expect(info).toMatch(/^Walk-Drift: first 0, last 0, most 0$/m);
  expect(readFileSync(join(dir, 'bag/data/walk/windows.ndjson'))).toEqual(
    readFileSync(join(dir, 'walk/windows.ndjson')),
  );
  expect(await arx(dir, 'conversations verify bag/data/walk')).toMatchObject({ exit: 0, stderr: '' });
  await valid('bag');
  renameSync(join(dir, 'walk/complete.ndjson'), join(dir, 'complete'));
  const unfinished = await exported('dl --to bag1 --offline --frozen walk');
  expect([unfinished.exit, unfinished.stderr]).toEqual([3, expect.stringContaining('did not reach the end')]);
  await valid('bag1', 'the walk in the bag did not reach the end of its list');
  renameSync(join(dir, 'complete'), join(dir, 'walk/complete.ndjson'));
  appendFileSync(join(dir, 'walk/windows.ndjson'), '{}\n');
  const { exit, stderr } = await exported('dl --to bag2 --offline --frozen walk');
  expect([exit, stderr]).toEqual([12, expect.stringMatching(/arx conversations verify/)]);
  expect(existsSync(join(dir, 'bag2'))).toBe(false);
});

describe('with the catalogue', () => {
  const TOKEN = 'arx_0123456789.abcdefghijklmnop';
  async function serve(files: ForeignFile[]): Promise<void> {
    server = await serveCatalogue(files);
  }
  const online = (line: string) =>
    arx(dir, `attachments export ${line} --base-url ${server!.url}`, {
      env: { LANG: 'C.UTF-8', ARX_TOKEN: TOKEN },
    });

  test('rows go with the files, without the addresses that open them', async () => {
    pulled({ 'a.txt': 'hello' });
    await serve([{ content: 'hello', filename: 'a.txt', row: { origin_city: 'lisbon', new_field: 7 } }]);
    expect((await online('dl --to bag')).exit).toBe(0);
    expect(json('bag/data/catalogue.ndjson')).toMatchObject({
      id: 'att_1',
      origin_city: 'lisbon',
      new_field: 7,
      path: 'files/a.txt',
    });
    for (const entry of readdirSync(join(dir, 'bag'), { recursive: true, withFileTypes: true })) {
      const text = entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), 'utf8') : '';
      expect(text).not.toContain(`${server!.url}/files/`);
      expect(text).not.toContain(TOKEN);
    }
    expect(readFileSync(join(dir, 'bag/bag-info.txt'), 'utf8')).toContain(`Source-URL: ${server!.url}`);
    const graph = json('bag/data/ro-crate-metadata.json')['@graph'] as Record<string, any>[];
    expect(graph.find((each) => each['@id'] === 'files/a.txt')).toMatchObject({
      encodingFormat: 'text/plain',
      contentLocation: { '@id': '#city-lisbon' },
    });
    expect(graph.find((each) => each['@id'] === './')).toMatchObject({ publisher: { '@id': '#publisher' } });
    expect(graph.find((each) => each['@id'] === '#publisher')).toEqual({
      '@id': '#publisher',
      '@type': 'Organization',
      name: new URL(server!.url).host,
      url: expect.stringContaining(server!.url),
    });
    // This service has no list of messages, so nobody is named.
    expect(JSON.stringify(graph)).not.toContain('"author"');
  });

  test('who sent a file is its author, where the archive says it', async () => {
    const mail = (from: string, name: string) =>
      `From: ${from}\nSubject: x\nMessage-ID: <${name}@b>\nContent-Type: text/plain; name=${name}\nContent-Disposition: attachment; filename=${name}\n\n${name}\n`;
    mkdirSync(join(dir, 'mails'));
    writeFileSync(join(dir, 'mails/1'), mail('"Ada L." <ada@example.org>', 'one.txt'));
    writeFileSync(join(dir, 'mails/2'), mail('"Ada L." <ada@example.org>', 'two.txt'));
    writeFileSync(
      join(dir, 'mails/3'),
      'Subject: nobody\nMessage-ID: <3@b>\nContent-Type: text/plain; name=c\nContent-Disposition: attachment; filename=c.txt\n\nc\n',
    );
    await arx(dir, 'import mails --kind mail');
    await arx(dir, 'attachments pull --all --to dl');
    expect((await exported('dl --to bag')).exit).toBe(0);
    const graph = json('bag/data/ro-crate-metadata.json')['@graph'] as Record<string, any>[];
    const people = graph.filter((each) => each['@type'] === 'Person');
    expect(people).toEqual([
      { '@id': expect.stringMatching(/^#author-Ada/), '@type': 'Person', name: people[0]!['name'] },
    ]);
    expect(people[0]!['name']).toContain('Ada L.');
    const author = (path: string) => graph.find((each) => each['@id'] === path)!['author'];
    expect([author('files/one.txt'), author('files/two.txt'), author('files/c.txt')]).toEqual([
      { '@id': people[0]!['@id'] },
      { '@id': people[0]!['@id'] },
      undefined,
    ]);
    expect(graph.some((each) => each['@id'] === '#publisher')).toBe(false);
  });

  describe('a file that a pull kept and that is withheld by now', () => {
    beforeEach(async () => {
      pulled({ 'a.txt': 'hello', 'b.txt': 'b' });
      await serve([{ content: 'hello' }, { content: 'b', row: { redacted: true, file_url: null } }]);
    });

    test('is in the bag, which says so', async () => {
      const { exit, stdout, stderr } = await online('dl --to bag --strict --json');
      expect([exit, stderr]).toEqual([
        0,
        'arx: 1 file that an earlier pull kept is withheld or absent now; the bag has it\n',
      ]);
      expect(ExportReport.parse(JSON.parse(stdout))).toMatchObject({
        files: 2,
        withheld: [],
        kept: ['att_2'],
        completeness: 'complete',
      });
      expect(readdirSync(join(dir, 'bag/data/files')).sort()).toEqual(['a.txt', 'b.txt']);
      const rows = readFileSync(join(dir, 'bag/data/catalogue.ndjson'), 'utf8').trim().split('\n');
      expect(JSON.parse(rows[1]!)).toMatchObject({ id: 'att_2', redacted: true, path: 'files/b.txt' });
      const graph = json('bag/data/ro-crate-metadata.json')['@graph'] as Record<string, any>[];
      expect(graph.find((each) => each['@id'] === 'files/b.txt')).toMatchObject({
        conditionsOfAccess: 'withheld',
      });
      await valid('bag');
    });

    test.each([
      ['damaged', () => writeFileSync(join(dir, 'dl/b.txt'), 'X'), /b\.txt: expected sha256/],
      ['missing', () => rmSync(join(dir, 'dl/b.txt')), /b\.txt is missing/],
    ])('%s, it is no less a failure', async (_, harm, text) => {
      harm();
      const { exit, stderr } = await online('dl --to bag');
      expect([exit, stderr]).toEqual([12, expect.stringMatching(text)]);
      expect(existsSync(join(dir, 'bag'))).toBe(false);
    });
  });

  test('a file that the catalogue knows by another hash: no bag', async () => {
    pulled({ 'a.txt': 'hello' });
    await serve([{ content: 'other' }]);
    expect(await online('dl --to bag')).toMatchObject({
      exit: 12,
      stderr: expect.stringMatching(/not the one that was pulled/),
    });
    expect(existsSync(join(dir, 'bag'))).toBe(false);
  });

  test('a row that is gone', async () => {
    pulled({ 'a.txt': 'hello' });
    await serve([]);
    const { exit, stderr } = await online('dl --to bag');
    expect([exit, stderr]).toEqual([0, expect.stringMatching(/att_1 is no longer in the catalogue/)]);
  });
});

describe('what cannot be exported', () => {
  test('a folder that nothing was pulled into, and nothing but withheld files', async () => {
    mkdirSync(join(dir, 'dl'));
    expect(await exported('dl --to bag --offline')).toMatchObject({
      exit: 6,
      stderr: expect.stringMatching(/arx attachments pull/),
    });
    pulled({}, ['secret']);
    expect((await exported('dl --to bag --offline')).exit).toBe(3);
    expect(existsSync(join(dir, 'bag'))).toBe(false);
  });
  test('a bag without a name', async () => {
    pulled(FILES);
    expect(await exported('dl --offline')).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/--to: name the bag/),
    });
  });
  test('a manifest that names one file twice', async () => {
    pulled({ 'a.txt': 'a' });
    appendFileSync(
      join(dir, 'dl', MANIFEST_FILE),
      `${JSON.stringify({ id: 'att_9', path: 'a.txt', sha256: sha256Of('a'), bytes: 1, redacted: false })}\n`,
    );
    expect((await exported('dl --to bag --offline')).exit).toBe(15);
  });
  test.skipIf(!existsSync('/dev/full'))('a disk that cannot be written', async () => {
    pulled(FILES);
    expect((await exported('dl --to /proc/bag --offline')).exit).toBe(14);
    expect((await exported('dl --to /proc/bag.zip --offline')).exit).toBe(14);
    expect((await exported('dl --to none/bag.zip --offline')).stderr).toContain('/none: no such folder [');
    expect(existsSync(join(dir, 'none'))).toBe(false);
  });
});
