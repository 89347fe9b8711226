// `--record FILE` on whole commands: the file has every exchange, also of failed runs, and no token.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PullReport } from '../../src/contract/reports/files.ts';
import { Fault } from '../../src/faults.ts';
import { partialKeyOf, partialFileName } from '../../src/download/partial-names.ts';
import { serveCatalogue, type ForeignFile } from '../support/catalogue-server.ts';
import { arx, type Ran } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { ranged } from '../support/ranges.ts';
import { sampleData } from '../support/sample.ts';
import { serve } from '../support/served.ts';
import { allText, readWarc, type ReadRecord } from '../support/warc.ts';
import type { FakeWorldOptions } from '../support/fake-world.ts';
import { sha256Of } from '../support/digest.ts';

const TOKEN = 'arx_0123456789.abcdefghijklmnop';
let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('record')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const file = (): string => join(dir, 'a.warc.gz');
const run = (line: string, options: FakeWorldOptions = {}): Promise<Ran> =>
  arx(dir, `${line} --record a.warc.gz`, { env: { LANG: 'C.UTF-8', ARX_TOKEN: TOKEN }, ...options });
const pull = (line = '--all', options?: FakeWorldOptions): Promise<Ran> =>
  run(`attachments pull ${line} --to dl --base-url ${server!.url}`, options);
async function serveFiles(files: readonly ForeignFile[]): Promise<void> {
  server = await serveCatalogue(files);
}
/** Of files, in the order they came. */
const filesOf = (records: readonly ReadRecord[], type = 'response'): ReadRecord[] =>
  records.filter(
    (record) => record.type === type && (record.fields['WARC-Target-URI'] ?? '').includes('/files/'),
  );
const outcome = (records: readonly ReadRecord[]): string => records.at(-1)!.payload.toString();
const header = ({ headers }: ReadRecord, name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1];

