// Signed ingest (bad inputs P7, P8): Standard Webhooks on the raw bytes, held against the reference package both ways.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseSecrets, signatureHeaders } from '../../../src/contract/signature.ts';
import { createService } from '../../../src/service/index.ts';
import { ASSET_URL, sampleArchive, START, tokenFor, type Sample } from '../../support/archive.ts';
import { call, type Answer } from '../../support/call.ts';
import { moved } from '../../support/event.ts';

const SECRETS = [
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
] as const;
const keys = (text: string) => parseSecrets(text) as Uint8Array[];
const body = Buffer.from(JSON.stringify(moved('e1', 1, 50)));

let sample: Sample;
beforeEach(async () => {
  sample = await sampleArchive({ service: { webhookSecrets: keys(SECRETS.join('\n')) } });
});
afterEach(() => sample.close());

type Headers = [string, string][];
const post = (headers: Headers, bytes: Uint8Array = body, peer = 'local'): Promise<Answer> =>
  call(sample.service, '/api/webhooks/ingest', {
    body: bytes,
    headers: [['content-type', 'application/json'], ...headers],
    peer,
  });
/** As the reference package signs, at `at` milliseconds. */
const signed = (secret: string = SECRETS[0], at = START, bytes = body): Headers => [
  ['webhook-id', 'msg_1'],
  ['webhook-timestamp', String(Math.floor(at / 1000))],
  ['webhook-signature', new Webhook(secret).sign('msg_1', new Date(at), bytes)],
];
const replaced = (name: string, ...values: string[]): Headers => [
  ...signed().filter(([key]) => key !== name),
  ...values.map((value): [string, string] => [name, value]),
];
const codeOf = ({ status, json }: Answer) => `${status} ${json.error?.code ?? json.status}`;
const count = async () =>
  (await sample.archive.database.get<{ n: number }>('SELECT COUNT(*) AS n FROM events'))?.n;

test.each(SECRETS)('what the reference package signs is taken in, without a token (%#)', async (secret) => {
  expect(codeOf(await post(signed(secret)))).toBe('200 queued');
  expect(await count()).toBe(1);
});

