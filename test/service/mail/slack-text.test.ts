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

test.each<[stored: string, shown: string]>([
  ['hi <@U1>', 'hi @Ann'],
  ['hi <@U2>', 'hi @U2'],
  ['hi <@U2|bob>', 'hi @bob'],
  ['in <#C1|general> or <#C2|>', 'in #general or #C2'],
  ['<!here> <!subteam^S1|@team>', '@here @team'],
  ['<!date^1392734382^{date}|18 Feb 2014>', '18 Feb 2014'],
  ['<https://a.example/x?a=1&amp;b=2>', 'https://a.example/x?a=1&b=2'],
  ['<https://a.example/|the page>', 'the page (https://a.example/)'],
  ['<https://a.example/|a.example>', 'https://a.example/'],
  ['<mailto:a@b.example|a@b.example>', 'a@b.example'],
  ['a &lt; b &amp;lt; c &gt; d &amp; e', 'a < b &lt; c > d & e'],
  ['&lt;@U1&gt;', '<@U1>'],
  ['if a <b and c> d\n<', 'if a b and c d\n<'],
])('%s is shown as %s', async (stored, shown) => {
  const message = { user: 'U1', user_profile: { display_name: 'Ann' }, text: stored };
  const bytes = Buffer.from(JSON.stringify({ channel: { id: 'C1', name: 'general' }, message }));
  expect(await readMessageText('slack', bytes)).toMatchObject({ text: shown });
  // In an attachment, and in a block of markup.
  for (const other of [
    { attachments: [{ text: stored }] },
    { blocks: [{ text: { type: 'mrkdwn', text: stored } }] },
  ]) {
    const text = { ...message, text: '', ...other };
    expect(await readMessageText('slack', Buffer.from(JSON.stringify(text)))).toMatchObject({ text: shown });
  }
});

const NAMES = { U1: 'Other', U2: 'Bob', C2: 'crew' };

test.each<[stored: object, shown: string]>([
  [{ text: 'hi <@U2> and <@U2|bobby>' }, 'hi @Bob and @bobby'],
  [{ text: '<#C2> <#C2|> <#C3|>' }, '#crew #crew #C3'],
  [{ text: '<@toString> <@U9>' }, '@toString @U9'],
  [{ text: '', attachments: [{ text: 'by <@U2>' }] }, 'by @Bob'],
  // The message knows its author.
  [{ user: 'U1', user_profile: { real_name: 'Ann' }, text: '<@U1>' }, '@Ann'],
])('%j with names is shown as %s', async (message, shown) => {
  const bytes = Buffer.from(JSON.stringify({ channel: { id: 'C1', name: 'general' }, message }));
  const mentions = JSON.stringify(NAMES);
  expect(await readMessageText('slack', bytes, { mentions })).toMatchObject({ text: shown });
});

test.each(['', '{', '7', 'null', '["Bob"]', '{"U2":7}'])('names that are damaged: %s', async (mentions) => {
  const bytes = Buffer.from(JSON.stringify({ message: { text: '<@U2>' } }));
  expect(await readMessageText('slack', bytes, { mentions })).toMatchObject({ text: '@U2' });
});

test('mentions in rich text', async () => {
  const elements = [
    { type: 'user', user_id: 'U2' },
    { type: 'channel', channel_id: 'C2' },
    { type: 'channel', channel_id: 'C3' },
    { type: 'broadcast', range: 'here' },
    { type: 'user' },
    { type: 'text', text: 'look' },
  ];
  const bytes = Buffer.from(JSON.stringify({ message: { blocks: [{ type: 'rich_text', elements }] } }));
  const { text } = await readMessageText('slack', bytes, { mentions: JSON.stringify(NAMES) });
  expect(text).toBe('@Bob\n#crew\n#C3\n@here\nlook');
});

test('pieces of rich text, and the texts of Mattermost, have no such markup', async () => {
  const blocks = [{ type: 'rich_text', elements: [{ type: 'text', text: '&lt;<@U1>' }] }];
  expect(await readMessageText('slack', Buffer.from(JSON.stringify({ blocks })))).toMatchObject({
    text: '&lt;<@U1>',
  });
  const post = Buffer.from(JSON.stringify({ message: { message: '&lt;<@U1>' } }));
  expect(await readMessageText('mattermost', post)).toMatchObject({ text: '&lt;<@U1>' });
});

property.prop([fc.jsonValue()])('any JSON gives a text or null', (value) => {
  const text = slackText(value);
  expect(text === null || text.length > 0).toBe(true);
});
