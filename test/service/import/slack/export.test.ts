// Reading Slack exports: messages, threads, files, refused entries.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Tier } from '../../../../src/contract/tier.ts';
import type {
  ImportedMessage,
  RefusedItem,
  SourceItem,
} from '../../../../src/service/records/import-items.ts';
import { jpegWithPosition, pngStarChart } from '../../../../src/service/sample/files.ts';
import { slackContent } from '../../../../src/service/import/slack/detect.ts';
import { readSlack } from '../../../../src/service/import/slack/export.ts';
import { type ZipOptions, zipOf } from '../../../support/zip.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { sha256Of } from '../../../support/digest.ts';

const dir = tempFolder('slack');

const signal = new AbortController().signal;
let made = 0;

type Content = string | Uint8Array | object;
const bytesOf = (content: Content) =>
  typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content);

function zipped(files: Record<string, Content>, options?: ZipOptions): string {
  const path = join(dir, `${(made += 1)}.zip`);
  const entries = Object.entries(files).map(([name, content]): [string, string | Uint8Array] => [
    name,
    bytesOf(content),
  ]);
  writeFileSync(path, zipOf(entries, options));
  return path;
}

function unpacked(files: Record<string, Content>): string {
  const root = join(dir, String((made += 1)));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), bytesOf(content));
  }
  return root;
}

async function read(
  path: string,
  companions: string[] = [],
  originCity: string | null = null,
  tier: Tier = 'internal',
) {
  const items: SourceItem[] = [];
  for await (const item of readSlack(path, { originCity, tier, signal, companions })) items.push(item);
  return {
    messages: items.filter((item): item is ImportedMessage => item.kind === 'message'),
    refusedItems: items.filter((item): item is RefusedItem => item.kind === 'refused'),
  };
}

const USERS = [
  { id: 'U1', name: 'ines', tz: 'Europe/Lisbon', profile: { display_name: 'Inês', real_name: 'Inês C' } },
  { id: 'U2', name: 'mori', tz: 'Asia/Tokyo', profile: { display_name: '', real_name: 'Haruka Mori' } },
];
const CHANNELS = [{ id: 'C1', name: 'general' }];
const say = (ts: string, more: object = {}) => ({ type: 'message', user: 'U1', text: 'hello', ts, ...more });
const exportOf = (day: Content, more: Record<string, Content> = {}) => ({
  'users.json': USERS,
  'channels.json': CHANNELS,
  'general/2024-01-02.json': day,
  ...more,
});

