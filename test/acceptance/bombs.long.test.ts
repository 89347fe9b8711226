// Small files that become large, through the built program: each is refused in words, in bounded memory, and a signal ends the rest.
import {
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Of } from '../support/digest.ts';
import { until } from '../support/held-connections.ts';
import { isInstalled } from '../support/installed.ts';
import { answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { buildProgram, startProcess, type Ended, type Program, type Running } from '../support/program.ts';
import { PNG_END, pngHeader, pngOf, pngZeros } from '../support/pictures.ts';
import { paxRecord, rawTar } from '../support/tar.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { wordsOf } from '../support/transcript.ts';
import { zipOf } from '../support/zip.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** What the program takes without any work, with room for garbage. */
const PROGRAM_MIB = 128;

let arx: Program;
let server: Misbehaving;
beforeAll(async () => {
  arx = buildProgram();
  const piece = gzipSync(Buffer.alloc(MIB));
  const bomb = Buffer.concat(Array.from({ length: 500 }, () => piece));
  server = await misbehave((socket) => socket.end(answer(200, bomb, { 'content-encoding': 'gzip' })));
});
afterAll(() => server.close());

/** Makes a file of this size that takes no room on the disk. */
function sparse(path: string, bytes: number, head = '', tail = ''): void {
  writeFileSync(path, head, { mode: 0o600 });
  truncateSync(path, bytes - tail.length);
  const file = openSync(path, 'a');
  writeSync(file, tail);
  closeSync(file);
}

const slack = (...days: (string | Uint8Array)[]): [string, string | Uint8Array][] => [
  ['users.json', '[]'],
  ['channels.json', '[{"id":"CH","name":"general"}]'],
  ...days.map((day, n): [string, string | Uint8Array] => [`general/2024-01-${n + 10}.json`, day]),
];

/** A zip with one day of messages, which its directory names again and again. */
function overlapping(day: Uint8Array, count: number): Buffer {
  const zip = zipOf(slack(day));
  const end = zip.length - 22;
  const entry = zip.subarray(zip.lastIndexOf('PK\x01\x02', undefined, 'latin1'), end);
  const others = Array.from({ length: count - 1 }, (_, n) => {
    const other = Buffer.from(entry);
    other.write(String(n + 11), other.indexOf('2024-01-') + '2024-01-'.length);
    return other;
  });
  const last = Buffer.from(zip.subarray(end));
  for (const at of [8, 10]) last.writeUInt16LE(last.readUInt16LE(at) + others.length, at);
  last.writeUInt32LE(last.readUInt32LE(12) + others.length * entry.length, 12);
  return Buffer.concat([zip.subarray(0, end), ...others, last]);
}

/** The end of a zip that claims so many entries, in the form of zip64. */
function claimingEntries(count: bigint): Buffer {
  const zip = zipOf(slack());
  const at = zip.length - 22;
  const record = Buffer.alloc(76);
  record.write('PK\x06\x06', 0, 'latin1');
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(count, 24);
  record.writeBigUInt64LE(count, 32);
  record.write('PK\x06\x07', 56, 'latin1');
  record.writeBigUInt64LE(BigInt(at), 64);
  record.writeUInt32LE(1, 72);
  const end = Buffer.from(zip.subarray(at)).fill(0xff, 8, 20);
  return Buffer.concat([zip.subarray(0, at), record, end]);
}

/** A frozen walk of one window with these rows, whose hashes are right. */
function frozenWindow(dir: string, rows: Buffer): void {
  const line = {
    after: null,
    disagreements: 0,
    drift_ratio: null,
    ids: ['a'],
    previous: '0'.repeat(64),
    reads: 1,
    rows_bytes: rows.length,
    rows_sha256: sha256Of(rows),
    window: 1,
  };
  frozen(dir, (log) => {
    writeFileSync(join(log, 'windows.ndjson'), `${JSON.stringify(line)}\n`);
    writeFileSync(join(log, 'rows.ndjson'), rows);
  });
}

function frozen(dir: string, make: (log: string) => void): void {
  const log = join(dir, 'log');
  mkdirSync(log);
  for (const name of ['windows.ndjson', 'rows.ndjson']) writeFileSync(join(log, name), '');
  writeFileSync(
    join(log, 'walk.json'),
    '{"version":1,"base_url":"https://a.example","list":"x","after":null,"before":null}\n',
  );
  make(log);
}

const file = (name: string, content: () => string | Uint8Array) => (dir: string) =>
  writeFileSync(join(dir, name), content());
const BAG = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';
const mail = 'From: a@b\nSubject: x\n\n';
const mbox = `From a@b Thu Jan  1 00:00:00 2026\n${mail}`;
const wide = (bytes: number) => Buffer.concat([Buffer.alloc(bytes, '[0,'), Buffer.from('0]')]);
const packed = (bytes: number): Buffer => {
  const piece = gzipSync(Buffer.alloc(64 * MIB));
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / (64 * MIB)) }, () => piece));
};

