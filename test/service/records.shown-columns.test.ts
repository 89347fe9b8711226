// A column that says which fields of the wire record show it is in the SQL that writes the record, and so are the fields.
import { describe, expect, test } from 'vitest';
import { ATTACHMENTS, attachmentJson } from '../../src/service/records/attachment.ts';
import { CONVERSATIONS, conversationJson } from '../../src/service/records/conversation.ts';
import { MESSAGES, messageJson } from '../../src/service/records/message.ts';
import { jsonRow } from '../../src/service/records/page-json.ts';

describe.each([
  { name: 'attachments', columns: ATTACHMENTS.columns, sql: attachmentJson('mirror') },
  { name: 'messages', columns: MESSAGES.columns, sql: messageJson('mirror') },
  { name: 'conversations', columns: CONVERSATIONS.columns, sql: conversationJson('mirror') },
])('$name', ({ columns, sql }) => {
  test.each(Object.entries(columns).filter(([, { shown }]) => shown.length > 0))(
    '%s',
    (column, { shown }) => {
      // Text of the JSON itself does not count as a use of the column.
      expect(sql.replaceAll(/'[^']*'/g, '')).toMatch(new RegExp(`\\b${column}\\b`));
      for (const field of shown) expect(sql).toContain(`"${field}":`);
    },
  );
});

test('a row that does not begin with its id is refused', () => {
  expect(() => jsonRow`{"n":${'n'},"id":"att_${'n'}"}`).toThrow(TypeError);
});
