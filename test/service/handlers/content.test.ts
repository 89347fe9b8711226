// Content records: both views, damage, carriers, and formats that are not mail (interface 2.2, 4.3).
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAX_RAW_BYTES } from '../../../src/contract/content.ts';
import { MAX_RESPONSE_BYTES } from '../../../src/contract/scalars.ts';
import { insert, rawMessage, sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { expectApiError } from '../../support/reply.ts';
import { call } from '../../support/call.ts';
import { sha256Of } from '../../support/digest.ts';

let sample: Sample;
let token: string;

beforeEach(async () => {
  sample = await sampleArchive({ conversations: 3, messages: 2, attachments: 10 });
  token = await tokenFor(sample.service);
});
afterEach(() => sample.close());

const get = async (target: string) => (await call(sample.service, target, { token })).json;

test('the raw view has the stored bytes and the text in them', async () => {
  const { view, data } = await get('/api/content/msg_5');
  expect(view).toBe('raw');
  expect(Buffer.from(data.raw_base64, 'base64').equals(rawMessage(5))).toBe(true);
  expect(sha256Of(rawMessage(5))).toBe(data.sha256);
  expect(data).toMatchObject({ bytes: rawMessage(5).byteLength, text: 'This is letter 5.\n', html: null });
  expect(data.headers.map(([name]: [string]) => name)).toEqual([
    'Message-ID',
    'From',
    'Subject',
    'Date',
    'Content-Type',
  ]);
  expect(data).toMatchObject({ conversation_id: 'conv_2', parent_id: 'msg_2', attachments: ['att_5'] });
});

test('I8 a message with one changed letter is refused in every view, and so is one whose bytes are lost', async () => {
  const refused = async () => {
    for (const query of ['', '?view=lore', '?view=lore&include_stego=true&include_pipeline=true']) {
      expectApiError(await call(sample.service, `/api/content/msg_3${query}`, { token }), 'message_damaged');
    }
  };
  const changed = rawMessage(3);
  changed[changed.length - 3] = 0x21;
  await sample.archive.database.run('UPDATE raws SET content = $1 WHERE n = 3', [changed]);
  await refused();
  await sample.archive.database.run('DELETE FROM raws WHERE n = 3');
  await refused();
  await sample.archive.database.run('INSERT INTO raws (n, content) VALUES (3, $1)', [rawMessage(3)]);
  expect((await get('/api/content/msg_3')).data.integrity).toBe(1);
});

/** Stores other bytes of a message, as if they had been imported. */
async function store(n: number, content: Uint8Array): Promise<void> {
  const { database } = sample.archive;
  await database.run('UPDATE raws SET content = $1 WHERE n = $2', [content, n]);
  await database.run('UPDATE messages SET raw_sha256 = $1, raw_bytes = $2 WHERE n = $3', [
    sha256Of(content),
    content.byteLength,
    n,
  ]);
}

test('parts that are too long are truncated or left out, and named', async () => {
  const raw = Buffer.from(`Subject: x\n\n${'\0'.repeat(MAX_RAW_BYTES - 12)}`);
  await store(3, raw);
  const held = (await call(sample.service, '/api/content/msg_3', { token })).text;
  expect(held.length).toBeLessThan(MAX_RESPONSE_BYTES / 2);
  expect(JSON.parse(held).data).toMatchObject({ truncated: ['text'], raw_base64: raw.toString('base64') });
  expect(JSON.parse(held).data).not.toHaveProperty('raw_url');
  await store(3, Buffer.concat([raw, raw]));
  const { data } = await get('/api/content/msg_3');
  expect(data).not.toHaveProperty('raw_base64');
  expect(data.raw_url).toMatch(/^http:\/\/127\.0\.0\.1:9\/messages\/msg_3\/internal\/\d+\/[\w-]{43}$/);
  // Messages with withheld files have neither.
  await sample.archive.database.run('UPDATE attachments SET redacted = 1 WHERE n = 3');
  const closed = (await get('/api/content/msg_3')).data;
  expect(closed).toMatchObject({ withheld: ['att_3'] });
  expect(closed).not.toHaveProperty('raw_base64');
  expect(closed).not.toHaveProperty('raw_url');
});

test('the pipeline has one asset per attachment, carriers name hidden characters and bytes', async () => {
  // Attachments 3 and 9 belong to message 3; 5 has trailing bytes; 4 and 8 are redacted.
  const three = (await get('/api/content/msg_3?view=lore&include_pipeline=true&include_stego=true')).data;
  expect(three.pipeline).toEqual({
    provider: 'arx.import',
    assets: [
      {
        asset_id: 'att_3',
        asset_type: 'text',
        filename: 'picture-3.png',
        generation_job_id: 'job_3',
        render_variant: 'a',
      },
      {
        asset_id: 'att_9',
        asset_type: 'text',
        filename: 'picture-9.png',
        generation_job_id: 'job_3',
        render_variant: 'b',
      },
    ],
  });
  expect(three.stego).toEqual({ carriers: [{ where: 'text', kind: 'zero_width', count: 2 }] });
  const five = (await get('/api/content/msg_5?include_stego=true')).data;
  expect(five.stego).toEqual({ carriers: [{ where: 'att_5', kind: 'trailing_bytes', count: 3 }] });
  const four = (await get('/api/content/msg_4?include_pipeline=true')).data;
  expect(four.pipeline.assets.map(({ asset_type }: { asset_type: string }) => asset_type)).toEqual([
    'other',
    'image',
  ]);
});

test.each([
  ['slack', '{"text":"hello <@U1>","ts":"1.2"}', 'hello @U1'],
  ['slack', '{"message":{"text":"inner"}}', 'inner'],
  ['slack', 'not JSON', null],
  ['slack', 'null', null],
  ['file', '{"path":"a/b"}', '{"path":"a/b"}'],
  ['rfc822', '', null],
  ['rfc822', '\0\0\0', '\0\0\0\n'],
  ['rfc822', 'Content-Type: text/plain; charset=nonsense\n\nplain', 'plain\n'],
])('%s %j reads as %j', async (format, raw, text) => {
  const content = Buffer.from(raw);
  await sample.archive.database.transaction(async (statements) => {
    await insert(statements, 'messages', {
      n: 99,
      conversation: 1,
      parent: null,
      sequence: 99,
      format,
      source: 'local',
      classification: 'seed_token',
      raw_sha256: sha256Of(content),
      raw_bytes: content.byteLength,
      attachments: 0,
      tier: 'internal',
      path: 'x',
      position: 0,
    });
    await insert(statements, 'raws', { n: 99, content });
  });
  const { data } = await get('/api/content/msg_99');
  expect(data).toMatchObject({ format, text, integrity: 1, date: null, subject: null, from: null });
});
