// Reading Zulip exports: against what Python finds in the same export, in a folder, zip and tar, and bad entries.
import { fc, test as property } from '@fast-check/vitest';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importPaths } from '../../../support/import-paths.ts';
import { readZulip } from '../../../../src/service/import/zulip/export.ts';
import { readMessageText } from '../../../../src/service/mail/message-text.ts';
import type { SourceItem } from '../../../../src/service/records/import-items.ts';
import { arx } from '../../../support/command.ts';
import { isInstalled } from '../../../support/installed.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { zipOf } from '../../../support/zip.ts';
import {
  imported,
  listed,
  pythonList,
  storedText,
  tarOf,
  unpacked,
  written,
  type Files,
} from '../chat-exports.ts';
import { contentOf, newArchive, signal, sourceFolder } from '../sources.ts';

const profile = (id: number, full_name: string, more: object = {}) => ({
  id,
  full_name,
  email: `user${id}@zulip.example`,
  delivery_email: `secret${id}@example.org`,
  api_key: `ApiKeyOfUser${id}`,
  password: 'pbkdf2_sha256$hash',
  timezone: 'Asia/Tokyo',
  is_bot: false,
  ...more,
});
const REALM = {
  zerver_realm: [{ id: 2, string_id: 'crew', name: 'Crew', date_created: 1600000000.5 }],
  zerver_userprofile: [
    profile(10, 'Ada Lovelace'),
    profile(11, 'Bob'),
    profile(12, 'Helper', { is_bot: true }),
  ],
  zerver_userprofile_mirrordummy: [profile(13, 'Gone')],
  zerver_userprofile_crossrealm: [{ id: 3, email: 'notification-bot@zulip.com' }],
  zerver_stream: [
    { id: 5, name: 'deck', invite_only: false, email_token: 'mail-token-of-deck' },
    { id: 6, name: 'cabin', invite_only: true, email_token: 'mail-token-of-cabin' },
  ],
  zerver_recipient: [
    { id: 100, type: 2, type_id: 5 },
    { id: 101, type: 2, type_id: 6 },
    { id: 102, type: 1, type_id: 10 },
    { id: 103, type: 1, type_id: 11 },
    { id: 104, type: 3, type_id: 1 },
  ],
  zerver_huddle: [{ id: 1, huddle_hash: 'x' }],
  zerver_subscription: [10, 11, 13].map((user_profile, id) => ({
    id,
    user_profile,
    recipient: 104,
    active: true,
  })),
  zerver_reaction: [
    {
      id: 1,
      user_profile: 11,
      message: 1,
      emoji_name: 'octopus',
      emoji_code: '1f419',
      reaction_type: 'unicode_emoji',
    },
  ],
};
const message = (
  id: number,
  recipient: number,
  sender: number,
  subject: string,
  content: string,
  more: object = {},
) => ({
  id,
  sender,
  recipient,
  realm: 2,
  subject,
  content,
  rendered_content: `<p>${id}</p>`,
  rendered_content_version: 1,
  date_sent: 1700000000 + id / 4,
  sending_client: 1,
  last_edit_time: null,
  edit_history: null,
  has_attachment: false,
  has_image: false,
  has_link: false,
  ...more,
});
const quote = (id: number) =>
  `@_**Ada Lovelace|10** [said](https://crew.zulip.example/#narrow/stream/5-deck/topic/Course/near/${id}):\n\`\`\`quote\nx\n\`\`\`\nyes`;