/** Pictures that claim more pixels than they may have, or need more memory. */
const PICTURES: Record<string, Buffer> = {
  'a.png': pngOf(pngHeader(65_535, 65_535), pngZeros(MIB), PNG_END),
  'b.png': pngOf(pngHeader(6_000, 6_000, { depth: 16 }), pngZeros(MIB), PNG_END),
  'c.gif': Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(4, 0xff), Buffer.alloc(20)]),
  'd.jpg': Buffer.from('ffd8ffc0001108ffdcffdc03012200021101031101ffd9', 'hex'),
};

/** `held`: MiB of the file that the program may hold, by its limits. `said`: on either stream. */
type Bomb = {
  make: (dir: string) => void;
  line: string;
  exit: number;
  said: RegExp;
  held: number;
  env?: Record<string, string>;
};

/** A JSON file of an export is held whole, up to 128 MiB. */
const JSON_MIB = 128;

const BOMBS: Record<string, Bomb> = {
  'a zip that claims four thousand million files': {
    make: file('a.zip', () => claimingEntries(4_000_000_000n)),
    line: 'import a.zip',
    exit: 2,
    said: /names more than 500000 files/,
    held: 0,
  },
  'a zip of 20 files of 120 MiB that overlap': {
    make: file('a.zip', () => overlapping(Buffer.alloc(120 * MIB, '['), 20)),
    line: 'import a.zip',
    exit: 2,
    said: /the zip is damaged \(its entries overlap\)/,
    held: 0,
  },
  'a zip with 120 MiB of brackets': {
    make: file('a.zip', () => zipOf(slack(Buffer.alloc(120 * MIB, '[')))),
    line: 'import a.zip',
    exit: 3,
    said: /is not valid JSON|nested too deep/,
    held: JSON_MIB,
  },
  'a zip with a list of 20 million numbers': {
    make: file('a.zip', () =>
      zipOf(slack(Buffer.concat([Buffer.from('['), Buffer.alloc(40 * MIB, '0,'), Buffer.from('0]')]))),
    ),
    line: 'import a.zip',
    exit: 3,
    said: /has a list of more than 2000000 entries/,
    held: JSON_MIB,
  },
  'a zip with 200 MiB of JSON': {
    make: file('a.zip', () => zipOf(slack(Buffer.alloc(200 * MIB, ' ')))),
    line: 'import a.zip',
    exit: 3,
    said: /is larger than 134217728 bytes/,
    held: 0,
  },
  'a zip in a zip': {
    make: file('a.zip', () => zipOf({ 'b.zip': zipOf(slack(Buffer.alloc(100 * MIB, ' '))) })),
    line: 'import a.zip',
    exit: 2,
    said: /is none of these/,
    held: 0,
  },
  'an export of Zulip with nested brackets': {
    make: file('a.zip', () =>
      zipOf({ 'z/realm.json': Buffer.alloc(60 * MIB, '['), 'z/messages-000001.json': wide(60 * MIB) }),
    ),
    line: 'import a.zip',
    exit: 3,
    said: /refused/,
    held: JSON_MIB,
  },
  'a line of Mattermost of 256 MiB': {
    make: (dir) => sparse(join(dir, 'a.jsonl'), 256 * MIB, '{"type":"version","version":1}\n'),
    line: 'import --kind mattermost a.jsonl',
    exit: 3,
    said: /line|larger|longer/,
    held: 64,
  },
  'a tar with a file of 2^63 bytes': {
    make: file('a.tar', () => rawTar([{ name: 'z/realm.json', size: '77777777777' }])),
    line: 'import --kind zulip a.tar',
    exit: 2,
    said: /is no Zulip export/,
    held: 0,
  },
  'a tar with a name of 30 MiB': {
    make: file('a.tar', () =>
      rawTar([{ name: 'x', type: 'x', content: paxRecord('path', 'a'.repeat(30 * MIB)) }]),
    ),
    line: 'import --kind zulip a.tar',
    exit: 2,
    said: /is no Zulip export/,
    held: 32,
  },
  'a tar.gz that becomes 600 MiB': {
    make: file('a.tar.gz', () =>
      Buffer.concat([
        gzipSync(
          rawTar([
            { name: 'z/realm.json', content: '{}' },
            { name: 'z/messages-000001.json', content: '{"zerver_message":[]}' },
          ]).subarray(0, -1024),
        ),
        gzipSync(rawTar([{ name: 'z/x', size: 600 * MIB }]).subarray(0, 512)),
        packed(600 * MIB),
      ]),
    ),
    line: 'import a.tar.gz',
    exit: 3,
    said: /unpacks to too many bytes for its size/,
    held: 0,
  },
  'a compressed mailbox': {
    make: file('a.mbox.gz', () => packed(256 * MIB)),
    line: 'import a.mbox.gz',
    exit: 2,
    said: /it is compressed: gunzip -c FILE \| arx import -/,
    held: 0,
  },
  'a mailbox with a mail of 256 MiB': {
    make: (dir) => sparse(join(dir, 'a.mbox'), 256 * MIB, mbox),
    line: 'import a.mbox',
    exit: 3,
    said: /the mail is larger than 37748736 bytes/,
    // A mail is read up to 36 MiB, into a buffer that doubles.
    held: 3 * 36,
  },
  'a mail of 1 GiB': {
    make: (dir) => sparse(join(dir, 'a.eml'), GIB, mail),
    line: 'import a.eml',
    exit: 3,
    said: /the mail is larger than 37748736 bytes/,
    held: 0,
  },
  'a mail of 30 MiB in 200,000 parts': {
    make: file(
      'a.eml',
      () =>
        `Content-Type: multipart/mixed; boundary=b\n${mail}${`--b\nContent-Type: a/b\n\n${'x'.repeat(128)}\n`.repeat(200_000)}`,
    ),
    line: 'import a.eml',
    exit: 0,
    said: /10,000 attachments stored/,
    held: 4 * 36,
  },
  'a bag with a manifest of 300 MiB': {
    make: file('a.zip', () =>
      zipOf({ 'bagit.txt': BAG, 'manifest-sha256.txt': Buffer.alloc(300 * MIB), 'data/a': 'a' }),
    ),
    line: 'attachments verify a.zip --against bag',
    exit: 13,
    said: /is larger than 268435456 bytes/,
    held: 0,
  },
  'a bag with a file of 300 MiB': {
    make: file('a.zip', () =>
      zipOf({
        'bagit.txt': BAG,
        'manifest-sha256.txt': `${'0'.repeat(64)}  data/a\n`,
        'data/a': Buffer.alloc(300 * MIB),
      }),
    ),
    line: 'attachments verify a.zip --against bag',
    exit: 12,
    said: /data\/a/,
    held: 0,
  },
  'a frozen log with a line of 1 GiB': {
    make: (dir) => frozen(dir, (log) => sparse(join(log, 'windows.ndjson'), GIB, '', '\n')),
    line: 'conversations verify log',
    exit: 12,
    said: /window 1 is not a line of a frozen log/,
    // A line is read up to 64 MiB, and its pieces joined.
    held: 2 * 64,
  },
  'a frozen log with 60 MiB of brackets': {
    make: (dir) =>
      frozen(dir, (log) => writeFileSync(join(log, 'windows.ndjson'), `${'['.repeat(60 * MIB)}\n`)),
    line: 'conversations verify log',
    exit: 12,
    said: /window 1 is not a line of a frozen log/,
    held: 2 * 64,
  },
  'a frozen window of 100 million empty rows': {
    make: (dir) => frozenWindow(dir, Buffer.alloc(100 * MIB, '\n')),
    line: 'conversations verify log',
    exit: 12,
    said: /window 1 has rows of other ids/,
    held: 100,
  },
  'a frozen row of 100 MiB of brackets': {
    make: (dir) => frozenWindow(dir, Buffer.concat([Buffer.alloc(100 * MIB, '['), Buffer.from('\n')])),
    line: 'conversations verify log',
    exit: 12,
    said: /window 1 has rows of other ids/,
    held: 100,
  },
  ...Object.fromEntries(
    ['walk.json', 'complete.ndjson', 'doubts.ndjson'].map((name): [string, Bomb] => [
      `a ${name} of 1 GiB`,
      {
        make: (dir) => frozen(dir, (log) => sparse(join(log, name), GIB, '', '\n')),
        line: 'conversations verify log',
        exit: 13,
        said: new RegExp(`${name} is larger than \\d+ bytes`),
        held: 0,
      },
    ]),
  ),
  'settings of 1 GiB': {
    make: (dir) => (mkdirSync(join(dir, 'config')), sparse(join(dir, 'config/config.json'), GIB)),
    line: 'config ls',
    exit: 15,
    said: /is larger than 4 MiB/,
    held: 0,
  },
  'a profile of AWS of 1 GiB': {
    make: (dir) => sparse(join(dir, 'aws'), GIB),
    line: 'import aws --database postgres://a@127.0.0.1:1/a --blobs s3://bucket/x',
    exit: 4,
    said: /is larger than 1 MiB/,
    held: 0,
    env: { AWS_CONFIG_FILE: 'aws' },
  },
  'values for completion of 1 GiB': {
    make: (dir) => {
      mkdirSync(join(dir, '.cache/arx/completion'), { recursive: true, mode: 0o700 });
      sparse(join(dir, '.cache/arx/completion/seen.json'), GIB);
    },
    line: "__complete bash messages -- '' 'arx read '",
    exit: 0,
    said: /^\n$/,
    held: 0,
  },
  'events in a line of 1 GiB': {
    make: (dir) => sparse(join(dir, 'a.ndjson'), GIB),
    line: 'events send --file a.ndjson',
    exit: 2,
    said: /line 1 is longer than a request may be/,
    held: 0,
  },
  'checksums of 1 GiB': {
    make: (dir) => sparse(join(dir, 'SHA256SUMS'), GIB),
    line: 'attachments verify . --against sums',
    exit: 13,
    said: /is larger than 268435456 bytes/,
    held: 0,
  },
};

