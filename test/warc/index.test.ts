// Recording exchanges in a WARC file: an independent reader finds the same bytes, and no secret.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { TransportFault, type Transport, type TransportReply } from '../../src/client/transport.ts';
import { Fault } from '../../src/faults.ts';
import { openRecorder, type Recorder, type TrafficKind } from '../../src/warc/index.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { NOON } from '../support/fake-world.ts';
import { allText, readWarc, type ReadRecord } from '../support/warc.ts';
import { runs } from '../support/runs.ts';

const TOKEN = 'arx_tok/0123456789.abcdefghijklmnop';
const STARS = '*'.repeat(TOKEN.length);
const BASE = 'https://archive.example/v1/attachments?limit=2';

let dir: string;
let path: string;
beforeEach(() => void (dir = tempFolder('record')));
beforeEach(() => {
  path = join(dir, 'a.warc.gz');
});

type SimulatedExchange = {
  url?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
  traffic?: TrafficKind;
  status?: number;
  wire?: TransportReply['wire'];
  /** The chunks of the response body. An error ends the body. */
  pieces?: (Uint8Array | string | Error)[];
  fails?: Error;
};

async function ask(recorder: Recorder, told: SimulatedExchange): Promise<Buffer> {
  const { url = BASE, method = 'GET', headers = {}, body, traffic = 'api', wire } = told;
  const transport: Transport = async () => {
    if (told.fails !== undefined) throw told.fails;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const piece of told.pieces ?? []) {
        if (piece instanceof Error) throw piece;
        const bytes = Buffer.from(piece as string);
        yield bytes;
        // A transport may reuse the memory of a chunk after the next one was requested.
        bytes.fill(0);
      }
    }
    const flat = Object.fromEntries(
      (wire?.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return {
      status: told.status ?? 200,
      headers: flat,
      body: pieces(),
      ...(wire === undefined ? {} : { wire }),
    };
  };
  const { signal } = new AbortController();
  const sent = { method, url: new URL(url), headers, signal, ...(body === undefined ? {} : { body }) };
  const reply = await recorder.wrap(transport, traffic)(sent);
  const got: Uint8Array[] = [];
  for await (const piece of reply.body) got.push(Buffer.from(piece));
  return Buffer.concat(got);
}

async function recorded(
  exchanges: readonly SimulatedExchange[],
  secrets: string[] = [TOKEN],
): Promise<ReadRecord[]> {
  const world = {
    now: () => NOON,
    running: () => false,
    pid: 1,
    randomBytes,
    signal: new AbortController().signal,
  };
  const words = ['api', '/v1/attachments'];
  const options = {
    path,
    force: true,
    version: '0',
    words,
    archive: 'https://archive.example',
    secrets,
    world,
  };
  const recorder = await openRecorder(options);
  for (const told of exchanges) await ask(recorder, told).catch(() => {});
  await recorder.close([['exit', '0']], false);
  return readWarc(path);
}
const wire = (headers: [string, string][], reason = 'OK') => ({ reason, headers, address: '192.0.2.1' });
const plain: [string, string][] = [['Content-Type', 'application/json']];
const response = (records: readonly ReadRecord[]): ReadRecord =>
  records.find(({ type }) => type === 'response')!;

