// The lore view: sequence status, asset types, render variants and zero-width characters.
import { describe, expect, test } from 'vitest';
import { MESSAGE } from '../../../src/service/rules/integrity.ts';
import {
  assetTypeOf,
  sequenceStatusOf,
  variantOf,
  zeroWidthCarriers,
} from '../../../src/service/rules/lore.ts';

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

  test('render variants go from a to z, then aa', () => {
    expect([0, 1, 25, 26, 27, 701, 702].map(variantOf)).toEqual(['a', 'b', 'z', 'aa', 'ab', 'zz', 'aaa']);
  });

  test.each([
    ['plain', 0],
    ['', 0],
    [null, 0],
    ['a\u200bb\u200c\u200d\u2060\ufeff', 5],
    ['family \u{1f468}\u200d\u{1f469}\u200d\u{1f467}', 0],
    ['flag \u{1f3f3}\ufe0f\u200d\u{1f308}', 0],
  ])('%j has %i zero-width characters', (text, count) => {
    expect(zeroWidthCarriers('text', text)).toEqual(
      count === 0 ? [] : [{ where: 'text', kind: 'zero_width', count }],
    );
  });
});