describe('a real session', () => {
  test.each(['local', 'served'])(
    '%s: login, list, pull, content; nothing that was given to it is in the files',
    async (where) => {
      await sampleData(join(dir, 'data'));
      const served = where === 'served' ? await serve(dir) : undefined;
      const at = served === undefined ? '' : ` --base-url ${served.base_url}`;
      const secrets = new Set<string>();
      const step = async (name: string, line: string): Promise<ReadRecord[]> => {
        const ran = await arx(dir, `${line}${at} --record ${name}.warc.gz`);
        expect([0, 3], ran.stderr).toContain(ran.exit);
        expect(ran.stderr).toContain(` recorded in ${name}.warc.gz, `);
        const stored = JSON.parse(readFileSync(join(dir, 'config/tokens.json'), 'utf8')) as {
          tokens: { access_token: string }[];
        };
        for (const { access_token: token } of stored.tokens) secrets.add(token);
        return readWarc(join(dir, `${name}.warc.gz`));
      };
      try {
        const tier = '--client-id me --observer-tier internal --requested-tier internal --no-input';
        const login = await step('login', `login ${tier}`);
        expect(login.map(({ type }) => type)).toEqual(['warcinfo', 'response', 'request', 'metadata']);
        expect(login[2]?.payload.toString()).toContain('"client_id":"me"');
        const list = await step('ls', 'attachments ls --limit 5 --json');
        const rows = (
          JSON.parse((await arx(dir, `attachments ls --all --json${at}`)).stdout) as {
            data: { id: string; sha256: string; file_url: string | null }[];
          }
        ).data;
        for (const { file_url: url } of rows)
          if (url !== null) secrets.add(url.slice(url.lastIndexOf('/') + 1));
        expect(list.some(({ payload }) => payload.includes('"att_5"'))).toBe(true);
        const pulled = await step('pull', 'attachments pull --all --to dl');
        // What an archivist looks for: the digest of each body is the catalogue's.
        const digests = filesOf(pulled).map(({ fields }) => fields['WARC-Payload-Digest']);
        const given = rows.filter(({ file_url: url }) => url !== null);
        expect(new Set(digests)).toEqual(new Set(given.map(({ sha256 }) => `sha256:${sha256}`)));
        await step('raw', 'content get msg_1 --raw');
        for (const record of pulled.slice(1, -1)) {
          expect(record.fields['WARC-IP-Address']).toBe(served === undefined ? undefined : '127.0.0.1');
          expect(record.fields['WARC-Target-URI']).toMatch(
            served === undefined
              ? /^(https:\/\/archive\.localhost|http:\/\/127\.0\.0\.1:4748)\//
              : /^http:\/\/127\.0\.0\.1:\d+\//,
          );
        }
        expect(secrets.size).toBeGreaterThan(10);
        for (const name of ['login', 'ls', 'pull', 'raw']) {
          const text = await allText(join(dir, `${name}.warc.gz`));
          expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
        }
      } finally {
        await served?.close();
      }
    },
  );

  test.each(['--proxy ', '--proxy='])('records the command line without its secrets: %s', async (proxy) => {
    await serveFiles([]);
    const words = `api '/v1/attachments?x=it s' ${proxy}http://me:pass@127.0.0.1:9 --retries 0 --base-url ${server!.url}`;
    expect((await run(words)).exit).toBe(10);
    const [info] = await readWarc(file());
    expect(info?.payload.toString()).toContain(
      `command: arx api '/v1/attachments?x=it s' ${proxy}http://*******@127.0.0.1:9 --retries 0 --base-url ${server!.url} --record a.warc.gz\r\n`,
    );
    expect(info?.payload.toString()).toMatch(
      /^software: archive-explorer \(arx\) \d.*\r\nformat: WARC File Format 1\.1\r\nconformsTo: http.*warc-1\.1\/\r\n/,
    );
  });

  test.each([
    'http://me:pass@word7@127.0.0.1:9',
    'HTTP://me:word7@127.0.0.1:9/',
    'http://me:word7%40@127.0.0.1:9',
  ])('nor a password of any form: %s', async (proxy) => {
    await serveFiles([]);
    expect(
      (await run(`api /x?u=http://a:word7@b --proxy ${proxy} --retries 0 --base-url ${server!.url}`)).exit,
    ).toBe(10);
    expect(await allText(file())).not.toContain('word7');
  });

  test.each([
    'http:me:pass@h:9',
    String.raw`http:\\me:pass@h:9`,
    'http:/me:pass@h',
    'http:///me:pass@h',
    ' http://me:pass@h',
  ])('an address of a proxy in which a password is not recognized is refused: %s', async (proxy) => {
    await serveFiles([]);
    const ran = await arx(dir, '', {
      argv: ['api', '/x', '--record', 'a.warc.gz', '--proxy', proxy, '--base-url', server!.url],
    });
    expect(ran).toMatchObject({ exit: 2 });
    expect(ran.stderr).not.toContain('pass');
    const set = await arx(dir, '', { argv: ['config', 'set', 'proxy', proxy] });
    expect([set.exit, set.stdout + set.stderr]).toEqual([2, expect.not.stringContaining('pass')]);
  });

  test('masks a token from standard input, also in exchanges before its first use', async () => {
    server = await misbehave((socket) => socket.write(answer(200, `{"status":"${TOKEN}"}`)));
    const ran = await arx(dir, `health --token-file - --record a.warc.gz --base-url ${server.url}`, {
      stdin: `${TOKEN}\n`,
    });
    expect(ran.exit).toBe(0);
    expect(await allText(file())).not.toContain(TOKEN);
    const listed = await arx(dir, `api /x --token-file - --record b.warc.gz --base-url ${server.url}`, {
      stdin: `${TOKEN}\n`,
    });
    expect(listed.exit).toBe(0);
    expect(server.requests.at(-1)?.head).toContain(`Bearer ${TOKEN}`);
    expect(await allText(join(dir, 'b.warc.gz'))).not.toContain(TOKEN);
  });
});

test('downloads as many files at once as without --record', async () => {
  const waiting: (() => void)[] = [];
  await serveFiles(
    Array.from({ length: 32 }, (_, index) => ({
      content: `file ${index}`,
      script: (socket) => {
        waiting.push(() => void socket.write(answer(200, `file ${index}`)));
        if (waiting.length === 32) for (const go of waiting) go();
      },
    })),
  );
  const ran = await pull('--all --concurrency 32 --timeout 5 --retries 0');
  expect([ran.exit, filesOf(await readWarc(file())).length]).toEqual([0, 32]);
});

