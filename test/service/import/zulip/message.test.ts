// What becomes of one message of a Zulip export.
import { expect, test } from 'vitest';
import { readZulipMessage, seenMessages } from '../../../../src/service/import/zulip/message.ts';
import { realmOf } from '../../../../src/service/import/zulip/realm.ts';

const INVITATION = 'abcdefghijklmnopqrstuvwx';
const ADDRESS = `https://crew.zulip.example/join/${INVITATION}/`;

test.each([
  ['a topic', { recipient: 5, subject: ADDRESS }],
  ['the name of a channel', { recipient: 6, subject: '' }],
  ['the topic of an unknown recipient', { recipient: 9, subject: ADDRESS }],
])('credentials in %s are stored nowhere', async (_, where) => {
  const realm = realmOf(
    new Map([
      [
        'zerver_stream',
        [
          { id: 3, name: 'general' },
          { id: 4, name: ADDRESS },
        ],
      ],
      [
        'zerver_recipient',
        [
          { id: 5, type: 2, type_id: 3 },
          { id: 6, type: 2, type_id: 4 },
        ],
      ],
    ] satisfies [string, unknown[]][]),
    new Map(),
    [],
  );
  const held = { read: async () => 'is not in the export', outcomes: new Map() };
  const context = {
    realm,
    held,
    prefix: '',
    seen: seenMessages(),
    originCity: null,
    tier: 'internal' as const,
  };
  const item = await readZulipMessage(
    { id: 1, sender: 8, content: 'words', date_sent: 1, ...where },
    { path: 'x', position: 0, decodable: true },
    context,
  );
  if (item.kind !== 'message') throw new Error(item.reason);
  const { raw, subject, related } = item;
  expect([Buffer.from(raw).toString(), subject, ...related].join('\n')).not.toContain(INVITATION);
  expect(subject).toBe('https://crew.zulip.example/join/[token]/');
});
