// Error messages of schemas name the field, what it must be, and the type of what is there.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { validationMessage } from '../../src/contract/validation-message.ts';

const Schema = z.object({
  name: z.string().min(1).max(3).regex(/^a/, 'Must begin with a'),
  list: z.array(z.object({ on: z.boolean() })),
  count: z.number().int().max(9),
});
const GOOD = { name: 'a', list: [{ on: true }], count: 1 };

test.each([
  [{ ...GOOD, name: '' }, 'name: must not be empty'],
  [{ ...GOOD, name: 'abcd' }, 'name: must have at most 3 characters'],
  [{ ...GOOD, name: 'b' }, 'name: must begin with a'],
  [{ ...GOOD, name: 7 }, 'name: must be text, not a number'],
  [{ ...GOOD, list: [{ on: 'secret' }] }, 'list.0.on: must be true or false, not text'],
  [{ ...GOOD, list: [{}] }, 'list.0.on: is missing, must be true or false'],
  [{ ...GOOD, list: {} }, 'list: must be a list, not an object'],
  [{ ...GOOD, count: null }, 'count: must be a number, not null'],
  [{ ...GOOD, count: 1.5 }, 'count: must be a whole number'],
  [{ ...GOOD, count: 10 }, 'count: must be at most 9'],
  [[], '$: must be an object, not a list'],
])('%j: %s', (value, message) => {
  expect(validationMessage(Schema.safeParse(value).error!, value)).toBe(message);
});