describe('records failures', () => {
  test('each retry with its response, heads as received', async () => {
    server = await misbehave((socket, _, count) => {
      if (count === 0) socket.destroy();
      else if (count === 1)
        socket.write('HTTP/1.1 503 Come Back\r\nX-Two: a\r\nx-two: b\r\nContent-Length: 0\r\n\r\n');
      else
        socket.write(
          'HTTP/1.1 200 Fine\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{"\r\n3\r\na":\r\n2\r\n1}\r\n0\r\n\r\n',
        );
    });
    const ran = await run(`api /x --base-url ${server.url}`);
    expect([ran.exit, ran.stdout.trim()]).toEqual([0, '{"a":1}']);
    const records = await readWarc(file());
    expect(records.map(({ type, first }) => `${type} ${first}`)).toEqual([
      'warcinfo ',
      'request GET /x HTTP/1.1',
      'response HTTP/1.1 503 Come Back',
      'request GET /x HTTP/1.1',
      'response HTTP/1.1 200 Fine',
      'request GET /x HTTP/1.1',
      'metadata ',
    ]);
    expect(records[1]?.fields['Arx-Note']).toMatch(
      /^authorization masked; no answer: network, 127\.0\.0\.1:\d+/,
    );
    expect(records[2]?.headers).toEqual([
      ['X-Two', 'a'],
      ['x-two', 'b'],
      ['Content-Length', '0'],
    ]);
    expect(records[4]?.payload.toString()).toBe('{"a":1}');
    expect(await allText(file())).not.toContain(TOKEN);
  });

  test('an unreachable service: exit 10, and the request alone', async () => {
    await serveFiles([]);
    const { url } = server!;
    await server!.close();
    server = undefined;
    const ran = await run(`health --base-url ${url} --retries 1`);
    expect(ran.exit).toBe(10);
    const records = await readWarc(file());
    expect(records.map(({ type }) => type)).toEqual(['warcinfo', 'request', 'request', 'metadata']);
    expect(outcome(records)).toMatch(/^exit: 10\r\nfault: network, cannot reach /);
  });

  test('a file that was cut, as far as it arrived, and the next request for it', async () => {
    const content = 'The quick brown fox jumps over the lazy dog';
    await serveFiles([{ content, script: ranged({ content, cutAfter: 10 }) }]);
    expect((await pull()).exit).toBe(0);
    const [cut, rest] = filesOf(await readWarc(file()));
    expect(cut?.fields['WARC-Truncated']).toBe('disconnect');
    expect(rest?.fields['WARC-Truncated']).toBe(undefined);
    expect(`${cut!.payload.toString()}${rest!.payload.toString()}`).toBe(content);
    expect(cut!.payload.length).toBeLessThanOrEqual(10);
  });

  test('a resumed file: only the received part, as 206', async () => {
    const content = 'The quick brown fox jumps over the lazy dog';
    await serveFiles([{ content, script: ranged({ content }) }]);
    mkdirSync(join(dir, 'dl'));
    writeFileSync(
      join(dir, 'dl', partialFileName(partialKeyOf(sha256Of(content)), 999_999_999, '"v1"')),
      content.slice(0, 10),
    );
    expect((await pull()).exit).toBe(0);
    const records = await readWarc(file());
    const [rest] = filesOf(records);
    expect([rest?.first, rest?.payload.toString()]).toEqual(['HTTP/1.1 206 X', content.slice(10)]);
    expect(header(rest!, 'content-range')).toBe(`bytes 10-${content.length - 1}/${content.length}`);
    expect(header(filesOf(records, 'request')[0]!, 'range')).toBe('bytes=10-');
  });

  test('a file with wrong bytes: exit 12', async () => {
    await serveFiles([{ content: 'hello', script: (socket) => socket.write(answer(200, 'hullo')) }]);
    const ran = await pull('--all --json');
    expect([ran.exit, PullReport.parse(JSON.parse(ran.stdout)).verdicts.mismatch]).toEqual([12, 1]);
    const records = await readWarc(file());
    expect(filesOf(records)[0]?.fields['WARC-Payload-Digest']).toBe(`sha256:${sha256Of('hullo')}`);
    expect(outcome(records)).toMatch(/^exit: 12\r\nfault: integrity, att_1: file-1\.txt: expected sha256 /);
  });

  test('a body that was not read, and a body that is too long', async () => {
    await serveFiles([
      { content: 'a', script: (socket) => socket.write(answer(206, 'a')) },
      { content: 'hello', row: { bytes: 3 }, script: (socket) => socket.write(answer(200, 'hello')) },
    ]);
    expect((await pull()).exit).toBe(12);
    const [unread, long] = filesOf(await readWarc(file())).sort(
      (a, b) => a.payload.length - b.payload.length,
    );
    expect([unread?.payload.length, unread?.fields['WARC-Truncated']]).toEqual([0, 'unspecified']);
    expect(long?.payload.toString()).toBe('hello');
  });

  test('SIGINT during downloads: exit 130, and a complete WARC file', async () => {
    const interrupt = new AbortController();
    await serveFiles([
      { content: 'done' },
      {
        content: 'never',
        script: (socket) => {
          socket.write('HTTP/1.1 200 X\r\ncontent-length: 5\r\n\r\nne');
          setImmediate(() =>
            setImmediate(() =>
              interrupt.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' })),
            ),
          );
        },
      },
    ]);
    const ran = await pull('--all --concurrency 1', { signal: interrupt.signal });
    expect(ran.exit).toBe(130);
    const records = await readWarc(file());
    expect(filesOf(records, 'request')).toHaveLength(2);
    expect(filesOf(records)[0]?.payload.toString()).toBe('done');
    expect(outcome(records)).toBe('exit: 130\r\nfault: interrupted, interrupted\r\n');
    expect(readdirSync(dir).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});

describe('the file', () => {
  test('replaces another file only with --force; without it no request is sent', async () => {
    await serveFiles([{ content: 'a' }]);
    writeFileSync(file(), 'mine');
    const ran = await pull();
    expect([ran.exit, server!.requests.length, readFileSync(file(), 'utf8')]).toEqual([13, 0, 'mine']);
    expect(ran.stderr).toMatch(/^arx: a\.warc\.gz exists already \[unsafe, exit 13\]\n.*--force/);
    expect((await pull('--all --force')).exit).toBe(0);
    expect(filesOf(await readWarc(file()))).toHaveLength(1);
  });

  test('does not replace a file that appears during the run', async () => {
    const content = 'hello';
    await serveFiles([
      {
        content,
        script: (socket) => {
          writeFileSync(file(), 'mine');
          socket.write(answer(200, content));
        },
      },
    ]);
    expect([(await pull()).exit, readFileSync(file(), 'utf8')]).toEqual([13, 'mine']);
    expect(readdirSync(dir).sort()).toEqual(['a.warc.gz', 'dl']);
    expect(existsSync(join(dir, 'dl/file-1.txt'))).toBe(true);
  });

  test.each(['fifo', 'folder', 'link'])('does not replace a %s, with --force or without', async (kind) => {
    if (kind === 'fifo') execFileSync('mkfifo', [file()]);
    else if (kind === 'folder') mkdirSync(file());
    else symlinkSync('nowhere', file());
    for (const force of ['', ' --force']) expect((await run(`about api${force}`)).exit).toBe(13);
    expect(existsSync(join(dir, 'nowhere'))).toBe(false);
  });

  test.each([
    ['attachments show x y', 2],
    ['attachments pull', 2],
    ['serve --port 0', 2],
    ['demo', 2],
  ])('%s: is refused and leaves no file', async (line, code) => {
    expect([(await run(line)).exit, existsSync(file())]).toEqual([code, false]);
    expect(readdirSync(dir).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('must have a name that ends in .warc.gz, in an existing folder', async () => {
    const named = await arx(dir, 'about api --record a.warc');
    expect([named.exit, named.stderr]).toEqual([
      2,
      expect.stringContaining('--record: must end in .warc.gz'),
    ]);
    expect((await arx(dir, 'about api --record no/a.warc.gz')).exit).toBe(14);
  });

  test('of a command without requests says so', async () => {
    const ran = await run('about api');
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining('0 HTTP exchanges recorded')]);
    expect((await readWarc(file())).map(({ type }) => type)).toEqual(['warcinfo', 'metadata']);
  });

  test('may be larger than memory; temporary files of killed runs are removed', async () => {
    const content = randomBytes(3_000_000).toString('latin1');
    await serveFiles([{ content, script: (socket) => void socket.write(answer(200, Buffer.from(content))) }]);
    writeFileSync(join(dir, `.arx-${'0'.repeat(16)}-999999999.part`), 'half');
    expect((await pull()).exit).toBe(0);
    expect(filesOf(await readWarc(file()))[0]?.payload.equals(Buffer.from(content))).toBe(true);
    expect(readdirSync(dir).sort()).toEqual(['a.warc.gz', 'dl']);
  });
});

test('--force is refused where no option uses it', async () => {
  expect((await arx(dir, 'about api --force')).exit).toBe(2);
  expect((await arx(dir, 'attachments verify . --force')).exit).toBe(2);
});
