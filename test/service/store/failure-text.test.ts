// What the log of a service says of a failure.
import { expect, test } from 'vitest';
import { failureText } from '../../../src/service/store/failure-text.ts';

test.each([
  [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, 'Error ERR_SQLITE_ERROR 13: the database has no space left'],
  [{ code: 'ENOSPC' }, 'Error ENOSPC: the database has no space left'],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 19 }, 'Error ERR_SQLITE_ERROR 19'],
  [{}, 'Error'],
])('%j', (properties, text) => {
  expect(failureText(Object.assign(new Error('with data'), properties))).toBe(text);
});
