// Rules of events: the hash of their body.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { acceptEvent } from '../../../src/service/rules/ingest.ts';

describe('the body of an event', () => {
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
