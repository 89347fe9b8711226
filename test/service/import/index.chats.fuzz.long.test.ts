// Fuzzing of the entries of chat exports: each is a message that is stored without its credentials, or is refused with a reason.
import { test } from 'vitest';
import { parseExactJson } from '../../../src/contract/exact-json.ts';
import { holdFiles } from '../../../src/service/import/chat-file.ts';
import type { FileSet } from '../../../src/service/import/file-set.ts';
import { readPost } from '../../../src/service/import/mattermost/post.ts';
import { openUploads } from '../../../src/service/import/slack/file.ts';
import { readSlackMessage } from '../../../src/service/import/slack/message.ts';
import {
  channelOf,
  channelsByFolder,
  namesById,
  usersById,
} from '../../../src/service/import/slack/users-and-channels.ts';
import { storedJson } from '../../../src/service/import/stored-json.ts';
import { readZulipMessage, seenMessages } from '../../../src/service/import/zulip/message.ts';
import { realmOf } from '../../../src/service/import/zulip/realm.ts';
import { readMessageText } from '../../../src/service/mail/message-text.ts';
import type { ImportItem } from '../../../src/service/records/import-items.ts';
import { storableMessage } from '../../../src/service/records/storable-text.ts';
import { mediaTypeOf } from '../../../src/contract/media-type.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../support/fuzz.ts';
import { jsonOf } from '../../support/fuzz-inputs.ts';

/** Files of an export, in memory. */
const FILES: FileSet = {
  names: ['__uploads/F1/a.txt', 'uploads/2/ab/c.txt', 'data/a.txt'],
  unreadable: [],
  hidden: [],
  read: async () => Buffer.from('content'),
  async *stream() {
    yield Buffer.from('content');
  },
  close: () => {},
};
const PLACE = { path: 'export/x.json', position: 0, decodable: true };
const SLACK_SECRET = 'xoxb-123456789012-abcdefghijkl';
const INVITATION = 'abcdefghijklmnopqrstuvwx';

async function checkItem(item: ImportItem, given: unknown): Promise<void> {
  if (item.kind === 'refused') {
    if (!/^[\x20-\x7e]{5,200}$/.test(item.reason)) throw new Error(`reason ${JSON.stringify(item.reason)}`);
    return;
  }
  const raw = Buffer.from(item.raw).toString();
  const stored = [raw, item.subject, item.key, ...item.related].join(' ');
  if (stored.includes(SLACK_SECRET) || stored.includes(INVITATION))
    throw new Error(`credentials are stored: ${stored}`);
  // The archive knows a message again by the hash of these bytes.
  if (Buffer.from(storedJson(parseExactJson(raw))).compare(item.raw) !== 0)
    throw new Error(`is not canonical: ${raw}`);
  if (raw.length > 4 * JSON.stringify(given).length + 1_000)
    throw new Error(`${raw.length} bytes are stored`);
  for (const { content, bytes, absence, declared_type: type } of item.attachments) {
    if (mediaTypeOf(type) !== type) throw new Error(`type ${JSON.stringify(type)}`);
    if ((content === null) !== (absence !== null)) throw new Error('a file has neither bytes nor a reason');
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new Error(`a file of ${bytes} bytes`);
  }
  const { key, sender, subject, related } = storableMessage(item);
  if (/\0|\p{Surrogate}/u.test([key, sender, subject, ...related].join('')))
    throw new Error('cannot be stored');
  if (item.date_ms !== null && !Number.isSafeInteger(item.date_ms)) throw new Error(`date ${item.date_ms}`);
  await readMessageText(item.format, item.raw);
}

const SLACK_CHANNELS = channelsByFolder(
  new Map([
    ['channels.json', [{ id: 'C1', name: 'general' }]],
    ['dms.json', [{ id: 'D1', members: ['U1', 'U2'] }]],
  ]),
);
const SLACK = jsonOf(
  [
    {
      ts: '1704200000.000100',
      text: '<@U1> see <https://a.test|b> &amp;',
      user: 'U1',
      thread_ts: '1704100000.000100',
      reactions: [{ name: 'x', users: ['U1'] }],
    },
    {
      ts: '1704200001.5',
      text: '',
      user: 'U9',
      subtype: 'file_share',
      files: [
        {
          id: 'F1',
          name: 'a.txt',
          mode: 'hosted',
          size: 7,
          mimetype: 'text/plain',
          url_private: `https://files.slack.com/T1-F1/a?t=${SLACK_SECRET}`,
        },
        { id: 'F2', mode: 'tombstone' },
      ],
    },
    {
      ts: '1704200002.1',
      bot_id: 'B1',
      username: 'bot',
      attachments: [
        {
          text: 'words',
          title: 't',
          fields: [{ title: 'a', value: 'b' }],
          blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'c' } }],
        },
      ],
    },
    {
      ts: '1',
      subtype: 'file_comment',
      comment: { user: 'U1', comment: 'said' },
      file: { id: 'F1', file_access: 'access_denied' },
    },
  ],
  [
    '1704200000.000100',
    'x',
    '99999999999.9',
    SLACK_SECRET,
    `a ${SLACK_SECRET} b`,
    `https://hooks.slack.com/services/T/B/${SLACK_SECRET}`,
    '<',
    '<@U1|',
    '&lt;',
  ],
);

