// Every route, status and error code of the interface, by the real client against the real service, in-process and over a port.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../src/contract/error.ts';
import { ROUTES, type Route } from '../../src/contract/routes.ts';
import { Fault } from '../../src/faults.ts';
import { openBenches, type Benches, type Exchange } from './client-setups.ts';
import { BAD, GOOD, NAMES, type Bad, type Good } from './requests.ts';

let benches: Benches;
beforeAll(async () => {
  benches = await openBenches();
});
afterAll(() => benches.close());

/**
 * Without a token, a port says what everybody may know of the archive, and this process all. So integrity and counts of the
 * whole archive differ there.
 */
function forEveryReader({ status, headers, text }: Exchange): Exchange {
  const { 'x-integrity': integrity, ...rest } = headers;
  expect(Number(integrity ?? 0)).toBeLessThanOrEqual(1);
  const shown = text
    .replace(/("request_id":"req_","integrity":)[\d.]+/, '$1')
    .replace(/^(\{"status":"stable","service":"arx".*?"integrity":)[\d.]+/, '$1');
  return { status, headers: rest, text: shown };
}

describe('what is answered', () => {
  test.each(GOOD)('%s: %s is %i', async (_place, _what, status, ask) => {
    await ask(benches.inside);
    await ask(benches.outside);
    const [inside, outside] = [benches.inside.exchanges(), benches.outside.exchanges()];
    expect(inside.at(-1)?.status).toBe(status);
    expect(outside.map(forEveryReader)).toEqual(inside.map(forEveryReader));
  });
});

describe('what is refused', () => {
  test.each(BAD)('%s: %s is %s, %s', async (_place, _what, code, kind, ask, only) => {
    const answers: Exchange[][] = [];
    for (const bench of only === 'port' ? [benches.outside] : [benches.inside, benches.outside]) {
      const error = await ask(bench).catch((reason: unknown) => reason);
      if (!(error instanceof Fault)) throw new Error('no fault', { cause: error });
      const exchanges = bench.exchanges();
      answers.push(exchanges);
      const last = exchanges.at(-1);
      expect(last?.status).toBe(ERROR_STATUS[code]);
      const { error: said } = JSON.parse(last?.text ?? '') as { error: Record<string, unknown> };
      expect(Object.keys(said)).toEqual(['code', 'message', 'request_id', 'integrity']);
      expect(said['code']).toBe(code);
      expect(last?.text).not.toMatch(/SELECT|secret|\/home|node:/);
      expect(error).toMatchObject({ kind, detail: { code, status: ERROR_STATUS[code] } });
      expect(error.detail.request_id).toMatch(/^req_[0-9a-f]{24}$/);
      expect(error.detail.integrity).toBe(said['integrity']);
    }
    expect(answers.at(-1)!.map(forEveryReader)).toEqual(answers[0]!.map(forEveryReader));
  });
});

describe('nothing is missing', () => {
  test('every route is answered and refused', () => {
    const without = (rows: readonly (Good | Bad)[]) =>
      NAMES.filter((name) => !rows.some(([place, what]) => place === name && !/^[A-Z]+$/.test(what)));
    expect(without(GOOD)).toEqual([]);
    // The document and the probes cannot be asked for wrongly but by the method.
    expect(without(BAD)).toEqual(['live', 'ready', 'openapi']);
  });

  test('every code of the error table is provoked', () => {
    const provoked = new Set(BAD.map(([, , code]) => code));
    const missing = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => !provoked.has(code));
    // No client of ours sends Expect (test/service/http/port.test.ts). Stored bytes must be changed for the others
    // (test/acceptance/damaged.test.ts and the tests of the assets).
    expect(missing).toEqual(['expectation_failed', 'asset_damaged', 'message_damaged']);
  });

  test('every status of a success of the interface is met', () => {
    expect(new Set(GOOD.map(([, , status]) => status))).toEqual(new Set([200, 204, 206]));
  });

  test('every scope is the scope of a route', () => {
    const scopes = Object.values(ROUTES as Record<string, Route>).flatMap(({ scope }) => scope ?? []);
    expect([...new Set(scopes)].sort()).toEqual([
      'read:attachments',
      'read:messages',
      'read:sequence',
      'write:events',
    ]);
  });
});
