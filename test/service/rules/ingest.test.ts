// Rules of events: the hash of their body, and their payload as it was sent.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { accepted } from '../../support/event.ts';

const envelope = (payload: string) => `{"id":"e","type":"mirror.detected","payload":${payload}}`;

describe('the body of an event', () => {
  property.prop([fc.jsonValue({ maxDepth: 5 }), fc.constantFrom('x', '__proto__', 'a.b')])(
    'equal bodies have one hash, whatever the order of keys, and each is kept as it was sent',
    (value, key) => {
      const [k, v] = [JSON.stringify(key), JSON.stringify(value)];
      const texts = [
        `{"layer":"l",${k}:${v}}`,
        `{${k}:${v},"layer":"l"}`,
        `{ "\\u006cayer" :"l",\n${k}:\t${v}\r\n}`,
      ];
      const all = texts.map((text) => accepted(envelope(` ${text} `)));
      expect(all.map(({ payloadText }) => payloadText)).toEqual(texts);
      expect(new Set(all.map(({ bodySha256 }) => bodySha256)).size).toBe(1);
      expect(accepted(envelope('{"layer":"l"}')).bodySha256).not.toBe(all[0]!.bodySha256);
    },
  );

  test('a number equals its other spellings, and no other number', () => {
    const hashOf = (number: string) => accepted(envelope(`{"layer":"l","n":[${number}]}`)).bodySha256;
    const hashes = [
      ['1', '1.0', '1e0', '10e-1', '0.1E+1', '1.000000000000000000000000'],
      ['100', '1e2', '1E+2', '100.0'],
      ['0', '-0', '0.0', '0e400', '-0e-400'],
      ['9007199254740992', '9007199254740992.0', '9007199254740992e0', '90071992547409920e-1'],
      ['9007199254740993', '9007199254740993.0', '9.007199254740993e15'],
      ['1e-400', '10e-401', '0.001E-397'],
      ['0.1', '0.10', '1e-1'],
      ['0.10000000000000001', '0.100000000000000010', '10000000000000001e-17'],
      ['1e21', '1000000000000000000000'],
      ['-15e-1', '-1.5'],
      ['1.5'],
      ['-1e-400'],
      ['1e-999999999999999'],
    ].map((spellings) => [...new Set(spellings.map(hashOf))]);
    expect(hashes.map(({ length }) => length)).toEqual(hashes.map(() => 1));
    expect(new Set(hashes.flat()).size).toBe(hashes.length);
  });
});