const FIRST = [
  message(1, 100, 10, 'Course', 'See [chart.txt](/user_uploads/2/ab/XyZ/chart.txt)', {
    has_attachment: true,
    last_edit_time: 1700000100,
    edit_history: '[{"prev_content":"before","user_id":10,"timestamp":1700000100}]',
  }),
  message(2, 100, 11, 'course', quote(1)),
  message(3, 101, 13, 'Secrets', `${quote(1)} https://crew.zulip.example/join/abcdefghijklmnopqrstuvwx/`),
  message(4, 100, 3, 'Course', 'by a bot of the server'),
];
const SECOND = [
  message(5, 103, 10, '', 'only for Bob\nmore'),
  message(6, 102, 11, '', 'only for Ada'),
  message(7, 104, 10, '', 'for the three of us [gone.png](/user_uploads/2/cd/AbC/gone.png)'),
  message(8, 100, 12, 'Builds', quote(99)),
  message(9, 999, 11, 'Lost', 'to a recipient that no list has'),
];
const CHART = 'the chart';
const EXPORT: Files = {
  'realm.json': JSON.stringify(REALM, null, 2),
  'messages-000001.json': JSON.stringify({
    zerver_message: FIRST,
    zerver_usermessage: [{ id: 1, user_profile: 10, message: 1, flags_mask: 1 }],
  }),
  'messages-000002.json': JSON.stringify({ zerver_message: SECOND, zerver_usermessage: [] }),
  'attachment.json': JSON.stringify({
    zerver_attachment: [
      {
        id: 1,
        file_name: 'chart of the sea.txt',
        path_id: '2/ab/XyZ/chart.txt',
        size: CHART.length,
        owner: 10,
        messages: [1],
        create_time: 1700000000,
      },
    ],
  }),
  'uploads/records.json': JSON.stringify([
    {
      path: '2/ab/XyZ/chart.txt',
      s3_path: '2/ab/XyZ/chart.txt',
      content_type: 'text/plain',
      size: CHART.length,
      user_profile_id: 10,
      realm_id: 2,
    },
  ]),
  'uploads/2/ab/XyZ/chart.txt': CHART,
  'uploads/2/ab/XyZ/unused.txt': 'x',
  'avatars/records.json': '[]',
  'avatars/2/abc.original': 'x',
  'emoji/records.json': '[]',
  'analytics.json': '{}',
};

/** Lists the messages of an export without any code of arx. */
const ORACLE = String.raw`
import glob, hashlib, json, math, os, re, sys
root = sys.argv[1]
load = lambda name: json.load(open(os.path.join(root, name), encoding='utf-8'))
realm = load('realm.json')
names = {}
for table in ('zerver_userprofile', 'zerver_userprofile_mirrordummy', 'zerver_userprofile_crossrealm'):
    for user in realm[table]: names[user['id']] = user.get('full_name') or user['email']
public = {s['id'] for s in realm['zerver_stream'] if not s['invite_only']}
recipients = {r['id']: r for r in realm['zerver_recipient']}
attached = {}
for a in load('attachment.json')['zerver_attachment']:
    for m in a['messages']: attached.setdefault(m, []).append((a['path_id'], a['file_name']))
def place(m):
    r = recipients.get(m['recipient'])
    if r is None: return ('?', m['recipient'], m['subject'])
    if r['type'] == 2: return ('channel', r['type_id'], m['subject'].lower())
    if r['type'] == 1: return ('direct', tuple(sorted({r['type_id'], m['sender']})))
    return ('group', r['id'])
out, seen = [], {}
for path in sorted(glob.glob(os.path.join(root, 'messages-*.json'))):
    for m in json.load(open(path, encoding='utf-8'))['zerver_message']:
        seen[m['id']] = m
        quoted = re.search(r'\[said\]\(\S*/near/(\d+)\)', m['content'])
        answered = seen.get(int(quoted.group(1))) if quoted else None
        if answered is not None and place(answered) != place(m): answered = None
        files = list(attached.get(m['id'], []))
        for link in re.findall(r'\(/user_uploads/([^)]+)\)', m['content']):
            if link not in [f[0] for f in files]: files.append((link, link.split('/')[-1]))
        held = lambda p: os.path.join(root, 'uploads', p)
        digest = lambda p: hashlib.sha256(open(held(p), 'rb').read()).hexdigest() if os.path.exists(held(p)) else None
        r = recipients.get(m['recipient'])
        when = lambda x: math.floor(x['date_sent'] * 1000)
        out.append({'date': when(m), 'sender': names[m['sender']],
            'text': re.sub(r'(/join/)[a-z0-9]{16,}', r'\1[token]', m['content']),
            'answers': None if answered is None else '%d %s' % (when(answered), names[answered['sender']]),
            'tier': 'external' if r and r['type'] == 2 and r['type_id'] in public else 'internal',
            'files': [[name, digest(p)] for p, name in files]})
print(json.dumps(out))
`;
const noPython = !isInstalled('python3');

async function itemsOf(path: string): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  for await (const item of readZulip(path, { originCity: null, tier: 'external', signal })) items.push(item);
  return items;
}

