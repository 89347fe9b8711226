import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Content } from '../../src/contract/content.ts';
import { fieldsOf, isOpenRecord } from '../../src/contract/record-fields.ts';

test('names and types of a record, with what stands in it', () => {
  const schema = z.object({
    id: z.string(),
    kind: z.enum(['a', 'b']).nullable(),
    count: z.number().int().optional(),
    share: z.number(),
    is: z.boolean(),
    tags: z.array(z.string()),
    parts: z.array(z.object({ at: z.literal(1) })).optional(),
    any: z.unknown(),
    by: z.record(z.string(), z.number()),
  });
  expect(fieldsOf(schema).map(({ name, type, required }) => [name, type, required])).toStrictEqual([
    ['id', 'text', true],
    ['kind', 'text or null', true],
    ['count', 'whole number', false],
    ['share', 'number', true],
    ['is', 'true or false', true],
    ['tags', 'list of text', true],
    ['parts', 'list of object', false],
    ['parts.at', 'whole number', true],
    ['any', 'value', false],
    ['by', 'object', true],
  ]);
});

test('a union has the fields of all branches, required where all have them', () => {
  const fields = new Map(fieldsOf(Content).map((field) => [field.name, field]));
  expect(fields.get('data.id')).toStrictEqual({ name: 'data.id', type: 'text', required: true });
  expect(fields.get('data.glyph_trigger')?.required).toBe(false);
  expect(fields.get('data.subject')?.type).toBe('text or null');
  expect(fields.get('data.pipeline.assets.filename')?.type).toBe('text');
});

describe('records that may have more fields', () => {
  test.each([
    [z.object({}), false],
    [z.looseObject({}), true],
    [z.union([z.object({}), z.looseObject({})]), true],
    [z.string(), false],
  ])('%#', (schema, expected) => {
    expect(isOpenRecord(schema)).toBe(expected);
  });
});