describe('records and reads back', () => {
  const name = fc
    .stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
    .filter(
      (text) =>
        !/^(content-encoding|location|cookie|set-cookie|authorization|transfer-encoding|__proto__)$/i.test(
          text,
        ),
    );
  const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
  const bodies = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.constantFrom(
        'WARC/1.1\r\n',
        '\r\n\r\n',
        'WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n',
      ),
    ),
    { maxLength: 8 },
  );
  const exchange = fc.record({
    status: fc.integer({ min: 200, max: 599 }),
    reason: fc.constantFrom('OK', '', 'Not So Good', 'X'),
    // The reader merges header fields of one name.
    headers: fc.uniqueArray(fc.tuple(name, value), {
      minLength: 1,
      maxLength: 6,
      selector: ([key]) => key.toLowerCase(),
    }),
    traffic: fc.constantFrom<TrafficKind>('api', 'files'),
    pieces: bodies,
    body: fc.option(fc.uint8Array({ maxLength: 300 }), { nil: undefined }),
  });

  test('any exchange', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(exchange, { minLength: 1, maxLength: 4 }), async (all) => {
        const told = all.map(({ status, reason, headers, traffic, pieces, body }) => ({
          status,
          traffic,
          pieces: pieces as (Uint8Array | string)[],
          wire: wire(headers, reason),
          ...(body === undefined ? {} : { body, method: 'POST' }),
        }));
        const records = await recorded(told);
        expect(records.map(({ type }) => type)).toEqual([
          'warcinfo',
          ...told.flatMap(() => ['response', 'request']),
          'metadata',
        ]);
        for (const [index, { status, pieces, wire: sent, body }] of told.entries()) {
          const [answer, request] = records.slice(1 + 2 * index);
          expect(answer?.first).toBe(`HTTP/1.1 ${status} ${sent.reason}`.trimEnd());
          expect(answer?.headers).toEqual(sent.headers);
          expect(answer?.payload).toEqual(Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))));
          expect(request?.first).toBe(
            `${body === undefined ? 'GET' : 'POST'} /v1/attachments?limit=2 HTTP/1.1`,
          );
          expect(request?.payload).toEqual(Buffer.from(body ?? []));
          for (const record of [answer, request])
            expect(record?.fields).toMatchObject({ 'WARC-Target-URI': BASE, 'WARC-IP-Address': '192.0.2.1' });
          expect(answer?.fields).not.toHaveProperty('Arx-Note');
        }
      }),
      { numRuns: runs({ quick: 15, long: 60 }) },
    );
  });

  test('a large body whose chunks are overwritten after they were read', async () => {
    const pieces = Array.from({ length: 40 }, () => randomBytes(50_000));
    const [, answer] = await recorded([
      { traffic: 'files', pieces: pieces.map((piece) => Buffer.from(piece)), wire: wire(plain) },
    ]);
    expect(answer?.payload.equals(Buffer.concat(pieces))).toBe(true);
  });

  test('a compressed body as received', async () => {
    const body = gzipSync('{"data":[]}');
    const { payload, headers } = response(
      await recorded([{ pieces: [body], wire: wire([...plain, ['Content-Encoding', 'gzip']]) }]),
    );
    expect([payload.equals(body), headers[1]]).toEqual([true, ['Content-Encoding', 'gzip']]);
  });

  test('a chunked body without its transfer encoding', async () => {
    const { headers, fields } = response(
      await recorded([{ pieces: ['{}'], wire: wire([...plain, ['Transfer-Encoding', 'chunked']]) }]),
    );
    expect([headers, fields['Arx-Note']]).toEqual([plain, 'transfer-encoding removed']);
  });
});

describe('incomplete exchanges', () => {
  const lost = new TransportFault('network', 'archive.example:443: cut after 3 of 9 bytes', true);

  test('a request without a response, with the error', async () => {
    const records = await recorded([{ fails: lost }]);
    expect(records.map(({ type }) => type)).toEqual(['warcinfo', 'request', 'metadata']);
    expect(records[1]?.fields['Arx-Note']).toBe(`no answer: network, ${lost.message}`);
  });

  test.each<TrafficKind>(['api', 'files'])('a cut body is marked: %s', async (traffic) => {
    const { fields, payload } = response(
      await recorded([{ traffic, pieces: ['abc', lost], wire: wire(plain) }]),
    );
    expect([payload.toString(), fields['WARC-Truncated']]).toEqual(['abc', 'disconnect']);
    expect(fields['Arx-Note']).toBe(`body not read to its end: network, ${lost.message}`);
  });
});

describe('hostile values cannot forge records', () => {
  const EVIL = 'x\r\n\r\nWARC/1.1\r\nWARC-Type: response\0\u010d\u010a\u{1f4a9}y';
  test('in names, values, reasons, targets, requests and notes', async () => {
    const told: SimulatedExchange = {
      url: `https://archive.example/${encodeURI('a\r\nb')}?q=%0d%0a`,
      headers: { 'x-sent': EVIL },
      pieces: ['{}'],
      wire: wire(
        [
          ['X-Evil', EVIL],
          [EVIL, 'v'],
        ],
        EVIL,
      ),
    };
    const records = await recorded([told, { fails: new Fault('protocol', EVIL) }]);
    expect(records.map(({ type }) => type)).toEqual([
      'warcinfo',
      'response',
      'request',
      'request',
      'metadata',
    ]);
    const [, answer, request] = records;
    expect(answer?.headers).toHaveLength(2);
    expect(answer?.payload.toString()).toBe('{}');
    expect(request?.headers.find(([name]) => name === 'x-sent')?.[1]).toMatch(
      /^x {4}WARC\/1\.1 {2}WARC-Type: response +y$/,
    );
  });

  test('any characters', async () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        '\r',
        '\n',
        '\0',
        ':',
        ' ',
        '\t',
        '\u010d',
        '\u010a',
        '\u0085',
        '\u2028',
        'é',
        'W',
        '\ud800',
      ),
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(nasty, nasty, nasty, async (name, value, reason) => {
        const headers: [string, string][] = [
          [name, value],
          ['x-last', 'v'],
        ];
        const records = await recorded([
          { headers: { 'x-sent': value }, pieces: ['body'], wire: wire(headers, reason) },
          { traffic: 'files', pieces: ['file', new Fault('network', reason)], wire: wire(headers, value) },
        ]);
        expect(records.map(({ type }) => type)).toEqual([
          'warcinfo',
          'response',
          'request',
          'response',
          'request',
          'metadata',
        ]);
        expect([records[1], records[3]].map((record) => record?.payload.toString())).toEqual([
          'body',
          'file',
        ]);
        expect(records[1]?.headers.at(-1)).toEqual(['x-last', 'v']);
      }),
      { numRuns: runs({ quick: 15, long: 60 }) },
    );
  });
});