describe('an export', () => {
  test.skipIf(noPython)('holds what Python finds in it, as a folder, zip, tar and tar.gz', async () => {
    const root = unpacked(EXPORT);
    const expected = pythonList(ORACLE, root);
    expect(expected).toHaveLength(9);
    const top = `zulip-export-${'long-name-'.repeat(12)}`;
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('arx-untar-'));
    for (const path of [
      root,
      written('a.zip', zipOf(EXPORT)),
      tarOf(root, 'GNU_FORMAT', 'w:gz', top),
      tarOf(root, 'PAX_FORMAT', 'w:gz', top),
      tarOf(root, 'USTAR_FORMAT', 'w', './zulip-export-x'),
    ]) {
      await imported(path, async (archive, report) => {
        expect(await listed(archive, 'content')).toEqual(expected);
        expect(report.sources[0]).toMatchObject({
          kind: 'zulip',
          messages: { read: 9, stored: 9, known: 0, refused: 0 },
          attachments: { stored: 2, known: 0 },
          files: { seen: 11, read: 6, known: 0, refused: 0, skipped: 5 },
        });
      });
    }
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('arx-untar-'))).toEqual(before);
  });

  test('is one conversation for each topic and each group of people', async () => {
    await imported(unpacked(EXPORT), async ({ database }) => {
      const rows = await database.all('SELECT n, subject, message_count FROM conversations ORDER BY n');
      expect(rows).toEqual([
        { n: 1, subject: 'Course', message_count: 3 },
        { n: 3, subject: 'Secrets', message_count: 1 },
        { n: 5, subject: 'only for Bob', message_count: 2 },
        { n: 7, subject: expect.stringContaining('for the three of us'), message_count: 1 },
        { n: 8, subject: 'Builds', message_count: 1 },
        { n: 9, subject: 'Lost', message_count: 1 },
      ]);
      const files = await database.all(
        'SELECT filename, declared_type, origin_city, absence FROM attachments ORDER BY n',
      );
      expect(files).toEqual([
        {
          filename: 'chart of the sea.txt',
          declared_type: 'text/plain',
          origin_city: 'tokyo',
          absence: null,
        },
        {
          filename: 'gone.png',
          declared_type: 'application/octet-stream',
          origin_city: 'tokyo',
          absence: 'is not in the export',
        },
      ]);
    });
  });

  test('is known when it is imported again', async () => {
    const root = unpacked(EXPORT);
    const archive = await newArchive();
    await importPaths(archive, [root], { signal });
    const before = await contentOf(archive);
    const again = await importPaths(archive, [root], { signal });
    expect(again.sources[0]?.messages).toEqual({ read: 9, stored: 0, known: 9, refused: 0 });
    expect(await contentOf(archive)).toEqual(before);
    await archive.close();
  });

  test('leaves credentials out, and keeps reactions and edits', async () => {
    await imported(unpacked(EXPORT), async (archive) => {
      const text = await storedText(archive);
      for (const secret of [
        'ApiKeyOfUser',
        'pbkdf2',
        '@example.org',
        'mail-token',
        'abcdefghijklmnopqrstuvwx',
      ])
        expect(text).not.toContain(secret);
      expect(text).toContain('"reactions":[{"emoji_name":"octopus","user":11}]');
      expect(text).toContain('prev_content');
    });
  });

  test('names the files that it does not read', async () => {
    const items = await itemsOf(unpacked(EXPORT));
    expect(items.flatMap((item) => (item.kind === 'skipped' ? [item.reason] : []))).toEqual([
      'is no list of users, channels, files or messages',
      'is a picture of a user',
      'is a picture of a user',
      'is a picture of an emoji',
      'is an upload that no message shows',
    ]);
    const first = items.find((item) => item.kind === 'message');
    expect((await readMessageText('zulip', first!.raw)).text).toContain('See [chart.txt]');
  });

  test('inside an imported folder is named, as a folder and as a tar.gz', async () => {
    const root = unpacked(inFolder('old', EXPORT));
    writeFileSync(join(root, 'other.zip'), zipOf(inFolder('deeper/still', EXPORT)));
    await imported(root, async (_, { sources, notices }) => {
      expect(sources[0]?.kind).toBe('folder');
      expect(
        notices.map(({ path, notice }) => [path.split('/').at(-1), notice.includes('export of Zulip')]),
      ).toEqual([
        ['messages-000001.json', true],
        ['messages-000002.json', true],
        ['realm.json', true],
        ['other.zip', true],
      ]);
    });
  });
});

function inFolder(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
}

