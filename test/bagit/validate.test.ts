// Checking bags: what RFC 8493 and its drafts allow, what they forbid, and hostile bags.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { VerifyReport } from '../../src/contract/reports/files.ts';
import { bagOf, writeBag, type BagPlan } from '../support/bag.ts';
import { arx } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { zipOf } from '../support/zip.ts';
import { digestOf } from '../support/digest.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('bag')));

type Files = Map<string, string | Buffer>;
type Change = (files: Files) => void;
const put =
  (path: string, content: string | Buffer): Change =>
  (files) =>
    void files.set(path, content);
const append =
  (path: string, text: string): Change =>
  (files) =>
    void files.set(path, `${files.get(path)?.toString() ?? ''}${text}`);
const drop =
  (path: string): Change =>
  (files) =>
    void files.delete(path);
/** Without tag manifests a test may change one tag file and nothing else is wrong. */
const untagged: Change = (files) => {
  for (const path of files.keys()) if (path.startsWith('tagmanifest-')) files.delete(path);
};
const old: BagPlan = { version: '0.97', algorithms: ['md5'] };

async function verifyFolder(): Promise<{ exit: number; stderr: string; report: VerifyReport | undefined }> {
  const { exit, stderr, stdout } = await arx(dir, 'attachments verify bag --against bag --json');
  return { exit, stderr, report: stdout === '' ? undefined : VerifyReport.parse(JSON.parse(stdout)) };
}

async function verify(plan: BagPlan, ...changes: Change[]): ReturnType<typeof verifyFolder> {
  const files: Files = bagOf(plan);
  for (const change of changes) change(files);
  writeBag(join(dir, 'bag'), files);
  return verifyFolder();
}

// The names are those of the Library of Congress conformance suite where it has such a bag.
describe('valid bags', () => {
  test.each<[string, BagPlan, Change[]]>([
    ['basic, 1.0', {}, []],
    ['basic, 0.97', old, []],
    ['0.93', { ...old, version: '0.93' }, []],
    ['minimal: no tag manifest, no metadata', old, [untagged, drop('bag-info.txt')]],
    ['empty payload', { payload: {} }, []],
    ['every algorithm', { algorithms: ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] }, []],
    ['space in names', { payload: { 'a b/ c': 'x' } }, []],
    [
      'UTF-16BE tag files',
      { ...old, encoding: 'UTF-16BE', encode: (text) => Buffer.from(text, 'utf16le').swap16() },
      [],
    ],
    [
      'UTF-16 with a mark',
      { ...old, encoding: 'UTF-16', encode: (text) => Buffer.from(`\uFEFF${text}`, 'utf16le') },
      [],
    ],
    [
      'ISO-8859-1 tag files',
      { ...old, encoding: 'ISO-8859-1', payload: { é: 'x' }, encode: (text) => Buffer.from(text, 'latin1') },
      [],
    ],
    [
      'bag in a bag',
      { payload: { 'inner/bagit.txt': 'x', 'inner/manifest-md5.txt': 'y', 'inner/data/a': 'z' } },
      [],
    ],
    ['duplicate metadata entries', { info: 'A: 1\nA: 2\nB: 3\n  and more\n' }, []],
    ['uncommon metadata separators', { ...old, info: 'A : 1\nB:2\nC\t:\t3\n' }, []],
    ['CRLF', { encode: (text) => Buffer.from(text.replaceAll('\n', '\r\n')) }, []],
    ['CR alone', { encode: (text) => Buffer.from(text.replaceAll('\n', '\r')) }, []],
    [
      'upper-case hashes and a tab',
      {
        encode: (text) =>
          Buffer.from(text.replaceAll(/^\w{64} {2}/gm, (hash) => `${hash.trim().toUpperCase()}\t`)),
      },
      [],
    ],
    [
      'upper-case algorithm',
      {},
      [
        untagged,
        (files) => {
          files.set('manifest-SHA-256.txt', files.get('manifest-sha256.txt')!);
          files.delete('manifest-sha256.txt');
        },
      ],
    ],
    [
      'escaped line ends and percent signs',
      {
        payload: { 'a\nb\rc%d': 'x', '100%25': 'y' },
        written: (path) => path.replaceAll('%', '%25').replaceAll('\n', '%0A').replaceAll('\r', '%0d'),
      },
      [],
    ],
    ['0.97 with percent signs as they are', { ...old, payload: { 'a%0Ab': 'x', 'a%25b': 'y' } }, []],
    ['1.0 by a tool that escapes nothing', { payload: { '100%.txt': 'x', 'a%25b': 'y' } }, []],
    ['right Payload-Oxum', { info: 'payload-oxum: 6.2\n' }, []],
    [
      'fetch.txt whose files are there',
      {},
      [
        untagged,
        put(
          'fetch.txt',
          'https://x.example/hello.txt 5 data/hello.txt\nhttps://x.example/b - data/sub/b.bin\n',
        ),
      ],
    ],
    [
      'two manifests that share the payload, 0.97',
      old,
      [
        untagged,
        put('manifest-md5.txt', `${digestOf('md5', 'hello')}  data/hello.txt\n`),
        put('manifest-sha1.txt', `${digestOf('sha1', 'b')}  data/sub/b.bin\n`),
      ],
    ],
    ['other tag files and directories', { tags: { 'dc/meta.xml': '<x/>' } }, []],
    ['a tag file that nobody lists', {}, [put('notes.txt', 'x')]],
  ])('%s', async (_, plan, changes) => {
    const { exit, stderr, report } = await verify(plan, ...changes);
    expect([exit, stderr]).toEqual([0, '']);
    expect(report).toMatchObject({ fixity: 'ok', completeness: 'complete' });
    expect(report?.bag?.problems).toEqual([]);
  });
});

