// Rules of events: their order by id, and the hash of their body.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { acceptEvent, compareEventIds } from '../../../src/service/rules/ingest.ts';

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
