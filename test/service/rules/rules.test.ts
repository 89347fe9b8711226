// The pure rules of the service, as tables and properties.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { isSignatureValid, filePath, signGrant } from '../../../src/service/rules/signed-path.ts';
import { idOf, numberOf } from '../../../src/service/rules/identifier.ts';
import { compareEventIds, acceptEvent } from '../../../src/service/rules/ingest.ts';
import { CHECKS, integrityOf, MESSAGE, statusOf, type Kind } from '../../../src/service/rules/integrity.ts';
import { createRateLimiter } from '../../../src/service/rules/rate-limiter.ts';
import {
  assetTypeOf,
  zeroWidthCarriers,
  sequenceStatusOf,
  variantOf,
} from '../../../src/service/rules/lore.ts';
import { readMessageText } from '../../../src/service/mail/message-text.ts';

describe('integrity', () => {
  test.each(Object.keys(CHECKS) as Kind[])('%s: every check has its own bit and one share', (kind) => {
    const bits = CHECKS[kind].map(({ bit }) => bit);
    expect(new Set(bits).size).toBe(bits.length);
    const all = bits.reduce((sum, bit) => sum | bit, 0);
    expect(integrityOf(kind, 0)).toBe(1);
    expect(integrityOf(kind, all)).toBe(0);
    for (const bit of bits) expect(integrityOf(kind, bit)).toBeCloseTo(1 - 1 / bits.length, 4);
    expect(integrityOf(kind, 1 << 20)).toBe(1);
  });

  test.each([
    [0, 'stable'],
    [MESSAGE.parentPresent, 'partial'],
    [MESSAGE.datePlausible | MESSAGE.positionMonotonic, 'partial'],
    [MESSAGE.storedBytes, 'unverified'],
    [MESSAGE.parentPresent | MESSAGE.decodable, 'unverified'],
  ])('bits %i are %s', (failed, status) => {
    expect(statusOf(failed)).toBe(status);
  });
});

describe('identifiers', () => {
  property.prop([fc.integer({ min: 1, max: 999_999_999_999_999 })])('a number comes back', (n) => {
    expect(numberOf('msg', idOf('msg', n))).toBe(n);
    expect(numberOf('conv', idOf('msg', n))).toBeUndefined();
  });

  property.prop([fc.string()])('nothing else reads as one', (text) => {
    const n = numberOf('att', text);
    if (n !== undefined) expect(text).toBe(`att_${n}`);
  });

  test.each([
    'msg_',
    'msg_0',
    'msg_01',
    'msg_1 ',
    'msg_+1',
    'msg_1e3',
    'msg_９',
    'MSG_1',
    'msg_9999999999999999',
  ])('%s', (text) => expect(numberOf('msg', text)).toBeUndefined());
});

describe('order of events', () => {
  test.each([
    ['evt_2', 'evt_10', -1],
    ['evt_10', 'evt_9', 1],
    ['a', 'b', -1],
    ['a', 'a1', -1],
    ['a01', 'a1', -1],
    ['a1', 'a1', 0],
    ['1', 'a', -1],
    ['\uffff', '\u{1f600}', -1],
    ['e99999999999999999999', 'e100000000000000000000', -1],
  ])('%s against %s', (a, b, order) => {
    expect(Math.sign(compareEventIds(a, b))).toBe(order);
    expect(Math.sign(compareEventIds(b, a)) + order).toBe(0);
  });

  const id = fc.stringMatching(/^[a!0-9é]{1,6}$/u);
  property.prop([fc.array(id, { minLength: 3, maxLength: 8 })])('is total and transitive', (ids) => {
    const sorted = [...ids].sort(compareEventIds);
    for (const [at, a] of sorted.entries()) {
      for (const b of sorted.slice(at)) {
        expect(compareEventIds(a, b)).toBeLessThanOrEqual(0);
        expect(compareEventIds(a, b) === 0).toBe(a === b);
      }
    }
  });

  property.prop([fc.jsonValue({ maxDepth: 5 }), fc.constantFrom('x', '__proto__', 'a.b')])(
    'equal bodies have one hash, whatever the order of keys',
    (value, key) => {
      const body = (payload: string) =>
        JSON.parse(`{"id":"e","type":"mirror.detected","payload":${payload}}`) as unknown;
      const [k, v] = [JSON.stringify(key), JSON.stringify(value)];
      const one = acceptEvent(body(`{"layer":"l",${k}:${v}}`));
      expect(acceptEvent(body(`{${k}:${v},"layer":"l"}`)).bodySha256).toBe(one.bodySha256);
      expect(JSON.parse(one.payloadText)).toEqual(JSON.parse(`{"layer":"l",${k}:${v}}`));
      expect(acceptEvent(body('{"layer":"l"}')).bodySha256).not.toBe(one.bodySha256);
    },
  );
});