describe('odd bags pass with a notice', () => {
  test.each<[string, BagPlan, Change[], RegExp]>([
    ['made with md5sum tools', { ...old, written: (path) => `*${path}` }, [untagged], /binary/],
    [
      'paths with ./ in the manifest',
      { written: (path) => `./${path}` },
      [untagged],
      /writes paths with \.\//,
    ],
    [
      'paths with doubled slashes in the manifest',
      { written: (path) => path.replaceAll('/', '//') },
      [untagged],
      /writes paths with \.\/ or \/\//,
    ],
    [
      'the same file listed twice with the same hash',
      old,
      [untagged, append('manifest-md5.txt', `${digestOf('md5', 'hello')} data/hello.txt\n`)],
      /twice/,
    ],
    ['names that differ only in case', { payload: { A: '1', a: '2' } }, [], /one name on some systems/],
    [
      'decomposed names in the manifest',
      { payload: { 'Nu\u0301n\u0303ez': 'x' }, written: (path) => path.normalize('NFC') },
      [],
      /another Unicode form/,
    ],
    [
      'composed names in the manifest',
      { payload: { 'N\u00fa\u00f1ez': 'x' }, written: (path) => path.normalize('NFD') },
      [],
      /another Unicode form/,
    ],
    [
      'a byte-order mark in a manifest',
      {},
      [
        untagged,
        (files) =>
          void files.set(
            'manifest-sha256.txt',
            Buffer.concat([Buffer.from('\uFEFF'), files.get('manifest-sha256.txt') as Buffer]),
          ),
      ],
      /byte-order mark/,
    ],
    [
      'local fetch: a name outside the payload, 0.97',
      old,
      [untagged, put('fetch.txt', 'file:///x/a.png 42000 a.png\n')],
      /no listed payload file/,
    ],
  ])('%s', async (_, plan, changes, words) => {
    const { exit, stderr, report } = await verify(plan, ...changes);
    expect([exit, stderr]).toEqual([0, expect.stringMatching(words)]);
    expect(report?.completeness).toBe('complete');
    expect(report?.bag?.problems).toMatchObject([{ kind: 'odd' }]);
  });
});