describe('writes no token', () => {
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const escaped = JSON.stringify(TOKEN).replaceAll('/', String.raw`\/`);
  const cut = [TOKEN.slice(0, 11), TOKEN.slice(11, 20), TOKEN.slice(20)];

  test.each<[string, SimulatedExchange]>([
    ['in the Authorization header', { headers: bearer, pieces: ['{}'], wire: wire(plain) }],
    ['echoed in a body, split over three chunks', { pieces: ['<', ...cut, '>'], wire: wire(plain) }],
    ['echoed in a file', { traffic: 'files', pieces: ['<', ...cut, '>'], wire: wire(plain) }],
    [
      'echoed in a large file',
      { traffic: 'files', pieces: [Buffer.alloc(400_000), ...cut, '>'], wire: wire(plain) },
    ],
    ['escaped in JSON', { pieces: [`{"a":${escaped}}`], wire: wire(plain) }],
    [
      'in the URL',
      { url: `https://archive.example/x?y=${encodeURIComponent(TOKEN)}`, pieces: ['{}'], wire: wire(plain) },
    ],
    [
      'in a response header',
      {
        pieces: ['{}'],
        wire: wire([
          ['X-Echo', `a ${TOKEN} b`],
          ['Set-Cookie', 'session=abcdefg'],
        ]),
      },
    ],
    [
      'in a request body',
      { method: 'POST', body: Buffer.from(`{"token":"${TOKEN}"}`), pieces: ['{}'], wire: wire(plain) },
    ],
    [
      'in a compressed body',
      { pieces: [gzipSync(`["${TOKEN}"]`)], wire: wire([...plain, ['content-encoding', 'gzip']]) },
    ],
    [
      'at the end of a cut body',
      {
        traffic: 'files',
        pieces: [`x ${TOKEN.slice(0, -1)}`, new Fault('network', 'cut')],
        wire: wire(plain),
      },
    ],
    [
      'in a reason phrase and in a header name',
      {
        pieces: ['{}'],
        wire: wire(
          [
            [TOKEN, 'v'],
            ['X-A', 'b'],
          ],
          `no ${TOKEN}`,
        ),
      },
    ],
    ['in the message of an error', { fails: new Fault('protocol', `server said ${TOKEN}`) }],
  ])('%s', async (_, told) => {
    const records = await recorded([told]);
    const text = await allText(path);
    for (const form of [
      TOKEN,
      escaped.slice(1, -1),
      encodeURIComponent(TOKEN),
      TOKEN.slice(0, -1),
      'abcdefg;',
    ])
      expect(text).not.toContain(form);
    expect(text).not.toContain('session=abcdefg');
    expect(records.map(({ fields }) => fields['Arx-Note'] ?? '').join()).toMatch(/masked|\*{35}/);
  });

  test('a token that is part of the URL and the body', async () => {
    const told = { url: 'https://archive.example:8080/8080?8080', headers: { authorization: 'Bearer 8080' } };
    const [, answer, request] = await recorded([{ ...told, pieces: ['8080'], wire: wire(plain) }], []);
    expect(await allText(path)).not.toContain('8080');
    expect([answer?.payload.toString(), request?.first]).toEqual(['****', 'GET /****?**** HTTP/1.1']);
  });

  test('a masked body keeps its length', async () => {
    const body = `{"a":"${TOKEN}","b":1}`;
    const { payload, fields } = response(await recorded([{ pieces: [body], wire: wire(plain) }]));
    expect([payload.toString(), fields['Arx-Note']]).toEqual([
      body.replace(TOKEN, STARS),
      'token in the body masked',
    ]);
  });

  const login = (pieces: SimulatedExchange['pieces'], headers = plain): SimulatedExchange => ({
    url: 'https://archive.example/p/api/auth/token',
    method: 'POST',
    body: Buffer.from('{}'),
    pieces: pieces!,
    wire: wire(headers),
  });
  const NEW = 'new_tok_abcdefghijklmnopqrstuvwxyz';
  test.each<[string, SimulatedExchange]>([
    [
      'JSON',
      login([
        `{"access_token": "${NEW}", "refresh_token":"r.${NEW}","scope":["read:messages"],"id_token":null}`,
      ]),
    ],
    [
      'JSON, compressed',
      login([gzipSync(`{"access_token":"${NEW}"}`)], [...plain, ['Content-Encoding', 'gzip']]),
    ],
    ['JSON that is cut', login([`{"access_token":"${NEW.slice(0, 20)}`, new Fault('network', 'cut')])],
    [
      'compressed and cut',
      login(
        [gzipSync(`{"access_token":"${NEW}"}`).subarray(0, 30), new Fault('network', 'cut')],
        [...plain, ['Content-Encoding', 'gzip']],
      ),
    ],
    ['a form', login([`scope=x&access_token=${NEW}&a=b`])],
    [
      'JSON inside other JSON',
      login([`{"data":{"access_token":"${NEW.replace('_', String.raw`\u005f`)}"}}`]),
    ],
    ['an unknown encoding', login([NEW], [...plain, ['Content-Encoding', 'zstd']])],
  ])('a new token in %s', async (_, told) => {
    // The next exchange contains the token too.
    const records = await recorded([
      told,
      { headers: { authorization: `Bearer ${NEW}` }, pieces: [NEW], wire: wire(plain) },
    ]);
    const text = await allText(path);
    for (const part of [NEW, NEW.slice(0, 20), NEW.slice(8)]) expect(text).not.toContain(part);
    expect(records.filter(({ fields }) => fields['Arx-Note'] !== undefined).length).toBeGreaterThanOrEqual(3);
  });
});

