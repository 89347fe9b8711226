// Reading Mattermost bulk exports: against what Python finds in the same export, and bad entries.
import { fc, test as property } from '@fast-check/vitest';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMattermost } from '../../../../src/service/import/mattermost/export.ts';
import { importPaths } from '../../../support/import-paths.ts';
import { readMessageText } from '../../../../src/service/mail/message-text.ts';
import type { SourceItem } from '../../../../src/service/records/import-items.ts';
import { arx } from '../../../support/command.ts';
import { isInstalled } from '../../../support/installed.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { zipOf } from '../../../support/zip.ts';
import { imported, listed, pythonList, storedText, unpacked, written, type Files } from '../chat-exports.ts';
import { contentOf, newArchive, signal, sourceFolder } from '../sources.ts';

const VERSION = {
  type: 'version',
  version: 1,
  info: {
    generator: 'mattermost-server',
    version: '9.5.0 (abc, enterprise: false)',
    created: '2026-01-01T00:00:00Z',
  },
};
const user = (username: string, more: object = {}) => ({
  type: 'user',
  user: {
    username,
    email: `${username}@example.org`,
    auth_service: 'ldap',
    auth_data: 'uid-secret-4711',
    password: '$2a$10$hash-of-a-password',
    nickname: '',
    first_name: '',
    last_name: '',
    position: '',
    roles: 'system_user',
    locale: 'en',
    teams: [{ name: 'crew', roles: 'team_user', channels: [{ name: 'deck', roles: 'channel_user' }] }],
    ...more,
  },
});
const channel = (name: string, type: string) => ({
  type: 'channel',
  channel: { team: 'crew', name, display_name: name, type, header: '', purpose: '' },
});
const post = (create_at: number, more: object = {}) => ({
  type: 'post',
  post: {
    team: 'crew',
    channel: 'deck',
    user: 'ada',
    type: '',
    message: `post ${create_at}`,
    props: {},
    create_at,
    edit_at: 0,
    reactions: [],
    replies: [],
    ...more,
  },
});