test('any entry of a Slack export is a message or is refused', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: (draw) => ({
      entry: SLACK(draw),
      folder: draw.of(['general', 'D1', 'unknown']),
      user: SLACK(draw),
    }),
    async check({ entry, folder, user }) {
      const channel = channelOf(SLACK_CHANNELS, folder);
      const users = usersById([{ id: 'U1', name: 'one', tz: 'Europe/Oslo' }, user]);
      const context = {
        channel,
        users,
        names: namesById(users, [channel]),
        readUpload: openUploads([FILES]).read,
        originCity: null,
        tier: 'external' as const,
      };
      const item = await readSlackMessage(entry, PLACE, context);
      if (item.kind === 'message' && (item.tier === 'external') === channel.isPrivate)
        throw new Error(`tier ${item.tier}`);
      await checkItem(item, entry);
    },
    show: (input) => JSON.stringify(input),
  }),
);

const REALM = {
  zerver_realm: [{ id: 2, uuid: 'u', string_id: 'org' }],
  zerver_userprofile: [{ id: 8, full_name: 'one', timezone: 'Europe/Oslo', is_bot: false }],
  zerver_stream: [{ id: 3, name: 'general', invite_only: false }],
  zerver_recipient: [
    { id: 5, type: 2, type_id: 3 },
    { id: 6, type: 1, type_id: 8 },
    { id: 7, type: 3, type_id: 1 },
  ],
  zerver_subscription: [
    { recipient: 7, user_profile: 8 },
    { recipient: 7, user_profile: 9 },
  ],
  zerver_reaction: [{ message: 1, user_profile: 8, emoji_name: '+1' }],
};
const ATTACHMENTS = {
  zerver_attachment: [{ id: 1, messages: [1], path_id: '2/ab/c.txt', file_name: 'c.txt', size: 7 }],
};
const ZULIP = jsonOf(
  [
    {
      id: 1,
      sender: 8,
      recipient: 5,
      subject: 'topic',
      content: 'text [a](/user_uploads/2/ab/c.txt)',
      date_sent: 1704200000.5,
      edit_history: '[]',
    },
    {
      id: 2,
      sender: 8,
      recipient: 6,
      subject: '',
      content: '[said](https://x.test/#narrow/stream/3/near/1):\n```quote\nx\n```',
      date_sent: 1704200001,
    },
    {
      id: 3,
      sender: 9,
      recipient: 7,
      subject: '',
      content: `https://x.test/join/${INVITATION}/`,
      date_sent: 1,
    },
  ],
  [1, 2, 5, 6, 7, 8, '1704200000', `https://x.test/join/${INVITATION}/ a`, '](/user_uploads/', '[said]('],
);
const REALMS = jsonOf([REALM, REALM, null], [1, 2, 3, 5, 8]);

const listsOf = (value: unknown) =>
  new Map(
    Object.entries(value ?? {}).flatMap(([name, list]) =>
      Array.isArray(list) ? [[name, list] as const] : [],
    ),
  );

test('any entry of a Zulip export is a message or is refused', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: (draw) => ({ entry: ZULIP(draw), realm: draw.below(4) === 0 ? REALMS(draw) : REALM }),
    async check({ entry, realm }) {
      const context = {
        realm: realmOf(listsOf(realm), listsOf(ATTACHMENTS), []),
        held: holdFiles(FILES),
        prefix: '',
        seen: seenMessages(),
        originCity: null,
        tier: 'external' as const,
      };
      await checkItem(await readZulipMessage(entry, PLACE, context), entry);
    },
    show: (input) => JSON.stringify(input),
  }),
);

const REPLY = { user: 'two', message: `answer https://x.test/hooks/${INVITATION}`, create_at: 1704200000001 };
const MATTERMOST = jsonOf(
  [
    {
      team: 't',
      channel: 'general',
      user: 'one',
      message: 'text',
      create_at: 1704200000000,
      props: { from_webhook: 'true', override_username: 'w' },
      attachments: [{ path: 'a.txt' }],
      replies: [REPLY, REPLY],
    },
    {
      channel_members: ['one', 'two'],
      user: 'one',
      message: '',
      create_at: 1,
      props: { attachments: [{ text: 'words', title: 't' }] },
      reactions: [{ user: 'two', emoji_name: '+1' }],
    },
    {
      participants: [{ username: 'one' }, { username: 'two' }],
      user: 'two',
      message: 'a',
      create_at: 2,
      type: 'system_join_channel',
    },
  ],
  ['one', './data/b', '../evil', `https://x.test/hooks/${INVITATION} a`, 'true', 'me', 1704200000000],
);

test('any post of a Mattermost export is messages or is refused', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: MATTERMOST,
    async check(post) {
      const directory = {
        users: new Map([['one', 'One']]),
        channels: new Map([['t/general', { name: 'General', isPublic: true }]]),
      };
      const context = {
        directory,
        held: holdFiles(FILES),
        folder: '',
        originCity: null,
        tier: 'external' as const,
      };
      let items = 0;
      for await (const item of readPost(post, PLACE, context)) {
        await checkItem(item, post);
        items += 1;
      }
      const replies = (post as { replies?: unknown } | null)?.replies;
      if (items !== 1 + (Array.isArray(replies) ? replies.length : 0)) throw new Error(`${items} items`);
    },
    show: (input) => JSON.stringify(input),
  }),
);