test('what we sign passes the reference package, with each secret', () => {
  const now = Date.now();
  const headers = signatureHeaders(keys(SECRETS.join('\n')), 'evt_1', body, now);
  expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
  for (const secret of SECRETS) expect(new Webhook(secret).verify(body, headers)).toEqual(moved('e1', 1, 50));
  const other = new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`);
  expect(() => other.verify(body, headers)).toThrow('No matching signature');
});

test('the example of the specification', () => {
  const payload = Buffer.from('{"test": 2432232314}');
  const at = 1_614_265_330_000;
  const headers = signatureHeaders(keys(SECRETS[0]), 'msg_p5jXN8AQM9LWM0D4loKWxJek', payload, at);
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

describe('P8', () => {
  const right = signed()[2]![1];
  const wrong = `v1,${Buffer.alloc(32).toString('base64')}`;
  test.each<[what: string, headers: Headers]>([
    ['none of the three', []],
    ['no id', replaced('webhook-id')],
    ['no time', replaced('webhook-timestamp')],
    ['no signature', replaced('webhook-signature')],
    ['an empty signature', replaced('webhook-signature', '')],
    ['a wrong one', replaced('webhook-signature', wrong)],
    ['one cut short', replaced('webhook-signature', right.slice(0, -4))],
    ['one of another version', replaced('webhook-signature', right.replace('v1,', 'v1a,'))],
    ['one without a version', replaced('webhook-signature', right.slice(3))],
    ['one behind a third part', replaced('webhook-signature', `${right},x`)],
    ['two headers of it', replaced('webhook-signature', right, right)],
    ['two ids', replaced('webhook-id', 'msg_1', 'msg_1')],
    ['another id', replaced('webhook-id', 'msg_2')],
    ['another time', replaced('webhook-timestamp', String(Math.floor(START / 1000) + 1))],
    ['a time in words', replaced('webhook-timestamp', new Date(START).toISOString())],
    ['a secret nobody knows', signed(`whsec_${Buffer.alloc(32, 9).toString('base64')}`)],
    ['the seventeenth', replaced('webhook-signature', `${`${wrong} `.repeat(16)}${right}`)],
  ])('%s is refused, and nothing stored', async (_what, headers) => {
    const answer = await post(headers);
    expect(codeOf(answer)).toBe('401 signature_invalid');
    expect(answer.json.error.integrity).toBeGreaterThan(0);
    expect(await count()).toBe(0);
  });

  test('many signatures of which one is right', async () => {
    const many = [wrong, right.replace('v1,', 'v1a,'), 'v2,x', '', right].join(' ');
    expect(codeOf(await post(replaced('webhook-signature', many)))).toBe('200 queued');
  });

  test('the bytes are signed, not what they say', async () => {
    const same = Buffer.from(JSON.stringify(moved('e1', 1, 50), null, 1));
    expect(codeOf(await post(signed(), same))).toBe('401 signature_invalid');
    expect(codeOf(await post(signed(SECRETS[0], START, same), same))).toBe('200 queued');
  });

  test('a token is no signature, and a signature no token', async () => {
    const token = await tokenFor(sample.service, 'mirror');
    const bare = await call(sample.service, '/api/webhooks/ingest', { token, body: moved('e1', 1, 5) });
    expect(codeOf(bare)).toBe('401 signature_invalid');
    const read = await call(sample.service, '/api/webhooks/events', { headers: signed() });
    expect(codeOf(read)).toBe('401 token_invalid');
  });

  test('guessing is slowed down', async () => {
    for (let guess = 0; guess < 300; guess += 1) await post([], body, '192.0.2.1');
    expect(codeOf(await post([], body, '192.0.2.1'))).toBe('429 rate_limited');
    expect(codeOf(await post([], body, '192.0.2.2'))).toBe('401 signature_invalid');
    expect(codeOf(await post(signed(), body, '192.0.2.1'))).toBe('200 queued');
  });
});

describe('P7', () => {
  test.each([
    [-301_000, '401 signature_invalid'],
    [-300_000, '200 queued'],
    [0, '200 queued'],
    [300_000, '200 queued'],
    [301_000, '401 signature_invalid'],
  ])('a time %i ms from the clock of the service: %s', async (offset, outcome) => {
    expect(codeOf(await post(signed(SECRETS[0], START + offset)))).toBe(outcome);
  });

  test('a replay within five minutes is the same event, after that it is refused', async () => {
    const headers = signed();
    const first = await post(headers);
    sample.advance(240_000);
    expect((await post(headers)).text).toBe(first.text);
    sample.advance(61_000);
    expect(codeOf(await post(headers))).toBe('401 signature_invalid');
    const rows = await sample.archive.database.all('SELECT deliveries, effect FROM events');
    expect(rows).toEqual([{ deliveries: 2, effect: 'applied' }]);
  });
});

describe('a secret file', () => {
  test('one secret a line, empty lines and comments apart', () => {
    expect(keys(`# old\r\n${SECRETS[0]}\r\n\r\n${SECRETS[1]}\n`)).toHaveLength(2);
    expect(createHmac('sha256', keys(SECRETS[1])[0]!).update('x').digest('hex')).toBe(
      createHmac('sha256', Buffer.alloc(32, 7)).update('x').digest('hex'),
    );
  });

  test.each([
    ['', 'there is no secret in it'],
    ['# only words', 'there is no secret in it'],
    ['secret', 'line 1 is no secret'],
    [`${SECRETS[0]}\nwhsec_dG9vIHNob3J0`, 'line 2 is no secret'],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, 'line 1 is no secret'],
    [`${SECRETS[0]}\n`.repeat(17), 'it has more than 16 secrets'],
  ])('%j says what is wrong and nothing of a secret', (text, why) => {
    const problem = parseSecrets(text);
    expect(problem).toContain(why);
    expect(problem).not.toContain('MfKQ');
  });
});

test('without secrets nothing is asked of a signature', async () => {
  const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0' });
  const token = await tokenFor(service, 'mirror');
  const answer = await call(service, '/api/webhooks/ingest', {
    token,
    body: moved('e1', 1, 5),
    headers: [['webhook-signature', 'v1,x']],
  });
  expect(codeOf(answer)).toBe('200 queued');
});