/** An export with what the server writes: the lines in its order, and the folder `data`. */
const LINES = [
  VERSION,
  { type: 'team', team: { name: 'crew', display_name: 'Crew', type: 'I', allow_open_invite: false } },
  channel('deck', 'O'),
  channel('cabin', 'P'),
  user('ada', { first_name: 'Ada', last_name: 'Lovelace', profile_image: 'profile_images/ada.png' }),
  user('bob', { nickname: 'Bobby', delete_at: 1700000000001 }),
  { type: 'bot', bot: { username: 'helper', owner: 'ada', display_name: 'The helper', description: '' } },
  post(1700000000000, {
    message: 'first\nsecond line',
    edit_at: 1700000005000,
    is_pinned: true,
    reactions: [{ user: 'bob', create_at: 1700000001000, emoji_name: 'tada' }],
    attachments: [{ path: '20240101/teams/noteam/channels/c/users/u/f1/chart.txt' }],
    replies: [
      { user: 'bob', type: '', message: 'an answer', create_at: 1700000002000, edit_at: 0 },
      {
        user: 'helper',
        type: '',
        message: 'by a bot',
        create_at: 1700000003000,
        edit_at: 0,
        props: { from_bot: 'true' },
        attachments: [{ path: 'f2/absent.bin' }],
      },
    ],
  }),
  post(1700000010000, {
    user: 'carol',
    channel: 'cabin',
    message: 'in private, by somebody who is not listed',
  }),
  post(1700000020000, {
    type: 'system_join_channel',
    message: 'ada joined the channel.',
    props: { username: 'ada' },
  }),
  post(1700000030000, {
    message: 'see https://chat.example.org/hooks/abcdefghijklmnopqrstuvwxyz',
    props: {
      from_webhook: 'true',
      override_username: 'build',
      attachments: [
        {
          text: 'the card',
          actions: [{ name: 'ok', integration: { url: 'https://x/?s=1', context: { k: 'hidden-context' } } }],
        },
      ],
      token: 'a-props-token',
    },
  }),
  { type: 'emoji', emoji: { name: 'ship', image: 'exported_emoji/e1/image' } },
  { type: 'direct_channel', direct_channel: { members: ['ada', 'bob'], favorited_by: [], header: '' } },
  {
    type: 'direct_post',
    direct_post: {
      channel_members: ['bob', 'ada'],
      user: 'bob',
      type: '',
      message: 'only for you, https://chat.example.org/signup_user_complete/?id=inviteid123456',
      props: {},
      create_at: 1700000040000,
      edit_at: 0,
      flagged_by: [],
      reactions: [],
      replies: [{ user: 'ada', type: '', message: 'thanks', create_at: 1700000041000, edit_at: 0 }],
      attachments: [],
    },
  },
];
const jsonl = (lines: readonly unknown[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const DATA: Files = {
  'data/20240101/teams/noteam/channels/c/users/u/f1/chart.txt': 'the chart',
  'data/exported_emoji/e1/image': 'an image',
  'data/profile_images/ada.png': 'a picture',
  'data/left/over.txt': 'nobody names it',
};
const EXPORT: Files = { 'import.jsonl': jsonl(LINES), ...DATA };

/** Lists the posts of an export without any code of arx: in the order of the lines, replies after their posts. */
const ORACLE = String.raw`
import hashlib, json, os, re, sys
root = sys.argv[1]
names, public, out = {}, set(), []
def clean(text):
    text = re.sub(r'(/hooks/)[a-z0-9]{20,}', r'\1[token]', text)
    return re.sub(r'(/signup_user_complete/\?)\S+', r'\1[token]', text)
def add(post, answers, tier):
    props = post.get('props') or {}
    who = props.get('override_username') if props.get('from_webhook') == 'true' else None
    files = []
    for file in post.get('attachments') or []:
        path = os.path.join(root, 'data', file['path'])
        held = os.path.exists(path)
        files.append([os.path.basename(path), hashlib.sha256(open(path, 'rb').read()).hexdigest() if held else None])
    who = who or names.get(post['user'], post['user'])
    out.append({'date': post['create_at'], 'sender': who, 'text': clean(post['message']), 'answers': answers, 'tier': tier, 'files': files})
    return '%d %s' % (post['create_at'], who)
for line in open(os.path.join(root, 'import.jsonl'), encoding='utf-8'):
    entry = json.loads(line)
    kind = entry['type']
    if kind == 'channel' and entry['channel']['type'] == 'O': public.add((entry['channel']['team'], entry['channel']['name']))
    if kind in ('user', 'bot'):
        u = entry[kind]
        full = ' '.join(x for x in (u.get('first_name'), u.get('last_name')) if x)
        names[u['username']] = u.get('nickname') or full or u.get('display_name') or u['username']
    if kind in ('post', 'direct_post'):
        post = entry[kind]
        tier = 'external' if (post.get('team'), post.get('channel')) in public else 'internal'
        first = add(post, None, tier)
        for reply in post.get('replies') or []: add(reply, first, tier)
print(json.dumps(out))
`;
const noPython = !isInstalled('python3');

async function itemsOf(path: string): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  for await (const item of readMattermost(path, { originCity: null, tier: 'external', signal }))
    items.push(item);
  return items;
}

describe('an export', () => {
  test.skipIf(noPython)('holds what Python finds in it, as a folder and as a zip', async () => {
    const root = unpacked(EXPORT);
    const expected = pythonList(ORACLE, root);
    expect(expected).toHaveLength(8);
    for (const path of [
      root,
      written('a.zip', zipOf(EXPORT)),
      written('b.zip', zipOf(inFolder('bulk', EXPORT))),
    ]) {
      await imported(path, async (archive, report) => {
        expect(await listed(archive, 'message')).toEqual(expected);
        expect(report.sources[0]).toMatchObject({
          kind: 'mattermost',
          messages: { read: 8, stored: 8, known: 0, refused: 0 },
          files: { seen: 5, read: 2, known: 0, refused: 0, skipped: 3 },
        });
        expect(
          report.skipped.map(({ path: at, reason }) => `${at.split('/').at(-1)} ${reason}`).toSorted(),
        ).toEqual([
          'ada.png is the picture of a user',
          'image is the picture of an emoji',
          'over.txt is a file that no post names',
        ]);
      });
    }
  });

  test('alone, without its files', async () => {
    await imported(written('import.jsonl', jsonl(LINES)), async (archive, report) => {
      expect(report.sources[0]).toMatchObject({
        kind: 'mattermost',
        messages: { stored: 8 },
        files: { seen: 1, read: 1 },
      });
      const files = await archive.database.all(
        'SELECT filename, stored, absence FROM attachments ORDER BY n',
      );
      expect(files).toEqual([
        { filename: 'chart.txt', stored: 0, absence: 'is not in the export' },
        { filename: 'absent.bin', stored: 0, absence: 'is not in the export' },
      ]);
    });
  });

  test('is one conversation for each thread', async () => {
    await imported(unpacked(EXPORT), async ({ database }) => {
      const rows = await database.all('SELECT n, subject, message_count FROM conversations ORDER BY n');
      expect(rows).toEqual([
        { n: 1, subject: 'first', message_count: 3 },
        { n: 4, subject: 'in private, by somebody who is not listed', message_count: 1 },
        { n: 5, subject: 'ada joined the channel.', message_count: 1 },
        { n: 6, subject: expect.stringContaining('see https'), message_count: 1 },
        { n: 7, subject: expect.stringContaining('only for you'), message_count: 2 },
      ]);
      const kinds = await database.all('SELECT classification FROM messages ORDER BY n');
      expect(kinds.map(({ classification }) => classification)).toEqual(
        'seed_token reply automatic seed_token automatic automatic seed_token reply'.split(' '),
      );
    });
  });

  test('is known when it is imported again, and its files may come later', async () => {
    const [alone, whole] = [written('import.jsonl', jsonl(LINES)), unpacked(EXPORT)];
    const archive = await newArchive();
    await importPaths(archive, [alone], { signal });
    const later = await importPaths(archive, [whole], { signal });
    expect(later.sources[0]).toMatchObject({
      messages: { read: 8, stored: 0, known: 8 },
      attachments: { stored: 1, known: 1 },
    });
    const before = await contentOf(archive);
    await importPaths(archive, [whole], { signal });
    expect(await contentOf(archive)).toEqual(before);
    await archive.close();
  });

  test('leaves credentials out: of users all, of posts what lets somebody in', async () => {
    await imported(unpacked(EXPORT), async (archive) => {
      const text = await storedText(archive);
      for (const secret of [
        'uid-secret-4711',
        'hash-of-a-password',
        'a-props-token',
        'hidden-context',
        'abcdefghijklmnopqrstuvwxyz',
        'inviteid123456',
        '@example.org"',
      ])
        expect(text).not.toContain(secret);
      expect(text).toContain('https://chat.example.org/hooks/[token]');
      expect(text).toContain('"emoji_name":"tada"');
    });
  });

  test('is shown with the words of integrations', async () => {
    const items = await itemsOf(unpacked(EXPORT));
    const message = items.find((item) => item.kind === 'message' && item.sender === 'build');
    if (message?.kind !== 'message') throw new Error('not read');
    expect((await readMessageText('mattermost', message.raw)).text).toBe(
      'see https://chat.example.org/hooks/[token]\nthe card',
    );
  });
});

function inFolder(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
}

describe('what is not right', () => {
  test('is refused or skipped, with its line', async () => {
    const lines = [
      JSON.stringify(VERSION),
      JSON.stringify(channel('deck', 'O')),
      'not json',
      '[1]',
      '',
      JSON.stringify({ type: 'wiki', wiki: { title: 'x' } }),
      JSON.stringify({ type: 'post' }),
      JSON.stringify(post(1, { user: null })),
      JSON.stringify(post(-1, { replies: [{ user: 'a', message: 'x', create_at: 2 }] })),
      JSON.stringify({
        type: 'direct_post',
        direct_post: { user: 'a', create_at: 3, message: 'x', channel_members: [] },
      }),
      JSON.stringify(
        post(4, {
          replies: [7, { user: 'bob', message: 'no time' }, { user: 'bob', message: 'good', create_at: 5 }],
        }),
      ),
      `{"type":"post","post":{"team":"crew","channel":"deck","user":"ada","create_at":6,"message":"\\ud800","props":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
    ];
    const items = await itemsOf(written('import.jsonl', lines.join('\n')));
    expect(
      items.map((item) => {
        if (item.kind === 'refused') return [item.position, item.reason];
        if (item.kind === 'skipped') return [item.position, item.bytes, item.reason];
        return item.kind === 'message' ? [item.position, item.date_ms, item.parent !== null] : item.kind;
      }),
    ).toEqual([
      'opened',
      [3, 'is not valid JSON'],
      [4, 'is not an object'],
      [
        lines.slice(0, 5).join('\n').length + 1,
        lines[5]!.length,
        'is a line of the type "wiki", which holds no message that is read',
      ],
      [7, 'is not a post'],
      [8, 'has no user'],
      [9, 'has no create_at that is a time'],
      [9, 'answers a post that is refused'],
      [10, 'has no channel'],
      [11, 4, false],
      [11, 'reply: is not a reply'],
      [11, 'reply: has no create_at that is a time'],
      [11, 5, true],
      [12, 'is nested too deep'],
    ]);
  });

  test('damage in a zip is said, after what was read', async () => {
    const path = written('a.zip', zipOf({ 'import.jsonl': jsonl(LINES) }, { brokenChecksum: true }));
    const items = await itemsOf(path);
    expect(items.filter(({ kind }) => kind === 'message')).toHaveLength(8);
    expect(items.filter((item) => item.kind === 'refused').map(({ reason }) => reason)).toEqual([
      `is damaged (checksum differs); what follows line ${LINES.length} is not read`,
    ]);
  });

  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('ada', 'deck', 1700000000000, null));
  const entry = fc.record(
    {
      type: fc.constantFrom('post', 'direct_post', 'user', 'channel', 'bot', 'emoji', 'x'),
      post: fc.oneof(
        value,
        fc.record(
          {
            team: value,
            channel: value,
            user: value,
            create_at: value,
            message: value,
            props: value,
            replies: value,
            attachments: value,
          },
          { requiredKeys: [] },
        ),
      ),
      direct_post: fc.oneof(
        value,
        fc.record(
          { channel_members: value, participants: value, user: value, create_at: value, replies: value },
          { requiredKeys: [] },
        ),
      ),
      user: value,
      channel: value,
      bot: value,
      emoji: value,
    },
    { requiredKeys: [] },
  );
  property.prop([fc.array(fc.oneof(entry, fc.jsonValue()), { maxLength: 12 })])(
    'is never thrown, and the same the second time',
    async (entries) => {
      const root = await sourceFolder({ 'import.jsonl': jsonl([VERSION, ...entries]) });
      const archive = await newArchive();
      const first = await importPaths(archive, [root], { signal });
      const { read, stored, known, refused } = first.sources[0]!.messages;
      expect(read).toBe(stored + known + refused);
      const again = await importPaths(archive, [root], { signal });
      expect(again.sources[0]?.messages).toMatchObject({ read, stored: 0, refused });
      await archive.close();
    },
  );
});

test('a folder with other files is no export, but a named one', async () => {
  const root = unpacked({ ...EXPORT, 'notes.txt': 'mine' });
  await imported(root, async (_, report) => {
    expect(report.sources[0]?.kind).toBe('folder');
    expect(report.notices[0]?.notice).toContain('looks like an export of Mattermost');
    expect(report.notices[0]?.notice).toContain('import it by itself');
  });
  mkdirSync(dirname(join(root, 'x')), { recursive: true });
  writeFileSync(join(root, 'inside.zip'), zipOf(EXPORT));
  const archive = await newArchive();
  const named = await importPaths(archive, [root], { signal, kind: 'mattermost' });
  expect(named.sources[0]).toMatchObject({ kind: 'mattermost', messages: { stored: 8 } });
  const folder = await importPaths(archive, [root], { signal, kind: 'folder' });
  expect(folder.notices.map(({ path }) => path.split('/').at(-1))).toEqual(['import.jsonl', 'inside.zip']);
  await archive.close();
});

test('from the command line: imported, read, checked', async () => {
  const dir = tempFolder('chat-cli');
  writeFileSync(join(dir, 'export.zip'), zipOf(EXPORT));
  const ran = await arx(dir, 'import export.zip -o table');
  expect([ran.exit, ran.stderr]).toEqual([0, '']);
  expect(ran.stdout).toContain('mattermost');
  expect((await arx(dir, 'content get msg_2 -o table')).stdout).toMatch(/from +Bobby[^]*an answer/);
  expect((await arx(dir, 'content get msg_3 -o table')).stdout).toMatch(
    /att_2 +absent +is not in the export/,
  );
  expect((await arx(dir, 'fsck')).exit).toBe(0);
});