describe.skipIf(!existsSync('/proc/self/status'))('files that become large', () => {
  test('an answer of 500 MiB that was 500 KB', async () => {
    const { peak, exit, stderr } = await measured(tempFolder('bomb'), 'messages ls', {
      ARX_BASE_URL: server.url,
      ARX_TOKEN: 'tok_x',
    });
    expect([exit, stderr]).toEqual([11, expect.stringContaining('answer')]);
    expect(peak).toBeLessThan(PROGRAM_MIB);
  });

  test('a row with an id of 10 MB', async () => {
    const page = JSON.stringify({ object: 'list', data: [{ id: 'c'.repeat(10_000_000) }], has_more: false });
    const service = await misbehave((socket) => socket.end(answer(200, page)));
    const { peak, exit, stderr } = await measured(tempFolder('bomb'), 'attachments ls', {
      ARX_BASE_URL: service.url,
      ARX_TOKEN: 'a'.repeat(40),
    });
    await service.close();
    expect([exit, stderr]).toEqual([11, expect.stringContaining('row 1 of a page has no id')]);
    // The answer as bytes and text, and once more where it is looked through for the token.
    expect(peak).toBeLessThan(PROGRAM_MIB + 64);
  });

  test.skipIf(!isInstalled('script'))('pictures', async () => {
    const dir = tempFolder('bomb');
    mkdirSync(join(dir, 'pictures'));
    for (const [name, content] of Object.entries(PICTURES))
      writeFileSync(join(dir, 'pictures', name), content);
    expect(await arx.run(['import', 'pictures'], { dir })).toMatchObject({ exit: 0 });
    for (const [n, name] of Object.keys(PICTURES).toSorted().entries()) {
      const command = `${process.execPath} ${arx.launcher} attachments show att_${n + 1} --preview`;
      const { peak, exit, stdout } = await peakOf(dir, (env) =>
        startProcess('script', ['-qec', command, '/dev/null'], { dir, env: { ...env, TERM: 'xterm' } }),
      );
      expect([name, exit, stdout]).toEqual([name, 3, expect.stringMatching(/megapixels|too much memory/)]);
      expect(peak).toBeLessThan(PROGRAM_MIB);
    }
  });

  test.each(Object.entries(BOMBS))('%s', async (_, { make, line, exit, said, held, env = {} }) => {
    const dir = tempFolder('bomb');
    make(dir);
    const { peak, ...ran } = await measured(dir, line, env);
    const words = ran.stdout + ran.stderr;
    expect([ran.exit, words]).toEqual([exit, expect.stringMatching(said)]);
    expect(words).not.toContain('unexpected error');
    expect(peak).toBeLessThan(PROGRAM_MIB + held);
  });
});

