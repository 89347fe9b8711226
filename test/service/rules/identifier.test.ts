// Record ids: a number comes back, and no other text is an id.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { idOf, numberOf } from '../../../src/service/rules/identifier.ts';

describe('identifiers', () => {
  property.prop([fc.integer({ min: 1, max: 999_999_999_999_999 })])(
    'numberOf returns the number of idOf',
    (n) => {
      expect(numberOf('msg', idOf('msg', n))).toBe(n);
      expect(numberOf('conv', idOf('msg', n))).toBeUndefined();
    },
  );

  property.prop([fc.string()])('no other text is an id', (text) => {
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
