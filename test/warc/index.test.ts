// Recording exchanges in a WARC file: an independent reader finds the same bytes.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TransportFault } from '../../src/client/transport.ts';
import { Fault } from '../../src/faults.ts';
import type { TrafficKind } from '../../src/warc/index.ts';
import { runs } from '../support/runs.ts';
import { BASE, plain, recorded, response, wire, type SimulatedExchange } from './recorded.ts';

describe('records and reads back', () => {
  const name = fc
    .stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/)
    .filter(
      (text) =>
        !/^(content-encoding|location|authorization|transfer-encoding|__proto__)$|cookie|token|secret|jwt/i.test(
          text,
        ),
    );
  const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/).filter((text) => !/\/\/.*@/.test(text));
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
        const exchanges = all.map(({ status, reason, headers, traffic, pieces, body }) => ({
          status,
          traffic,
          pieces: pieces as (Uint8Array | string)[],
          wire: wire(headers, reason),
          ...(body === undefined ? {} : { body, method: 'POST' }),
        }));
        const records = await recorded(exchanges);
        expect(records.map(({ type }) => type)).toEqual([
          'warcinfo',
          ...exchanges.flatMap(() => ['response', 'request']),
          'metadata',
        ]);
        for (const [index, { status, pieces, wire: sent, body }] of exchanges.entries()) {
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
    const hostile: SimulatedExchange = {
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
    const records = await recorded([hostile, { fails: new Fault('protocol', EVIL) }]);
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