describe('masks file URLs, which are permissions', () => {
  const SIGNATURE = 'A8s_dkfj3-LKJ2lkj42lkj43lkj5lk6j7lkj8lkj9lk';
  const OURS = `http://127.0.0.1:4748/files/att_1/internal/${SIGNATURE}`;
  const SIGNED = `https://cdn.example/a/report.pdf?X-Amz-Expires=60&X-Amz-Signature=deadbeefdeadbeef&v=1`;

  test.each([OURS, SIGNED])('%s', async (address) => {
    const row = `{"data":[{"id":"att_1","file_url":"${address}","raw_url" : "${address.replaceAll('/', String.raw`\/`)}","sha256":"${'a1'.repeat(32)}"}]}`;
    const records = await recorded([
      { pieces: [row], wire: wire(plain) },
      { traffic: 'files', url: address, status: 302, wire: wire([['Location', `${address}x`]]) },
    ]);
    const text = await allText(path);
    expect(text).not.toContain(SIGNATURE);
    expect(text).not.toContain('deadbeef');
    expect(text).toContain('a1'.repeat(32));
    // The masked URLs of the row and of the request are equal.
    const target = records[3]!.fields['WARC-Target-URI']!;
    expect(target).toMatch(
      /^(http:\/\/127\.0\.0\.1:4748\/files\/att_1\/internal\/\*{43}|https:\/\/cdn\.example\/a\/report\.pdf\?X-Amz-Expires=60&X-Amz-Signature=\*{16}&v=1)$/,
    );
    expect(records[1]?.payload.toString()).toContain(`"file_url":"${target}"`);
    expect(records[1]?.payload.length).toBe(row.length);
    for (const record of records.slice(1, 5))
      if (record.fields['WARC-Target-URI'] !== BASE || record.type === 'response')
        expect(record.fields['Arx-Note']).toContain('masked');
  });

  test('a URL inside a text is not masked', async () => {
    const body = JSON.stringify({ text: `see "url":"${SIGNED}" there`, starting_after: 'msg_1' });
    expect(response(await recorded([{ pieces: [body], wire: wire(plain) }])).payload.toString()).toBe(body);
  });

  test('a credential in any URL', async () => {
    const [, answer] = await recorded([
      {
        url: 'https://archive.example/list?api_key=s3cret&limit=5&starting_after=abcdefghijkl',
        pieces: ['{}'],
        wire: wire(plain),
      },
    ]);
    expect(answer?.fields['WARC-Target-URI']).toBe(
      'https://archive.example/list?api_key=******&limit=5&starting_after=abcdefghijkl',
    );
  });
});