describe('a message', () => {
  test('has its key, its thread, its sender and its text', async () => {
    const root = say('1704200000.000100', {
      thread_ts: '1704200000.000100',
      text: 'see <https://a.example|the page>, <@U2> &amp; all\nmore',
    });
    const answer = say('1704200060.000200', { user: 'U2', thread_ts: '1704200000.000100' });
    const { messages, refusedItems } = await read(zipped(exportOf([root, answer, say('1704200070.5')])));
    expect(refusedItems).toEqual([]);
    expect(messages.map(({ key, related, parent }) => ({ key, related, parent }))).toEqual([
      { key: 'slack:C1:1704200000.000100', related: [], parent: null },
      {
        key: 'slack:C1:1704200060.000200',
        related: ['slack:C1:1704200000.000100'],
        parent: 'slack:C1:1704200000.000100',
      },
      { key: 'slack:C1:1704200070.5', related: [], parent: null },
    ]);
    expect(messages[0]).toMatchObject({
      format: 'slack',
      sender: 'Inês',
      channel: 'general',
      subject: 'see the page, @Haruka Mori & all',
      date_ms: 1_704_200_000_000,
      source: 'external',
      tier: 'internal',
      nature: 'ordinary',
      decodable: true,
    });
    expect(messages[1]?.sender).toBe('Haruka Mori');
  });

  test('has the names of users and public channels that its text shows by ids alone', async () => {
    const text = 'for <@U2> <@U2|mori> <@U9> in <#C1|> <#C7|> <#C1|general> &lt;@U1&gt;';
    const { messages } = await read(
      zipped(
        exportOf([say('1.1', { text }), say('2.2', { attachments: [{ text: '<@U1>' }] }), say('3.3')], {
          'groups.json': [{ id: 'C7', name: 'secret' }],
        }),
      ),
    );
    expect(messages.map(({ mentions }) => [...(mentions ?? [])])).toEqual([
      [
        ['U2', 'Haruka Mori'],
        ['C1', 'general'],
      ],
      [['U1', 'Inês']],
      [],
    ]);
    expect(messages[0]?.subject).toBe('for @Haruka Mori @mori @U9 in #general #C7 #general <@U1>');
  });

  test('keeps the message as exported in canonical JSON', async () => {
    const { messages } = await read(
      zipped(exportOf([{ ts: '1.1', text: 'ü', b: [1, null], a: { d: 1, c: true } }])),
    );
    const raw = Buffer.from(messages[0]?.raw ?? []).toString();
    expect(raw).toBe(
      '{"channel":{"id":"C1","name":"general"},"message":{"a":{"c":true,"d":1},"b":[1,null],"text":"ü","ts":"1.1"}}',
    );
    expect(messages[0]?.sha256).toBe(sha256Of(raw));
  });

  test.each<[string, object, string]>([
    ['a person', {}, 'ordinary'],
    ['a broadcast answer', { subtype: 'thread_broadcast' }, 'ordinary'],
    ['an app', { subtype: 'bot_message', bot_id: 'B1' }, 'automatic'],
    ['an app under a user id', { bot_id: 'B1' }, 'automatic'],
    ['Slack itself', { subtype: 'channel_join' }, 'automatic'],
  ])('of %s', async (_, more, nature) => {
    const { messages } = await read(zipped(exportOf([say('1.1', more)])));
    expect(messages[0]?.nature).toBe(nature);
  });

  test.each<[string, object, string | null]>([
    ['in no list, but named in the message', { user: 'U9', user_profile: { display_name: 'Nine' } }, 'Nine'],
    ['an app', { user: undefined, username: 'weather' }, 'weather'],
    ['unknown', { user: 'U9' }, 'U9'],
    ['nobody', { user: undefined }, null],
    [
      'who commented on a file',
      { user: undefined, subtype: 'file_comment', comment: { id: 'Fc1', user: 'U2', comment: 'x' } },
      'Haruka Mori',
    ],
  ])('sender: %s', async (_, more, sender) => {
    const { messages } = await read(zipped(exportOf([say('1.1', more)])));
    expect(messages[0]?.sender).toBe(sender);
  });

  test.each<[string, string | null]>([
    ['x'.repeat(80), 'x'.repeat(80)],
    ['😀'.repeat(81), `${'😀'.repeat(79)}…`],
    ['\n  \n second', 'second'],
    ['', null],
    ['<!here> <#C1|general> <https://b.example>', '@here #general https://b.example'],
  ])('with the text %j', async (text, subject) => {
    const { messages } = await read(zipped(exportOf([say('1.1', { text })])));
    expect(messages[0]?.subject).toBe(subject);
  });

  test('of an app has the first words of its attachment as its subject', async () => {
    const attachments = [{ fallback: 'Build failed: x', pretext: 'Build 7', title: 'failed' }];
    const { messages } = await read(zipped(exportOf([say('1.1', { text: '', attachments })])));
    expect(messages[0]?.subject).toBe('Build 7');
  });

  test('private channels and folders that no list names are not external, whatever the import says', async () => {
    const path = zipped({
      'users.json': USERS,
      'channels.json': [...CHANNELS, { id: 'C2', name: 'hidden', is_private: true }],
      'groups.json': [{ id: 'G1', name: 'board' }],
      'dms.json': [{ id: 'D1' }],
      ...Object.fromEntries(
        ['general', 'hidden', 'board', 'D1', 'lost'].map((name) => [`${name}/2024-01-02.json`, [say('1.1')]]),
      ),
    });
    const { messages } = await read(path, [], null, 'external');
    expect(Object.fromEntries(messages.map(({ key, tier }) => [key, tier]))).toEqual({
      'slack:C1:1.1': 'external',
      'slack:C2:1.1': 'internal',
      'slack:G1:1.1': 'internal',
      'slack:D1:1.1': 'internal',
      'slack:lost:1.1': 'internal',
    });
  });
});

