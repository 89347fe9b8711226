// What contradicts the status of a page where withheld rows have no ids of their own, and so are not among its rows.
import { expect, test } from 'vitest';
import { createRecordListParser } from '../../src/client/record-list.ts';
import { ATTACHMENTS, MESSAGES } from '../../src/client/shapes/list-kinds.ts';
import { StatusContradictions } from '../../src/client/status-contradiction.ts';
import { jsonAnswer } from './shapes/lists.ts';

const WITHHELD = { id: null, redacted: true };

test.each<[http: number, status: string, withheld: number, words: string | undefined]>([
  [206, 'partial', 2, undefined],
  [200, 'partial', 2, 'HTTP 200 with status partial and 2 withheld rows without ids'],
  [200, 'partial', 0, 'HTTP 200 with status partial and no ROW row'],
  [206, 'partial', 0, 'HTTP 206 with status partial and no ROW row'],
  [200, 'stable', 1, 'HTTP 200 with status stable and 1 withheld row without an id'],
  [200, 'stable', 0, undefined],
])('HTTP %i, status %s and %i withheld rows without ids: %s', (http, status, withheld, words) => {
  for (const list of ['attachments', 'messages'] as const) {
    const kind = list === 'attachments' ? ATTACHMENTS : MESSAGES;
    const parser = createRecordListParser<{}>(kind as never, {});
    const found = new StatusContradictions();
    const data = [{ id: 'a_1', file_url: '/a_1' }, ...Array.from({ length: withheld }, () => WITHHELD)];
    // Rows of an earlier page do not explain the status of a later one.
    parser.parse(jsonAnswer({ data: [{ id: 'a_0' }, WITHHELD] }));
    const reply = parser.parse({ ...jsonAnswer({ status, data }), status: http }, false, 'a_0');
    found.compare(list, reply, false);
    const expected = words?.replace('ROW', list === 'attachments' ? 'redacted' : 'withheld');
    expect(found.of(list)).toBe(expected && `answer contradicts itself: ${expected}`);
  }
});
