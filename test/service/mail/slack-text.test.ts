// The words of Slack messages, also those that apps write into attachments and blocks.
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { readMessageText } from '../../../src/service/mail/message-text.ts';
import { slackText } from '../../../src/service/mail/slack-text.ts';

const card = {
  fallback: 'all in one',
  pretext: 'Build 7',
  author_name: 'ci',
  title: 'failed',
  text: 'two tests',
  fields: [{ title: 'branch', value: 'main' }, { value: 'red' }],
  footer: 'ci.example',
};
const cardText = 'Build 7\nci\nfailed\ntwo tests\nbranch: main\nred\nci.example';
const section = { type: 'section', text: { type: 'mrkdwn', text: 'Deploy?' }, fields: [{ text: 'now' }] };
const rich = {
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'a' }, { type: 'emoji' }] }],
};

test.each<[name: string, message: object, text: string | null]>([
  ['a text', { text: 'hello' }, 'hello'],
  ['an attachment in place of a text', { text: '', attachments: [card] }, cardText],
  ['an attachment after a text', { text: 'see', attachments: [card] }, `see\n${cardText}`],
  ['an attachment that has only its fallback', { attachments: [{ fallback: 'x' }] }, 'x'],
  ['two attachments', { attachments: [{ text: 'a' }, { title: 'b' }] }, 'a\nb'],
  ['blocks in place of a text', { blocks: [section, rich] }, 'Deploy?\nnow\na'],
  ['blocks that repeat the text', { text: 'Deploy?', blocks: [section] }, 'Deploy?'],
  ['blocks in an attachment', { attachments: [{ blocks: [section] }] }, 'Deploy?\nnow'],
  ['nothing', { attachments: [null, 7, {}], blocks: 'x' }, null],
])('%s', async (_name, message, text) => {
  expect(slackText(message)).toBe(text);
  const stored = Buffer.from(JSON.stringify({ channel: { id: 'C1', name: 'general' }, message }));
  expect(await readMessageText('slack', stored)).toMatchObject({ text });
});

property.prop([fc.jsonValue()])('any JSON gives a text or null', (value) => {
  const text = slackText(value);
  expect(text === null || text.length > 0).toBe(true);
});