describe('damaged and incomplete bags', () => {
  test.each<[string, BagPlan, Change[], number, RegExp]>([
    ['missing bagit.txt', {}, [drop('bagit.txt')], 6, /no bagit\.txt/],
    ['bagit.txt without an encoding', {}, [put('bagit.txt', 'BagIt-Version: 1.0\n')], 12, /encoding/],
    [
      'byte-order mark in bagit.txt',
      {},
      [put('bagit.txt', '\uFEFFBagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')],
      12,
      /byte-order mark/,
    ],
    [
      'white space before the colon',
      {},
      [put('bagit.txt', 'BagIt-Version : 1.0\nTag-File-Character-Encoding : UTF-8\n')],
      12,
      /version/,
    ],
    [
      'invalid version number',
      old,
      [put('bagit.txt', 'BagIt-Version: .97\nTag-File-Character-Encoding: UTF-8\n')],
      12,
      /version/,
    ],
    ['three lines in bagit.txt', {}, [append('bagit.txt', 'More: x\n')], 12, /two lines/],
    ['bagit.txt that is not UTF-8', {}, [put('bagit.txt', Buffer.from([0xff, 0xfe]))], 12, /not UTF-8/],
    ['an unknown version', { version: '2.0' }, [], 3, /2\.0 is not supported/],
    ['an unknown encoding', { encoding: 'KLINGON' }, [], 3, /KLINGON/],
    [
      'a manifest of another encoding',
      { payload: { é: 'x' }, encode: (text) => Buffer.from(text, 'latin1') },
      [],
      12,
      /not UTF-8/,
    ],
    ['missing metadata that a tag manifest lists', {}, [drop('bag-info.txt')], 12, /1 file missing/],
    ['corrupt data file', {}, [put('data/hello.txt', 'hellO')], 12, /with different content/],
    ['corrupt tag file', {}, [append('bag-info.txt', 'X: y\n')], 12, /with different content/],
    [
      'one of two algorithms differs',
      { algorithms: ['md5', 'sha256'] },
      [
        untagged,
        (files) =>
          void files.set(
            'manifest-md5.txt',
            String(files.get('manifest-md5.txt')).replace(/^./, (c) => (c === '0' ? '1' : '0')),
          ),
      ],
      12,
      /with different content/,
    ],
    ['extra file in the payload', {}, [put('data/bar', 'x')], 12, /no manifest lists data\/bar/],
    ['extra file in the payload, 0.97', old, [put('data/bar', 'x')], 12, /no manifest lists data\/bar/],
    ['missing payload file', {}, [drop('data/hello.txt')], 12, /missing/],
    [
      'missing from one manifest, 1.0',
      { algorithms: ['sha256', 'sha512'] },
      [untagged, put('manifest-sha512.txt', `${digestOf('sha512', 'hello')}  data/hello.txt\n`)],
      12,
      /manifest-sha512\.txt does not list data\/sub\/b\.bin/,
    ],
    [
      'a tag manifest without a payload manifest, 1.0',
      {},
      [
        (files) =>
          void files.set(
            'tagmanifest-sha256.txt',
            String(files.get('tagmanifest-sha256.txt')).replace(/.*manifest-sha256.*\n/, ''),
          ),
      ],
      12,
      /tagmanifest-sha256\.txt does not list/,
    ],
    ['no payload manifest', {}, [untagged, drop('manifest-sha256.txt')], 12, /no payload manifest/],
    [
      'the same file listed twice with different hashes',
      old,
      [untagged, append('manifest-md5.txt', `${'0'.repeat(32)}  data/hello.txt\n`)],
      12,
      /twice/,
    ],
    [
      'the same file listed twice with the same hash, 1.0',
      {},
      [untagged, append('manifest-sha256.txt', `${digestOf('sha256', 'hello')}  data/hello.txt\n`)],
      12,
      /twice/,
    ],
    [
      'a payload manifest that lists a tag file',
      {},
      [
        untagged,
        (files) =>
          append(
            'manifest-sha256.txt',
            `${digestOf('sha256', files.get('bagit.txt') as Buffer)}  bagit.txt\n`,
          )(files),
      ],
      12,
      /outside the payload/,
    ],
    [
      'a tag manifest that lists the payload',
      {},
      [append('tagmanifest-sha256.txt', `${digestOf('sha256', 'hello')}  data/hello.txt\n`)],
      12,
      /inside the payload/,
    ],
    [
      'a line that is none',
      {},
      [untagged, append('manifest-sha256.txt', 'hello\n')],
      12,
      /line 3 is damaged/,
    ],
    [
      'a hash of another length',
      {},
      [untagged, append('manifest-sha256.txt', `${'0'.repeat(32)}  data/hello.txt\n`)],
      12,
      /line 3 is damaged/,
    ],
    [
      'a manifest of an unknown algorithm',
      {},
      [untagged, put('manifest-crc32.txt', 'ffff0000  data/hello.txt\nffff0000  data/sub/b.bin\n')],
      3,
      /not supported/,
    ],
    ['metadata that is none', { info: 'hello\n' }, [], 12, /bag-info\.txt: line 1 is damaged/],
    ['white space around a label, 1.0', { info: 'A : b\n' }, [], 12, /bag-info\.txt: line 1 is damaged/],
    ['wrong Payload-Oxum', { info: 'Payload-Oxum: 7.2\n' }, [], 12, /is 6\.2, but Payload-Oxum says 7\.2/],
    ['Payload-Oxum of another count', { info: 'Payload-Oxum: 6.1\n' }, [], 12, /Payload-Oxum says 6\.1/],
    ['Payload-Oxum twice', { info: 'Payload-Oxum: 6.2\nPayload-Oxum: 6.2\n' }, [], 12, /more than one/],
    [
      'holes to be fetched',
      {},
      [untagged, drop('data/hello.txt'), put('fetch.txt', 'https://x.example/h 5 data/hello.txt\n')],
      12,
      /missing/,
    ],
    [
      'a fetch list that is none',
      {},
      [untagged, put('fetch.txt', 'hello\n')],
      12,
      /fetch\.txt: line 1 is damaged/,
    ],
    [
      'a fetch list of files that no manifest has, 1.0',
      {},
      [untagged, put('fetch.txt', 'https://x.example/h 5 data/other\n')],
      12,
      /no listed payload file/,
    ],
    [
      'two names that differ only in Unicode form, one file',
      { payload: { 'N\u00fa': 'x' } },
      [untagged, append('manifest-sha256.txt', `${digestOf('sha256', 'x')}  data/Nu\u0301\n`)],
      12,
      /twice/,
    ],
    [
      'system files that did not come along',
      old,
      [untagged, append('manifest-md5.txt', `${'0'.repeat(32)}  data/.DS_Store\n`)],
      12,
      /missing/,
    ],
  ])('%s', async (_, plan, changes, code, words) => {
    const { exit, stderr, report } = await verify(plan, ...changes);
    expect([exit, stderr]).toEqual([code, expect.stringMatching(words)]);
    if (report !== undefined && code === 12) {
      expect([report.fixity === 'failed', report.completeness === 'incomplete']).toContain(true);
    }
  });

  test('no payload directory', async () => {
    writeBag(join(dir, 'bag'), bagOf({ payload: {} }));
    rmSync(join(dir, 'bag/data'), { recursive: true });
    expect(await verifyFolder()).toMatchObject({
      exit: 12,
      stderr: expect.stringMatching(/no payload directory/),
    });
  });

  test('the report names what would be fetched, and where a hash differs both of them', async () => {
    const { report } = await verify(
      { algorithms: ['md5', 'sha512'], info: 'Payload-Oxum: 6.2\n' },
      untagged,
      put('data/hello.txt', 'hellO'),
      put('fetch.txt', 'https://x.example/b - data/sub/b.bin\n'),
    );
    expect(report).toMatchObject({
      bag: {
        version: '1.0',
        encoding: 'UTF-8',
        algorithms: ['sha512', 'md5'],
        payload_oxum: '6.2',
        fetch: [{ url: 'https://x.example/b', path: 'data/sub/b.bin', bytes: null }],
      },
    });
    expect(report?.files[0]).toEqual({
      path: 'data/hello.txt',
      id: null,
      verdict: 'mismatch',
      expected: digestOf('md5', 'hello'),
      actual: digestOf('md5', 'hellO'),
      bytes: 5,
    });
  });
});

