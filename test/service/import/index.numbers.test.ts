// Numbers in exports of chats that JavaScript would round: they are stored as they were written.
import { expect, test } from 'vitest';
import { imported, storedText, unpacked, written, type Files } from './chat-exports.ts';

/** Numbers that JSON.parse changes. They stand in place of `"NUMBERS"`. */
const NUMBERS = '[9007199254740993,-12345678901234567890,1e400,0.30000000000000000001]';
/** A text of which credentials are removed, so that the entry is parsed again. */
const SECRET = 'xoxb-123456789012-abcdefgh https://chat.example/hooks/abcdefghijklmnopqrstuvwxyz';

const json = (value: unknown): string => JSON.stringify(value).replaceAll('"NUMBERS"', NUMBERS);

const SLACK: Files = {
  'users.json': '[]',
  'channels.json': '[{"id":"C1","name":"deck"}]',
  'deck/2024-01-02.json': json([
    { type: 'message', ts: '1704193445.000100', text: SECRET, blocks: [{ n: 'NUMBERS' }] },
  ]),
};
const MATTERMOST = [
  json({ type: 'version', version: 1 }),
  json({ type: 'channel', channel: { team: 'crew', name: 'deck', type: 'O' } }),
  json({
    type: 'post',
    post: {
      team: 'crew',
      channel: 'deck',
      user: 'ada',
      message: SECRET,
      create_at: 1704193445000,
      props: { n: 'NUMBERS' },
    },
  }),
].join('\n');
const ZULIP: Files = {
  'realm.json': json({
    zerver_realm: [{ id: 2, string_id: 'crew' }],
    zerver_userprofile: [{ id: 10, full_name: 'Ada' }],
    zerver_stream: [{ id: 5, name: 'deck' }],
    zerver_recipient: [{ id: 100, type: 2, type_id: 5 }],
  }),
  'messages-000001.json': `{"zerver_message":[${json({
    id: 1,
    sender: 10,
    recipient: 100,
    subject: 's',
    content: SECRET,
    edit_history: 'NUMBERS',
  }).replace('"id":1', '"id":1,"date_sent":1704193445.00000000001')}]}`,
};

test.each([
  ['Slack', () => unpacked(SLACK)],
  ['Mattermost', () => written('import.jsonl', MATTERMOST)],
  ['Zulip', () => unpacked(ZULIP)],
])('%s', async (_, path) => {
  await imported(path(), async (archive, report) => {
    expect(report.sources[0]?.messages).toMatchObject({ read: 1, stored: 1, refused: 0 });
    const text = await storedText(archive);
    expect(text).toContain(`:${NUMBERS}`);
    expect(text).toContain('[token]');
    const rows = await archive.database.all<{ date_ms: number }>('SELECT date_ms FROM messages');
    expect(rows).toHaveLength(1);
    expect(Math.floor(rows[0]!.date_ms / 1000)).toBe(1704193445);
  });
});

test('an entry that is such a number is refused, and no message', async () => {
  const root = unpacked({ ...SLACK, 'deck/2024-01-03.json': NUMBERS });
  await imported(root, async (_, report) => {
    expect(report.sources[0]?.messages).toMatchObject({ read: 5, stored: 1, refused: 4 });
  });
});