describe('lore', () => {
  test.each([
    [{ n: 3, sequence: 3, failed: 0 }, 'linear'],
    [{ n: 3, sequence: 9, failed: 0 }, 'non_linear'],
    [{ n: 3, sequence: 3, failed: MESSAGE.positionMonotonic }, 'non_linear'],
    [{ n: 3, sequence: 3, failed: MESSAGE.parentPresent }, 'gap'],
    [{ n: 3, sequence: 4, failed: MESSAGE.parentPresent }, 'non_linear'],
  ])('%j is %s', (message, status) => expect(sequenceStatusOf(message)).toBe(status));

  test.each([
    ['image/png', 'image'],
    ['video/mp4', 'video'],
    ['audio/mpeg', 'audio'],
    ['text/html', 'text'],
    ['application/pdf', 'document'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document'],
    ['application/zip', 'archive'],
    ['application/x-tar', 'archive'],
    ['application/octet-stream', 'other'],
    ['', 'other'],
  ])('%s is %s', (type, asset) => expect(assetTypeOf(type)).toBe(asset));

  test('variants by order', () => {
    expect([0, 1, 25, 26, 27, 701, 702].map(variantOf)).toEqual(['a', 'b', 'z', 'aa', 'ab', 'zz', 'aaa']);
  });

  test.each([
    ['plain', 0],
    ['', 0],
    [null, 0],
    ['a\u200bb\u200c\u200d\u2060\ufeff', 5],
    ['family \u{1f468}\u200d\u{1f469}\u200d\u{1f467}', 0],
    ['flag \u{1f3f3}\ufe0f\u200d\u{1f308}', 0],
  ])('%j hides %i', (text, count) => {
    expect(zeroWidthCarriers('text', text)).toEqual(
      count === 0 ? [] : [{ where: 'text', kind: 'zero_width', count }],
    );
  });

  property.prop([fc.uint8Array({ maxLength: 400 }), fc.constantFrom('rfc822', 'slack', 'file')], {
    numRuns: 300,
  })('no bytes make the raw view throw', async (bytes, format) => {
    const text = await readMessageText(format, bytes);
    expect(Array.isArray(text.headers)).toBe(true);
  });
});

describe('file addresses', () => {
  const key = Buffer.alloc(32, 7);
  const grant = { id: 'att_1', sha256: 'ab'.repeat(32), tier: 'internal' } as const;
  test('open what they were made for and nothing else', () => {
    const signature = signGrant(key, grant);
    expect(filePath(key, grant)).toBe(`/files/att_1/internal/${signature}`);
    expect(signature).toMatch(/^[\w-]{43}$/);
    expect(isSignatureValid(key, grant, signature)).toBe(true);
    for (const other of [{ id: 'att_2' }, { sha256: 'cd'.repeat(32) }, { tier: 'mirror' as const }]) {
      expect(isSignatureValid(key, { ...grant, ...other }, signature)).toBe(false);
    }
    expect(isSignatureValid(Buffer.alloc(32, 8), grant, signature)).toBe(false);
    for (const wrong of ['', signature.slice(1), `${signature}=`, 'é'.repeat(43)]) {
      expect(isSignatureValid(key, grant, wrong)).toBe(false);
    }
  });
});

test('a limiter counts each peer by itself and forgets after a minute', async () => {
  const limiter = createRateLimiter(2);
  const takes = [limiter.take('a', 0), limiter.take('a', 1), limiter.take('a', 30_000)];
  expect(await Promise.all(takes)).toEqual([0, 0, 30]);
  expect(await limiter.take('b', 30_000)).toBe(0);
  expect(await limiter.take('a', 59_999)).toBe(1);
  expect(await limiter.take('a', 60_000)).toBe(0);
  for (let n = 0; n < 20_000; n += 1) await limiter.take(`peer ${n}`, 70_000);
  expect(await limiter.take('a', 70_000)).toBe(0);
});
