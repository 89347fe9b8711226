// The client's pure rules as tables and properties: pauses, failures, safe text, strict JSON.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { formatPath, parseHttpDate } from '../../src/client/response.ts';
import { transportFaultOf } from '../../src/client/transport-fault.ts';
import { backoffMs, retryAfterMs, withRetries } from '../../src/client/retry.ts';
import { holdsSecret, redactSecret, safeText } from '../../src/client/safe-text.ts';
import { parseJson } from '../../src/client/strict-json.ts';
import { MAX_JSON_DEPTH } from '../../src/contract/scalars.ts';
import { TransportFault } from '../../src/client/transport.ts';
import { ExactNumber, exactJsonText, parseExactJson, scanShownJson } from '../../src/contract/exact-json.ts';
import { Fault } from '../../src/faults.ts';
import { jsonDocument } from '../support/json-documents.ts';
import { clientWorld, faultFrom, NOW } from './fixture.ts';

describe('pauses', () => {
  test.each([
    [1, 0, 250],
    [1, 1, 125],
    [4, 0, 2000],
    [4, 0.5, 1500],
  ])('before the try after %i with chance %d: %d ms', (tries, random, expected) => {
    expect(backoffMs(tries, random)).toBe(expected);
  });

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['0', 0],
    [' 7 ', 7000],
    ['1.5', undefined],
    ['+1', undefined],
    ['1e3', undefined],
    ['99999999999', 9_999_999_999_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Thu, 01 Jan 2025 00:00:00 GMT', undefined],
    ['2026-01-01T00:01:00Z', undefined],
  ])('Retry-After %s is %s ms by the service clock', (text, expected) => {
    const headers = {
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
      ...(text === undefined ? {} : { 'retry-after': text }),
    };
    expect(retryAfterMs(headers, NOW)).toBe(expected);
  });

  test.each<[Record<string, string>, number | undefined]>([
    [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '7' }, 7000],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225607' }, 7000],
    [{ ratelimit: '"default";r=0;t=7' }, 7000],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7', 'retry-after': '2' }, 2000],
    // A failure for another reason: the limit is not used up.
    [{ 'x-ratelimit-remaining': '41', 'x-ratelimit-reset': '7' }, undefined],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }, undefined],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225590' }, undefined],
  ])('the end of a rate limit: %j is %s ms', (headers, expected) => {
    expect(retryAfterMs({ date: 'Thu, 01 Jan 2026 00:00:00 GMT', ...headers }, NOW)).toBe(expected);
  });

  test('without a Date the own clock counts', () => {
    expect(retryAfterMs({ 'retry-after': 'Fri, 02 Jan 2026 03:04:15 GMT' }, NOW)).toBe(10_000);
  });

  test('the time-out is for all tries together', async () => {
    let clock = 0;
    const world = clientWorld({ monotonic: () => clock });
    const given: number[] = [];
    const outcome = await withRetries(
      async (left) => {
        given.push(left);
        clock += 400;
        throw new TransportFault('network', 'reset', true);
      },
      { retries: 4, again: 'always', timeoutMs: 1000, world },
    );
    expect(given).toEqual([1000, 600, 200]);
    expect(outcome).toMatchObject({ tries: 3, maybeReceived: true });
  });

  test('K2 an interruption during a pause ends it with its own reason', async () => {
    const stop = new Fault('interrupted', 'interrupted', { signal: 'SIGINT' });
    const controller = new AbortController();
    const world = clientWorld({
      signal: controller.signal,
      sleep: async (_ms, signal) => {
        controller.abort(stop);
        signal?.throwIfAborted();
      },
    });
    const running = withRetries(async () => ({ status: 503, headers: {} }), {
      retries: 4,
      again: 'always',
      timeoutMs: 60_000,
      world,
    });
    await expect(running).rejects.toBe(stop);
  });
});