type Measured = Ended & { peak: number };

/** Runs a process of Node. `peak`: its largest resident memory [MiB]. */
async function peakOf(dir: string, start: (env: Record<string, string>) => Running): Promise<Measured> {
  const file = join(dir, 'peak');
  const preload = join(import.meta.dirname, '../support/peak-memory.cjs');
  const ended = await start({ NODE_OPTIONS: `--require ${preload}`, ARX_TEST_PEAK: file }).ended;
  return { ...ended, peak: Math.round(Number(readFileSync(file, 'utf8')) / 1024) };
}

const measured = (dir: string, line: string, more: Record<string, string> = {}): Promise<Measured> =>
  peakOf(dir, (env) => arx.start(wordsOf(line), { dir, env: { ...env, ...more } }));

/** What takes minutes to read. */
const ENDLESS: Record<string, [make: (dir: string) => void, line: string]> = {
  'a mailbox of 100 GiB without a second mail': [
    (dir) => sparse(join(dir, 'a'), 100 * GIB, mbox),
    'import a',
  ],
  'a file of 100 GiB without a mail': [(dir) => sparse(join(dir, 'a'), 100 * GIB), 'import a'],
  'a mailbox of 100 GiB in a Maildir': [
    (dir) => {
      for (const name of ['', 'cur', 'new']) mkdirSync(join(dir, 'box', name));
      sparse(join(dir, 'box', 'beside'), 100 * GIB, mbox);
    },
    'import box',
  ],
  'a line of Mattermost of 100 GiB': [
    (dir) => sparse(join(dir, 'a'), 100 * GIB, '{"type":"version","version":1}\n'),
    'import --kind mattermost a',
  ],
  'a folder with a file of 100 GiB': [
    (dir) => (mkdirSync(join(dir, 'a')), sparse(join(dir, 'a/a'), 100 * GIB)),
    'import a',
  ],
  'a zip of 8 files of 120 MiB': [
    file('a.zip', () => zipOf(slack(...Array.from({ length: 8 }, () => Buffer.alloc(120 * MIB, ' '))))),
    'import a.zip',
  ],
  'a bag of files of 100 GiB': [
    (dir) => {
      mkdirSync(join(dir, 'bag/data'), { recursive: true });
      writeFileSync(join(dir, 'bag/bagit.txt'), BAG);
      writeFileSync(join(dir, 'bag/manifest-sha256.txt'), `${'0'.repeat(64)}  data/a\n`);
      sparse(join(dir, 'bag/data/a'), 100 * GIB);
    },
    'attachments verify bag',
  ],
};

describe.skipIf(!existsSync('/proc/self/stat'))('SIGTERM ends what would take minutes', () => {
  test.each(Object.entries(ENDLESS))('%s', async (_, [make, line]) => {
    const dir = tempFolder('bomb');
    make(dir);
    const { child, pid, ended } = arx.start(wordsOf(line), { dir });
    // It starts within a fraction of a second of CPU time.
    expect(await until(() => cpuSeconds(pid) > 1)).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ exit: 143, stderr: expect.stringContaining('interrupted') });
  });
});

/** CPU time of a process so far; the clock of the kernel has 100 ticks a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