describe('files', () => {
  const file = (more: object) => ({
    id: 'F1',
    name: 'a.png',
    mimetype: 'image/png',
    mode: 'hosted',
    user: 'U2',
    size: 7,
    ...more,
  });
  const chart = pngStarChart(4, 4, 2, () => 0.5);

  test('and texts lose their credentials in the stored bytes, the subject and the hash of the file', async () => {
    const day = (secret: string) => [
      say('1.1', {
        text: `https://files.slack.com/files-pri/T024BE7LD-F024BERPE/a.png?pub_secret=${secret}`,
        files: [
          file({
            url_private: `https://files.slack.com/files-pri/T024BE7LD-F024BERPE/a.png?t=xoxe-1234-${secret}`,
            permalink_public: `https://slack-files.com/T024BE7LD-F024BERPE-${secret}`,
          }),
        ],
      }),
    ];
    const one = await read(zipped(exportOf(day('8004f909b1'))));
    const raw = Buffer.from(one.messages[0]?.raw ?? []).toString();
    expect(raw).toContain('"url_private":"https://files.slack.com/files-pri/T024BE7LD-F024BERPE/a.png"');
    expect(raw + one.messages[0]?.subject).not.toMatch(/xoxe|8004f909b1/);
    // Each export has another token. So the message of a second one is known.
    const other = await read(zipped(exportOf(day('77aa00cc21'))));
    expect(other.messages[0]?.sha256).toBe(one.messages[0]?.sha256);
    expect(other.messages[0]?.attachments[0]?.sha256).toBe(one.messages[0]?.attachments[0]?.sha256);
  });

  test('have a content type, or none that is believed', async () => {
    const types = ['IMAGE/PNG; q=1', '../K', 'image/*', 'a/b\x1b[2J', 'text/"plain"', 'image', 7];
    const day = types.map((mimetype, at) =>
      say(`${at + 1}.1`, { files: [file({ id: `F${at}`, mimetype })] }),
    );
    const { messages } = await read(zipped(exportOf(day)));
    expect(messages.map(({ attachments }) => attachments[0]?.declared_type)).toEqual([
      'image/png',
      ...types.slice(1).map(() => 'application/octet-stream'),
    ]);
  });

  test('get their bytes from the export or from a companion', async () => {
    const day = [say('1.1', { files: [file({})] })];
    const held = { '__uploads/F1/a.png': chart };
    const inside = await read(zipped(exportOf(day, held)));
    const beside = await read(zipped(exportOf(day)), [unpacked(held)]);
    for (const { messages } of [inside, beside]) {
      expect(messages[0]?.attachments).toEqual([
        {
          filename: 'a.png',
          declared_type: 'image/png',
          detected_type: 'image/png',
          content: expect.anything(),
          sha256: sha256Of(chart),
          bytes: chart.length,
          inline: false,
          origin_city: 'tokyo',
          redaction: null,
          absence: null,
          trailing_bytes: 0,
        },
      ]);
    }
  });

  test('without bytes are absent and have no hash', async () => {
    const { messages } = await read(zipped(exportOf([say('1.1', { files: [file({})] })])));
    const declared = '{"id":"F1","mimetype":"image/png","mode":"hosted","name":"a.png","size":7,"user":"U2"}';
    expect(messages[0]?.attachments[0]).toMatchObject({
      content: null,
      bytes: 7,
      detected_type: null,
      redaction: null,
      absence: 'is not in the export',
      sha256: `absent:${sha256Of(declared)}`,
    });
  });

  test('say why they are absent', async () => {
    const outside = await read(zipped(exportOf([say('1.1', { files: [file({ mode: 'external' })] })])));
    expect(outside.messages[0]?.attachments[0]?.absence).toBe('is kept outside of Slack');
    const day = [say('1.1', { files: [file({})] })];
    const damaged = await read(zipped(exportOf(day)), [
      zipped({ '__uploads/F1/a.png': chart }, { brokenChecksum: true }),
    ]);
    expect(damaged.messages[0]?.attachments[0]).toMatchObject({
      content: null,
      absence: 'could not be read: is damaged (checksum differs)',
    });
  });

  test.each<[object, string | null]>([
    [{ mode: 'hidden_by_limit' }, 'hidden by the limit of the Slack plan'],
    [{ mode: 'tombstone' }, 'deleted in slack'],
    [{ is_tombstoned: true }, 'deleted in slack'],
    [{ file_access: 'file_not_found' }, 'deleted in slack'],
    [{ file_access: 'access_denied' }, 'access denied by slack'],
    [{ mode: 'external' }, null],
  ])('%j', async (more, redaction) => {
    const day = [say('1.1', { files: [file(more)] })];
    const { messages } = await read(zipped(exportOf(day, { '__uploads/F1/a.png': chart })));
    const [attachment] = messages[0]?.attachments ?? [];
    expect(attachment?.redaction).toBe(redaction);
    expect(attachment?.content === null).toBe(redaction !== null);
  });

  test('have the city of the photo, else of the sender’s time zone, else the label', async () => {
    const day = [
      say('1.1', { files: [file({})] }),
      say('1.2', { files: [file({ id: 'F2' })] }),
      say('1.3', { files: [{ id: 'F3', mode: 'tombstone' }] }),
      say('1.4', { user: 'U9', files: [file({ id: 'F4', user: 'U9' })] }),
    ];
    const path = zipped(
      exportOf(day, { '__uploads/F1/a.png': jpegWithPosition(59.9139, 10.7522, () => 0.5) }),
    );
    const cities = async (label: string | null) =>
      (await read(path, [], label)).messages.map(({ attachments }) => attachments[0]?.origin_city);
    expect(await cities('hobart')).toEqual(['oslo', 'tokyo', 'lisbon', 'hobart']);
    expect(await cities(null)).toEqual(['oslo', 'tokyo', 'lisbon', null]);
  });
});

