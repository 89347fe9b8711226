// What to do about an id that no record has: the id that was meant, or where the ids are listed.
import { expect, test } from 'vitest';
import { listHint, recordHint, type RecordNoun } from '../../src/client/record-hint.ts';
import { hintText } from '../../src/faults.ts';

test.each([
  ['message', 'msg_9', 'arx messages ls lists them'],
  ['message', '9', 'did you mean: msg_9 (a message) or conv_9 (a conversation)'],
  ['message', 'MSG_1', 'did you mean: msg_1'],
  ['message', 'msg-1', 'did you mean: msg_1'],
  ['message', 'message 12', 'did you mean: msg_12'],
  ['message', 'Conv-3', 'did you mean: conv_3'],
  ['conversation', '9', 'did you mean: conv_9'],
  ['attachment', '9', 'did you mean: att_9'],
  ['message', '<a@b>', 'ids are those of arx messages ls, such as msg_1; a Message-ID is none'],
  [
    'conversation',
    'conv_10',
    'arx conversations ls lists them; the number of an id is that of its first message',
  ],
  ['conversation', 'msg_9', 'arx messages show msg_9 names its conversation'],
  ['attachment', 'msg_9', 'arx read msg_9; its files: arx attachments ls --message msg_9'],
  ['message', 'att_1', 'arx attachments show att_1'],
  ['attachment', 'att_9', 'arx attachments ls --all lists them'],
  ['sequence', 'x', 'their names: arx help sequence show'],
  ['message', '9'.repeat(30), 'arx messages ls lists them'],
] as const)('%s %s', (noun, id, hint) => expect(hintText(recordHint(noun, id))).toBe(hint));

test('ids of another service follow no rule', () => {
  const hint = (noun: RecordNoun): string => hintText(listHint(noun));
  expect(hint('conversation')).toBe('arx conversations ls lists them');
  expect(hint('message')).toBe('arx messages ls lists them');
});
