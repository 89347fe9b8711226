// The interface's requests through Prism, an independent OpenAPI proxy: requests and answers match the document.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../src/contract/exchange.ts';
import { Fault } from '../../src/faults.ts';
import { listen } from '../../src/service/http/port.ts';
import { noPrism, startPrism, violationsOf, type Prism, type Violation } from '../support/prism.ts';
import { openBenches, type Benches } from './client-setups.ts';
import { BAD, GOOD, type Bad, type Good } from './requests.ts';

if (noPrism) test.skip('SKIPPED: ARX_TEST_PRISM does not name a Prism', () => {});

/** What Prism 5.16 ends at, waits at, answers itself, or does not come to an end with in reasonable time. */
const BEYOND_PRISM = new Set([
  'broken escape',
  'no JSON',
  'too long',
  'headers of 20 KiB',
  'guessing on and on',
]);

/** Files have an origin of their own, and methods without an operation stand in no document. */
const isDocumented = ([place, what]: Good | Bad): boolean =>
  !['files', 'nowhere'].includes(place) && !/^[A-Z]+$/.test(what) && !BEYOND_PRISM.has(what);

describe.skipIf(noPrism)('through Prism', () => {
  let prism: Prism;
  let benches: Benches;
  beforeAll(async () => {
    benches = await openBenches(async (url) => (prism = await startPrism(url)).url);
  });
  afterAll(async () => {
    await benches?.close();
    await prism?.close();
  });
  const violations = (): Violation[] =>
    benches.outside.exchanges().flatMap(({ headers }) => violationsOf(headers));

  test.each(GOOD.filter(isDocumented))('%s: %s is %i', async (_place, _what, _status, ask) => {
    await ask(benches.outside);
    expect(violations()).toEqual([]);
  });

  test.each(BAD.filter(isDocumented))('%s: %s is %s', async (_place, _what, code, _kind, ask) => {
    const fault = await ask(benches.outside).catch((reason: unknown) => reason);
    expect(fault).toBeInstanceOf(Fault);
    expect((fault as Fault).detail.code).toBe(code);
    expect(violations().filter(({ location }) => location[0] === 'response')).toEqual([]);
  });
});

test.skipIf(noPrism)('Prism reports an answer that breaks the document', async () => {
  const body = JSON.stringify({ status: 7 });
  const invalidService: Service = async () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body,
  });
  const listener = await listen(invalidService, { host: '127.0.0.1', port: 0 });
  const prism = await startPrism(listener.url);
  try {
    const { headers } = await fetch(`${prism.url}/api/health`);
    const locations = violationsOf(Object.fromEntries(headers)).map(({ location }) => location.join('.'));
    expect(locations).toContain('response.body.status');
  } finally {
    await prism.close();
    await listener.close(0);
  }
});