describe('bags that would do harm are refused', () => {
  const OUTSIDE = [
    '../x',
    'data/../../x',
    '../../../README.md',
    '/tmp/foo',
    '~/foo',
    '~root/foo',
    'C:\\Windows\\x',
    '\\\\?\\UNC\\server\\x',
    'data\\..\\..\\x',
    './../x',
  ];
  test.each(OUTSIDE)('a manifest that names %s', async (path) => {
    const { exit, stderr, report } = await verify(
      old,
      untagged,
      append('manifest-md5.txt', `${'0'.repeat(32)}  ${path}\n`),
    );
    expect([exit, stderr, report]).toEqual([
      13,
      expect.stringMatching(/line 3 names a path outside the bag/),
      undefined,
    ]);
  });
  test.each(OUTSIDE)('a tag manifest that names %s', async (path) => {
    expect((await verify(old, append('tagmanifest-md5.txt', `${'0'.repeat(32)}  ${path}\n`))).exit).toBe(13);
  });
  test.each(OUTSIDE)('a fetch list that names %s', async (path) => {
    expect((await verify(old, untagged, put('fetch.txt', `https://x.example/a 1 ${path}\n`))).exit).toBe(13);
  });

  test.each([
    ['a file', 'data/link', '/etc/passwd'],
    ['a folder', 'data/sub2', '/etc'],
    ['a tag file', 'bag-info2.txt', '/etc/passwd'],
    ['a file of the bag itself', 'data/link', 'hello.txt'],
  ])('a link to %s', async (_, path, target) => {
    writeBag(join(dir, 'bag'), bagOf());
    symlinkSync(target, join(dir, 'bag', path));
    expect(await verifyFolder()).toMatchObject({ exit: 13, stderr: expect.stringMatching(/symbolic link/) });
  });

  test('FIFOs are named and never waited for', async () => {
    writeBag(join(dir, 'bag'), bagOf());
    rmSync(join(dir, 'bag/data/hello.txt'));
    execFileSync('mkfifo', [join(dir, 'bag/data/hello.txt')]);
    const { exit, report } = await verifyFolder();
    expect(exit).toBe(14);
    expect(report?.files[0]).toMatchObject({ path: 'data/hello.txt', verdict: 'unreadable' });
    rmSync(join(dir, 'bag/bagit.txt'));
    execFileSync('mkfifo', [join(dir, 'bag/bagit.txt')]);
    expect((await verifyFolder()).exit).toBe(13);
  });

  test.each(['manifest-sha256.txt', 'bagit.txt', 'fetch.txt'])('a %s without an end', async (name) => {
    writeBag(join(dir, 'bag'), bagOf());
    execFileSync('truncate', ['-s', '257M', join(dir, 'bag', name)]);
    expect(await verifyFolder()).toMatchObject({ exit: 13, stderr: expect.stringMatching(/is larger than/) });
  });
});

