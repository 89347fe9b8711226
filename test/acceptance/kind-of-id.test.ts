// An id of another kind than the command takes: exit 2 and the command that shows it, the same for all commands.
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeAll(async () => {
  dir = tempFolder('kind-of-id');
  await sampleData(join(dir, 'data'));
});

test.each([
  ['read att_1', 'att_1 is an attachment, not a message', 'arx attachments show att_1'],
  ['messages show att_1', 'att_1 is an attachment, not a message', 'arx attachments show att_1'],
  ['messages show conv_1', 'conv_1 is a conversation, not a message', 'arx conversations show conv_1'],
  ['conversations show msg_1', 'msg_1 is a message, not a conversation', 'arx messages show msg_1 names its'],
  ['conversations export att_1', 'att_1 is an attachment, not a conversation', 'arx attachments show att_1'],
  ['content get conv_1', 'conv_1 is a conversation, not a message', 'arx conversations show conv_1'],
  ['attachments show msg_1', 'msg_1 is a message, not an attachment', 'arx read msg_1; its files: '],
  ['attachments cat conv_1', 'conv_1 is a conversation, not an attachment', 'arx conversations show conv_1'],
  [
    'attachments pull msg_1 --to files',
    'msg_1 is a message, not an attachment',
    'arx read msg_1; its files: ',
  ],
  [
    'redact msg_1 --yes',
    'msg_1 is no file: only files can be withheld, not the text of messages',
    'the files of a message: arx',
  ],
  [
    'redact msg_99999 --yes',
    'msg_99999 is no file: only files can be withheld, not the text of messages',
    'the files of a message: arx',
  ],
  ['sequence show msg_1', 'msg_1 is a message, not a sequence', 'arx read msg_1'],
])('%s', async (line, message, hint) => {
  const { exit, stderr } = await arx(dir, line);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`arx: ${message} [usage, exit 2]\n`)]);
  expect(stderr).toContain(`  hint: ${hint}`);
});

test('the other ids of the command are read', async () => {
  const content = await arx(dir, 'content get conv_1 msg_2 --fields id');
  expect([content.exit, content.stdout]).toEqual([2, 'msg_2\n']);
  const bytes = await arx(dir, 'attachments cat msg_1 att_1');
  expect([bytes.exit, bytes.bytes.length]).toEqual([2, 280]);
});

test('an id of the right kind that no record has is exit 6', async () => {
  for (const line of ['messages show msg_99999', 'conversations show conv_99999', 'content get msg_99999'])
    expect((await arx(dir, line)).exit).toBe(6);
});
