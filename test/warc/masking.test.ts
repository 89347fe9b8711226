// Masking secrets in a WARC file: tokens, file URLs and credentials.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import {
  BASE,
  plain,
  recorded,
  recordedWithText,
  response,
  STARS,
  TOKEN,
  wire,
  type SimulatedExchange,
} from './recorded.ts';

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
  ])('%s', async (_, exchange) => {
    const { records, text } = await recordedWithText([exchange]);
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

  const codes = (code: (hex: string, decimal: number) => string) =>
    Array.from(TOKEN, (each) => code(each.charCodeAt(0).toString(16).padStart(2, '0'), each.charCodeAt(0)));
  const json = codes((hex) => String.raw`\u00${hex}`);
  const mixed = Array.from(TOKEN, (each, at) => (at % 3 === 0 ? json[at] : each));
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  test.each<[string, string]>([
    ['as escapes of JSON', json.join('')],
    ['with some escapes of JSON', mixed.join('')],
    ['with escapes of JSON in capital letters', json.join('').toUpperCase().replaceAll('U', 'u')],
    ['in percent-encoding', codes((hex) => `%${hex}`).join('')],
    ['in HTML', codes((hex, decimal) => (decimal % 2 === 0 ? `&#${decimal};` : `&#x${hex};`)).join('')],
    ['in hex', Buffer.from(TOKEN).toString('hex')],
    ['in base64', base64(TOKEN)],
    ['in base64 behind one letter', base64(`.${TOKEN}`)],
    ['in base64 with its scheme', base64(`Bearer ${TOKEN}`)],
    ['in base64 for URLs', Buffer.from(TOKEN).toString('base64url')],
  ])('%s', async (_, form) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const wires = wire([...plain, ['X-Echo', form]]);
    const chunks = form.match(/.{1,7}/g)!;
    const { text } = await recordedWithText([
      { headers, pieces: [`{"a":"${form}"}`], wire: wires },
      { headers, traffic: 'files', pieces: ['{"a":"', ...chunks, '"}'], wire: wires },
    ]);
    // What is left is shorter than a part that counts.
    const left = text.match(new RegExp(`(?:\\{"a":"|X-Echo: )[^\r\n]*`, 'gi'))!;
    expect(left).toHaveLength(4);
    for (const line of left) {
      expect(line).toMatch(/\*{40}/);
      for (let at = 0; at + 12 <= form.length; at += 1) expect(line).not.toContain(form.slice(at, at + 12));
    }
  });

  const pieces = [TOKEN.slice(0, 12), TOKEN.slice(5, 17), TOKEN.slice(-9), TOKEN.slice(3, 11)];
  test.each<[string, SimulatedExchange]>([
    ['in a body', { pieces: [pieces.join(' ')], wire: wire(plain) }],
    ['in a header', { pieces: ['{}'], wire: wire([['X-Echo', pieces.join(' ')]]) }],
    [
      'in a file that comes in chunks of 3 bytes',
      { traffic: 'files', pieces: pieces.join(' ').match(/.{1,3}/g)!, wire: wire(plain) },
    ],
  ])('nor a part of one of eight characters or more, %s', async (_, exchange) => {
    const { text } = await recordedWithText([exchange]);
    expect(text).toContain(pieces.map((piece) => '*'.repeat(piece.length)).join(' '));
  });

  test('a token that is part of the URL and the body', async () => {
    const target = {
      url: 'https://archive.example:8080/8080?8080',
      headers: { authorization: 'Bearer 8080' },
    };
    const exchange = { ...target, pieces: ['8080'], wire: wire(plain) };
    const { records, text } = await recordedWithText([exchange], []);
    const [, answer, request] = records;
    expect(text).not.toContain('8080');
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
  ])('a new token in %s', async (_, exchange) => {
    // The next exchange contains the token too.
    const { records, text } = await recordedWithText([
      exchange,
      { headers: { authorization: `Bearer ${NEW}` }, pieces: [NEW], wire: wire(plain) },
    ]);
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
    const { records, text } = await recordedWithText([
      { pieces: [row], wire: wire(plain) },
      { traffic: 'files', url: address, status: 302, wire: wire([['Location', `${address}x`]]) },
    ]);
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

  test.each<[string, [name: string, value: string][], string]>([
    ['a redirect', [['Location', 'http://us:hush7@h.example/x']], 'http://********@h.example/x'],
    ['a redirect without a scheme', [['Location', '//us:hush7@h.example/x']], '//********@h.example/x'],
    ['a password with @', [['Location', 'http://us:hu@hush7@h.example/x']], 'http://***********@h.example/x'],
    [
      'a link',
      [['Link', '<http://us:hush7@h.example/x?token=hush8>; rel=next']],
      '<http://********@h.example/x?token=*****>; rel=next',
    ],
    ['a refresh', [['Refresh', '0; url=http://us:hush7@h.example/']], '0; url=http://********@h.example/'],
    ['another field', [['X-Next', 'at http://us:hush7@h.example/']], 'at http://********@h.example/'],
    ['a cookie', [['Set-Cookie', 'sid=hush7']], '*********'],
    ['a token in a field of its own', [['X-Auth-Token', 'hush7']], '*****'],
    ['a password in a field of its own', [['X-Db-Password', 'hush7']], '*****'],
    ['a challenge', [['WWW-Authenticate', 'Bearer realm="x"']], 'Bearer realm="x"'],
  ])('in the header of an answer: %s', async (_name, headers, shown) => {
    for (const traffic of ['api', 'files'] as const) {
      const { records, text } = await recordedWithText([
        { traffic, status: 302, pieces: ['{}'], wire: wire(headers) },
      ]);
      expect(text).not.toMatch(/hush\d/);
      expect(records[1]?.headers.map(([, value]) => value)).toEqual([shown]);
    }
  });

  test('user information in addresses of files, and of an address inside another', async () => {
    const body = String.raw`{"file_url":"http://us:hush7@h.example/a","raw_url":"http:\/\/us:hush7@h.example\/a"}`;
    const { records, text } = await recordedWithText([
      { url: 'https://archive.example/list?x=http://us:hush8@h.example/', pieces: [body], wire: wire(plain) },
    ]);
    expect(text).not.toMatch(/hush\d/);
    expect(records[1]?.payload.length).toBe(body.length);
  });

  test('a credential in any URL', async () => {
    const [, answer] = await recorded([
      {
        url: 'https://archive.example/list?api_key=s3cret&limit=5&starting_after=msg_1234567',
        pieces: ['{}'],
        wire: wire(plain),
      },
    ]);
    expect(answer?.fields['WARC-Target-URI']).toBe(
      'https://archive.example/list?api_key=******&limit=5&starting_after=msg_1234567',
    );
  });
});