const withMessages = (...zerver_message: unknown[]) => ({
  'realm.json': JSON.stringify(REALM),
  'messages-000001.json': JSON.stringify({ zerver_message }),
});

describe('what is not right', () => {
  test('is refused, with its place', async () => {
    const deep = `{"id":21,"content":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const root = unpacked({
      ...withMessages(),
      'messages-000001.json': `{"zerver_message":[1,{"id":"x"},${JSON.stringify(FIRST[0])},${JSON.stringify(FIRST[0])},${deep},{"id":22}]}`,
      'messages-000002.json': '{}',
      'messages-000003.json': 'no json',
      'attachment.json': '[',
    });
    symlinkSync('/etc/hostname', join(root, 'link'));
    const items = await itemsOf(root);
    expect(
      items.flatMap((item) =>
        item.kind === 'refused' ? [[item.path.slice(root.length + 1), item.position, item.reason]] : [],
      ),
    ).toEqual([
      ['attachment.json', 0, 'is not valid JSON'],
      ['messages-000001.json', 0, 'is not an object'],
      ['messages-000001.json', 1, 'has no id'],
      ['messages-000001.json', 3, 'has the id of another message'],
      ['messages-000001.json', 4, 'is nested too deep'],
      ['messages-000002.json', 0, 'has no list of messages'],
      ['messages-000003.json', 0, 'is not valid JSON'],
      ['link', 0, 'is a link'],
    ]);
    const bare = items.findLast((item) => item.kind === 'message');
    expect(bare).toMatchObject({ date_ms: null, sender: null, subject: null, tier: 'internal' });
  });

  test('without the lists, messages are private and senders have numbers', async () => {
    const items = await itemsOf(unpacked({ ...EXPORT, 'realm.json': 'damaged' }));
    const messages = items.filter((item) => item.kind === 'message');
    expect(messages).toHaveLength(9);
    expect(new Set(messages.map(({ tier }) => tier))).toEqual(new Set(['internal']));
    expect(messages[0]?.sender).toBe('user 10');
  });

  test.skipIf(noPython)('damaged tars are refused, not read in part', async () => {
    const whole = tarOf(unpacked(EXPORT), 'GNU_FORMAT', 'w:gz', 'x');
    const cut = written(
      'cut.tar.gz',
      new Uint8Array((await import('node:fs')).readFileSync(whole)).slice(0, -40),
    );
    const items = await itemsOf(cut);
    expect(items).toEqual([
      expect.objectContaining({ kind: 'refused', reason: 'is damaged (cannot be unpacked)' }),
    ]);
  });

  const value = fc.oneof(fc.jsonValue(), fc.constantFrom(1, 10, 100, 'Course', null, quote(1)));
  const entry = fc.record(
    {
      id: fc.oneof(value, fc.nat(20)),
      sender: value,
      recipient: value,
      subject: value,
      content: value,
      date_sent: value,
    },
    { requiredKeys: [] },
  );
  const table = fc.oneof(
    value,
    fc.array(
      fc.record(
        {
          id: value,
          type: value,
          type_id: value,
          name: value,
          full_name: value,
          message: value,
          messages: value,
          path_id: value,
        },
        { requiredKeys: [] },
      ),
    ),
  );
  property.prop([fc.array(fc.oneof(entry, value), { maxLength: 12 }), table, table, table])(
    'is never thrown, and the same the second time',
    async (entries, users, recipients, attachments) => {
      const root = await sourceFolder({
        'realm.json': JSON.stringify({
          zerver_userprofile: users,
          zerver_recipient: recipients,
          zerver_stream: users,
          zerver_reaction: attachments,
        }),
        'attachment.json': JSON.stringify({ zerver_attachment: attachments }),
        'messages-000001.json': JSON.stringify({ zerver_message: entries }),
      });
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

test('from the command line: imported, read, checked', async () => {
  const dir = tempFolder('chat-cli');
  writeFileSync(join(dir, 'export.zip'), zipOf(EXPORT));
  const ran = await arx(dir, 'import export.zip -o table');
  expect([ran.exit, ran.stderr]).toEqual([0, '']);
  expect(ran.stdout).toContain('zulip');
  expect((await arx(dir, 'content get msg_2 -o table')).stdout).toMatch(/parent id +msg_1[^]*from +Bob/);
  expect((await arx(dir, 'attachments pull --all --to files')).exit).toBe(3);
  expect((await arx(dir, 'fsck')).exit).toBe(0);
});