describe('refuses what cannot be read, and reads the rest', () => {
  const good = { 'general/2024-01-03.json': [say('2.1')] };
  const deep = `[{"ts":"1.1","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`;

  test.each<[string, Content, string[]]>([
    ['a day that is no JSON', '[{"ts": "1.1"', ['is not valid JSON']],
    ['a day that is no list', { ts: '1.1' }, ['is not a list']],
    ['a day that is empty', '', ['is not valid JSON']],
    [
      'entries that are no messages',
      [1, null, 'x', [], {}],
      [...Array<string>(4).fill('is not an object'), 'has no ts that is a time'],
    ],
    [
      'a ts that is no time',
      [{ ts: 'yesterday' }, { ts: 17 }, { ts: '1'.repeat(400) }],
      Array<string>(3).fill('has no ts that is a time'),
    ],
    [
      'a ts twice',
      [say('1.1'), say('1.1', { text: 'other' })],
      ['has the ts of another message of this channel and day'],
    ],
    ['an entry nested too deep', deep, ['is nested too deep']],
  ])('%s', async (_, day, reasons) => {
    const { messages, refusedItems } = await read(zipped(exportOf(day, good)));
    expect(refusedItems.map(({ reason }) => reason)).toEqual(reasons);
    expect(messages.at(-1)?.key).toBe('slack:C1:2.1');
  });

  test('without lists, senders have ids for names and messages the tier internal', async () => {
    const day = [say('1.1')];
    const { messages, refusedItems } = await read(
      zipped({ 'channels.json': '{', 'general/2024-01-02.json': day }),
    );
    expect(refusedItems.map(({ path, reason }) => `${path.split('/').at(-1)} ${reason}`)).toEqual([
      'users.json is not there',
      'channels.json is not valid JSON',
    ]);
    expect(messages).toMatchObject([{ sender: 'U1', tier: 'internal', key: 'slack:general:1.1' }]);
  });

  test('a file that is not UTF-8 is read, and its messages are marked', async () => {
    const { messages } = await read(
      zipped(exportOf(Buffer.from('[{"ts":"1.1","text":"caf\xe9"}]', 'latin1'))),
    );
    expect(messages).toMatchObject([{ decodable: false, subject: 'caf\ufffd' }]);
  });

  test.each<[string, ZipOptions, string]>([
    ['a zip entry longer than it declares', { claimedBytes: 10 }, 'is damaged'],
    ['a zip entry that declares a gigabyte', { claimedBytes: 2 ** 30 }, 'is larger than'],
    ['an encrypted zip entry', { encrypted: true }, 'is encrypted'],
    ['a wrong checksum', { brokenChecksum: true }, 'is damaged (checksum differs)'],
  ])('%s', async (_, options, reason) => {
    const { messages, refusedItems } = await read(zipped(exportOf([say('1.1')]), options));
    expect(messages).toEqual([]);
    expect(refusedItems).toHaveLength(3);
    for (const refusedItem of refusedItems) expect(refusedItem.reason).toContain(reason);
  });

  test('a truncated zip and a missing path', async () => {
    const whole = readFileSync(zipped(exportOf([say('1.1')])));
    const cut = join(dir, 'cut.zip');
    writeFileSync(cut, whole.subarray(0, whole.length - 30));
    for (const path of [cut, join(dir, 'nothing.zip')]) {
      const { messages, refusedItems } = await read(path);
      expect(messages).toEqual([]);
      expect(refusedItems).toMatchObject([{ path, position: 0 }]);
      expect(refusedItems[0]?.reason).toMatch(/^is (damaged|not there)/);
    }
  });

  test('zip entries with names outside of the zip are ignored', async () => {
    const { messages, refusedItems } = await read(
      zipped(exportOf([say('1.1')], { '../../evil.json': '[]', '/etc/x': 'x' })),
    );
    expect([messages.length, refusedItems.length]).toEqual([1, 0]);
  });
});