describe('zipped', () => {
  const entriesOf = (plan: BagPlan = {}, prefix = 'my bag/'): [string, Buffer][] =>
    [...bagOf(plan)].map(([path, content]) => [`${prefix}${path}`, content]);
  const verifyZip = async (zip: Buffer) => {
    writeFileSync(join(dir, 'bag.zip'), zip);
    const { exit, stdout, stderr } = await arx(dir, 'attachments verify bag.zip --json');
    return { exit, stderr, report: stdout === '' ? undefined : VerifyReport.parse(JSON.parse(stdout)) };
  };

  test.each<[string, [string, Buffer][]]>([
    ['in a folder of its own', entriesOf()],
    ['at the top', entriesOf({}, '')],
    [
      'with names of folders',
      [['my bag/', Buffer.alloc(0)], ['my bag/data/', Buffer.alloc(0)], ...entriesOf()],
    ],
    ['of many algorithms', entriesOf({ algorithms: ['md5', 'sha1', 'sha512'], info: 'Payload-Oxum: 6.2\n' })],
    ['with names beyond ASCII', entriesOf({ payload: { 'grüße.txt': 'x' } }, 'tüte/')],
  ])('a right one, %s', async (_, entries) => {
    for (const store of [true, false]) {
      expect(await verifyZip(zipOf(entries, { store }))).toMatchObject({
        exit: 0,
        stderr: '',
        report: { completeness: 'complete', fixity: 'ok' },
      });
    }
  });

  test('files beside the bag are reported', async () => {
    expect(await verifyZip(zipOf([...entriesOf(), ['__MACOSX/x', 'y']]))).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/outside the bag, not checked: 1$/m),
    });
  });

  test('damage has the same verdicts as in a folder', async () => {
    const entries = entriesOf().map(([path, content]): [string, Buffer] => [
      path,
      path.endsWith('hello.txt') ? Buffer.from('hellO') : content,
    ]);
    expect(await verifyZip(zipOf(entries))).toMatchObject({
      exit: 12,
      report: { fixity: 'failed', verdicts: { mismatch: 1 } },
    });
    expect(await verifyZip(zipOf(entriesOf().slice(1)))).toMatchObject({
      exit: 12,
      report: { verdicts: { missing: 1 } },
    });
  });

  test.each<[string, Buffer, number, RegExp]>([
    ['a name that leaves it', zipOf([...entriesOf(), ['../x', 'y']]), 13, /outside itself/],
    [
      'a name that leaves it, with backslashes',
      zipOf([...entriesOf(), ['a\\..\\..\\x', 'y']]),
      13,
      /outside itself/,
    ],
    ['an absolute name', zipOf([...entriesOf(), ['/etc/x', 'y']]), 13, /outside itself/],
    ['a drive', zipOf([...entriesOf(), ['C:/x', 'y']]), 13, /outside itself/],
    ['one name twice', zipOf([...entriesOf(), ...entriesOf().slice(0, 1)]), 13, /twice/],
    ['encrypted files', zipOf(entriesOf(), { encrypted: true }), 13, /bagit.txt cannot be read/],
    ['sizes that are not true', zipOf(entriesOf(), { claimedBytes: 3 }), 12, /damaged/],
    ['no bag', zipOf({ 'a/b': 'c' }), 6, /no bagit\.txt/],
    ['two bags', zipOf([...entriesOf({}, 'a/'), ...entriesOf({}, 'b/')]), 6, /no bagit\.txt/],
    ['a zip that is none', Buffer.from('hello'), 12, /damaged/],
    ['a bomb', zipOf(entriesOf(), { claimedBytes: 4_000_000_000 }), 13, /the zip claims 4000000000 bytes/],
  ])('%s', async (_, zip, code, words) => {
    expect(await verifyZip(zip)).toMatchObject({
      exit: code,
      stderr: expect.stringMatching(words),
      report: undefined,
    });
  });

  test('a name that is not UTF-8, though the zip says so, and decodes to the name in the manifest', async () => {
    const name = '\uFFFD\uFFFD\uFFFD';
    const entries = entriesOf({ payload: { [name]: 'x' } });
    const zip = zipOf(entries.map(([path, content]) => [path.replace(name, '~~~'), content]));
    for (let at = zip.indexOf('~~~'); at !== -1; at = zip.indexOf('~~~', at)) zip.fill(0xff, at, at + 3);
    for (let at = zip.indexOf('PK\x01\x02'); at !== -1; at = zip.indexOf('PK\x01\x02', at + 1))
      zip.writeUInt16LE(0x800, at + 8);
    expect(await verifyZip(zip)).toMatchObject({
      exit: 12,
      stderr: expect.stringMatching(/the zip has a name that is not UTF-8/),
    });
  });

  test('entries that share their bytes', async () => {
    const zip = zipOf(entriesOf({ payload: { a: 'x'.repeat(50_000) } }, ''), { store: true });
    // Every entry of the directory claims the bytes of the largest.
    for (let at = zip.indexOf('PK\x01\x02'); at !== -1; at = zip.indexOf('PK\x01\x02', at + 1)) {
      zip.writeUInt32LE(50_000, at + 20);
      zip.writeUInt32LE(50_000, at + 24);
    }
    expect(await verifyZip(zip)).toMatchObject({ exit: 13, stderr: expect.stringMatching(/overlap/) });
  });

  test('a link', async () => {
    const zip = zipOf(entriesOf());
    zip.writeUInt32LE((0o120777 << 16) >>> 0, zip.indexOf('PK\x01\x02') + 38);
    expect(await verifyZip(zip)).toMatchObject({ exit: 13, stderr: expect.stringMatching(/symbolic link/) });
  });

  test('only a zip may be a file, and only as a bag', async () => {
    writeFileSync(join(dir, 'bag.zip'), zipOf(entriesOf()));
    mkdirSync(join(dir, 'x'));
    expect((await arx(dir, 'attachments verify bag.zip --against sums')).exit).toBe(13);
    expect((await arx(dir, 'attachments verify x --against bag')).exit).toBe(6);
  });
});