describe('failures of a connection', () => {
  const error = (fields: object): Error => Object.assign(new Error('x'), fields);
  test.each([
    [{ code: 'ECONNREFUSED', syscall: 'connect' }, 'cannot reach h:1 (refused)', false, true],
    [
      { errors: [error({ code: 'ECONNREFUSED' }), error({ code: 'ENETUNREACH' })] },
      'cannot reach h:1 (refused)',
      false,
      true,
    ],
    [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'cannot reach h:1 (host name unknown)', false, false],
    [{ code: 'EAI_AGAIN' }, 'cannot reach h:1 (name server did not answer)', false, true],
    [{ code: 'ETIMEDOUT', syscall: 'connect' }, 'cannot reach h:1 (timeout)', false, true],
    [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, 'cannot reach h:1 (timeout)', false, true],
    [{ code: 'CERT_HAS_EXPIRED' }, 'cannot reach h:1 (TLS: certificate has expired)', false, false],
    [
      { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      'cannot reach h:1 (TLS: certificate is for another name)',
      false,
      false,
    ],
    [
      { code: 'SELF_SIGNED_CERT_IN_CHAIN' },
      'cannot reach h:1 (TLS: certificate chain is self-signed)',
      false,
      false,
    ],
    [{ code: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR' }, 'cannot reach h:1 (TLS failed)', false, false],
    [{ code: 'ECONNRESET' }, 'h:1: connection lost before an answer came', true, true],
    [{ code: 'EPIPE' }, 'h:1: connection lost before an answer came', true, true],
    [
      { code: 'UND_ERR_SOCKET', message: 'other side closed' },
      'h:1: connection lost before an answer came',
      true,
      true,
    ],
  ])('%j', (fields, message, sent, retryable) => {
    const fault = transportFaultOf(error(fields), 'h:1') as TransportFault;
    expect(fault).toMatchObject({ kind: 'network', message, sent, detail: { retryable } });
  });

  test.each([
    [{ code: 'ECONNRESET' }, undefined, true],
    [{ code: 'ECONNRESET' }, { bytes: 3 }, false],
    [{ code: 'UND_ERR_ABORTED' }, undefined, false],
    [{ name: 'HTTPParserError', message: 'x (Invalid header token)' }, undefined, true],
    [{ code: 'UND_ERR_HEADERS_OVERFLOW' }, undefined, false],
    [{ code: 'UND_ERR_SOCKET', message: 'bad response' }, undefined, false],
  ])('a server that speaks TLS may be the cause: %j after %j', (fields, bytesRead, mayBeForTls) => {
    expect(transportFaultOf(error(fields), 'h:1', bytesRead).detail).toMatchObject({ mayBeForTls });
  });

  test('what the server sent is not carried along', () => {
    const fault = transportFaultOf(
      error({ name: 'HTTPParserError', data: 'secret', message: 'x (Invalid header token)' }),
      'h:1',
    );
    expect(fault).toMatchObject({
      kind: 'protocol',
      message: 'h:1: server broke HTTP rules (invalid header token)',
    });
    expect(fault.cause).toBeUndefined();
  });
});

describe('safe text', () => {
  property.prop([fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 100 })])(
    'one line, no controls, not long',
    (text, most) => {
      const shown = safeText(text, most);
      expect(Array.from(shown).length).toBeLessThanOrEqual(most + 1);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    },
  );

  property.prop([
    fc.string({ maxLength: 60 }),
    fc.string({ maxLength: 60 }),
    fc.string({ minLength: 8, maxLength: 40 }),
  ])('the secret never shows, whole or in part', (before, after, secret) => {
    const shown = redactSecret(before + secret + after, secret);
    const pieces = shown.split('[token]');
    for (let at = 0; at + 8 <= secret.length; at += 1) {
      for (const piece of pieces) expect(piece).not.toContain(secret.slice(at, at + 8));
    }
  });

  test.each([
    ['a SECRET-TOKEN b', 'a [token] b'],
    ['SECRET-TOKENSECRET-TOKEN', '[token]'],
    ['…ECRET-TOKE…', '…[token]…'],
    ['SECRET-', 'SECRET-'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(redactSecret(text, 'SECRET-TOKEN').replaceAll(/(\[token\])+/g, '[token]')).toBe(expected);
  });
});

describe('a short secret', () => {
  test.each([
    ['arx: the archive says ar', 'arx: the archive says [token]'],
    ['you sent ar, "ar" and ar.', 'you sent [token], "[token]" and [token].'],
    ['ar', '[token]'],
    ['Bearer ar', 'Bearer [token]'],
    ['warm arid far', 'warm arid far'],
  ])('%s', (text, expected) => {
    expect(redactSecret(text, 'ar')).toBe(expected);
  });

  test('may have characters that patterns use', () => {
    expect(redactSecret('a.*b a..b $&', '.*b')).toBe('a.*b a..b $&');
    expect(redactSecret('(.*b)', '.*b')).toBe('([token])');
  });
});

test('a response holds a secret also where JSON escapes it', () => {
  const holds = (body: string, headers = {}) =>
    holdsSecret({ headers, bytes: Buffer.from(body) }, ['another-token', 'tok/SECRET-1']);
  expect(holds('{"a":"tok\\/SECRET-1"}')).toBe(true);
  expect(holds(String.raw`{"a":"tok\u002fSECRET-1"}`)).toBe(true);
  expect(holds('{}', { 'x-echo': 'tok/SECRET-1' })).toBe(true);
  // As it came, the body has `12-token`, unescaped it has not.
  const halved = String.raw`"\u0012-token"`;
  expect(holdsSecret({ headers: {}, bytes: Buffer.from(halved) }, ['word12-token'])).toBe(true);
  expect(holds('{"a":"token"}')).toBe(false);
});

describe('strict JSON', () => {
  property.prop([fc.jsonValue({ maxDepth: 8 })])('reads what JSON says', (value) => {
    const text = JSON.stringify(value);
    const read = parseJson(new TextEncoder().encode(text));
    expect(read.text).toBe(text);
    expect(exactJsonText(read.value)).toBe(text);
    expect(rounded(read.value)).toEqual(JSON.parse(text));
  });

  property.prop([jsonDocument])('reads JSON in any spelling as a scan of the whole text does', (text) => {
    expect(parseJson(Buffer.from(text)).value).toStrictEqual(parseExactJson(text, scanShownJson(text)));
  });

  test('JSON that JSON.stringify writes in the same way may still have an integer beyond 2^53', () => {
    const { value } = parseJson(Buffer.from('{"a":[9007199254740992,9007199254740991]}'));
    expect(value).toStrictEqual({ a: [new ExactNumber('9007199254740992'), 9007199254740991] });
  });

  /** The value with numbers as JSON.parse makes them. */
  function rounded(value: unknown): unknown {
    if (value instanceof ExactNumber) return Number(value.text);
    if (Array.isArray(value)) return value.map(rounded);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rounded(one)]));
  }

  property.prop([fc.uint8Array({ maxLength: 200 })])(
    'any bytes: a value or a fault without their text',
    (bytes) => {
      try {
        parseJson(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
        const { kind, message } = error as Fault;
        expect(`${kind}: ${message}`).toMatch(
          /^(protocol: answer is (not JSON|nested)|network: answer was cut: its JSON ends after|network: answer was cut: it is empty$)/,
        );
      }
    },
  );

  property.prop([fc.jsonValue({ maxDepth: 5 }), fc.nat()])(
    'JSON cut anywhere is a cut answer',
    (value, at) => {
      const whole = new TextEncoder().encode(JSON.stringify({ data: [value] }));
      const cut = whole.subarray(0, at % whole.length);
      expect(() => parseJson(cut)).toThrow(
        expect.objectContaining({ kind: 'network', detail: { retryable: true } }) as Error,
      );
    },
  );

  test.each([
    ['{"data":[]}{"data":[', 'two documents'],
    ['<html>', 'no JSON'],
    ['{"data":[nope', 'no JSON in it'],
    ['{"a":1,}', 'a comma too many'],
    ['7 {', 'something after a number'],
  ])('%s is not cut: %s', (text) => {
    expect(() => parseJson(Buffer.from(text))).toThrow(
      expect.objectContaining({ kind: 'protocol' }) as Error,
    );
  });

  test('depth at the limit and beyond it; brackets in strings do not count', async () => {
    const nested = (depth: number): Uint8Array => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    parseJson(nested(MAX_JSON_DEPTH));
    parseJson(Buffer.from(JSON.stringify('[{"\\'.repeat(1000))));
    await faultFrom((async () => parseJson(nested(MAX_JSON_DEPTH + 1)))(), 'protocol');
  });
});

test.each([
  [[], '$'],
  [['data', 3, 'integrity'], 'data[3].integrity'],
  [[0, 'id'], '[0].id'],
  [['counts', 'a\u001b[2J'], 'counts.a\ufffd[2J'],
])('path %j', (path, expected) => {
  expect(formatPath(path)).toBe(expected);
});

test.each([
  ['Fri, 02 Jan 2026 03:04:05 GMT', NOW],
  ['Fri, 99 Jan 2026 03:04:05 GMT', undefined],
  ['2026-01-02T03:04:05Z', undefined],
  ['0', undefined],
  [undefined, undefined],
])('L6 the Date %s', (text, expected) => {
  expect(parseHttpDate(text)).toBe(expected);
});