test.skipIf(process.getuid?.() === 0)(
  'refuses a channel without permission and reads the others',
  async () => {
    const folder = unpacked(exportOf([say('1.1')], { 'locked/2024-01-02.json': [say('1.2')] }));
    chmodSync(join(folder, 'locked'), 0);
    const { messages, refusedItems } = await read(folder);
    chmodSync(join(folder, 'locked'), 0o700);
    expect(messages).toHaveLength(1);
    expect(refusedItems).toMatchObject([{ path: join(folder, 'locked'), reason: 'may not be read' }]);
  },
);

test('stops between two days when the signal is aborted', async () => {
  const stop = new AbortController();
  const path = zipped(exportOf([say('1.1')], { 'general/2024-01-03.json': [say('2.1')] }));
  const keys: Array<string | null> = [];
  const run = async () => {
    for await (const item of readSlack(path, { originCity: null, tier: 'internal', signal: stop.signal })) {
      if (item.kind !== 'message') continue;
      keys.push(item.key);
      stop.abort(new Error('stopped'));
    }
  };
  await expect(run()).rejects.toThrow('stopped');
  expect(keys).toEqual(['slack:C1:1.1']);
});

test('messages are by day, then by channel, from a zip as from a folder', async () => {
  const files = exportOf([say('1.1')], {
    'channels.json': [...CHANNELS, { id: 'C0', name: 'arts' }],
    'arts/2024-01-02.json': [say('1.2')],
    'arts/2024-01-01.json': [say('0.9')],
    'general/canvas_in_the_conversation.json': [{ id: 'F1' }],
  });
  const folder = unpacked(files);
  symlinkSync('/etc', join(folder, 'etc'));
  const [one, two] = [await read(zipped(files)), await read(folder)];
  expect(one.messages.map(({ key }) => key)).toEqual(['slack:C0:0.9', 'slack:C0:1.2', 'slack:C1:1.1']);
  expect(two.messages.map(({ sha256 }) => sha256)).toEqual(one.messages.map(({ sha256 }) => sha256));
  const nested = Object.fromEntries(
    Object.entries(files).map(([name, content]) => [`export/${name}`, content]),
  );
  expect((await read(zipped(nested))).messages).toHaveLength(3);
});

test('recognizes exports and uploads by their content', async () => {
  expect(await slackContent(zipped(exportOf([])))).toBe('export');
  expect(await slackContent(unpacked(exportOf([])))).toBe('export');
  expect(await slackContent(zipped({ '__uploads/F1/a': 'x' }))).toBe('uploads');
  expect(await slackContent(unpacked({ '__uploads/F1/a': 'x' }))).toBe('uploads');
  expect(await slackContent(zipped({ 'a.txt': 'x' }))).toBeUndefined();
  expect(await slackContent(zipped({}))).toBeUndefined();
  expect(await slackContent(unpacked({ 'a.txt': 'x' }))).toBeUndefined();
  expect(await slackContent(join(dir, 'not-there'))).toBeUndefined();
});
