import { describe, expect, test } from 'vitest';
import { Content } from '../../../src/contract/content.ts';
import type { VerifyReport } from '../../../src/contract/reports/files.ts';
import type { WalkReport } from '../../../src/contract/reports/walk.ts';
import type { Output } from '../../../src/format/outputs.ts';
import { createPrinter } from '../../../src/format/printer.ts';
import * as views from '../../../src/format/views/index.ts';
import { fakeSink } from '../fake-sink.ts';

const HASH = 'ab12'.repeat(16);
const canvas = { columns: 100, unicode: true };

function printing(output: Output = 'table', shown = canvas) {
  const stdout = fakeSink();
  return {
    stdout,
    print: createPrinter({ stdout, stderr: fakeSink(), output, color: false, quiet: true, ...shown }),
  };
}

const row = {
  id: 'att_1',
  filename: 'a.jpg',
  file_url: 'http://x/a',
  sha256: HASH,
  redacted: false,
  decorative_layer: false,
  first_visible: true,
};

const WALK: WalkReport = {
  version: 1,
  verdict: 'incomplete',
  conversations: 2000,
  windows: 1,
  requests: 42,
  requests_for: { new_rows: 24, known_rows: 3, end: 10, cross_check: 5, single_rows: 0, audit: 0 },
  minimum_requests: 20,
  rereads: 3,
  disagreements: 1,
  drift: { first: 0.13, last: 0.21, max: 0.21 },
  confidence: 0.999,
  assumes: [],
  audit: { reads: 0, agreed: 0 },
  doubted_windows: [],
  duplicates_removed: 0,
  late: [],
  cross_check: { mode: 'boundary', asked: 40, agreed: 40, unavailable: 0 },
  frozen: { head: HASH, file: 'f' },
  unstable: [{ after: 'conv_3', before: null, reads: 9 }],
};

describe('attachments', () => {
  const rows = [
    {
      ...row,
      content_type: 'image/jpeg',
      origin_city: 'lisbon',
      source: 'external',
      bytes: 1234,
      message_id: 'msg_4',
    },
    { ...row, id: 'att_2', redacted: true, file_url: null, reason: 'names a minor' },
    { ...row, id: 'att_3', sha256: undefined, file_url: null },
  ];
  test('ls: a row that is redacted is withheld, one without an address is absent', async () => {
    const { print, stdout } = printing();
    await print.list(views.attachmentView, { rows, summary: () => ({}) });
    expect(stdout.text).toBe(
      [
        'ID     STATE                     FILENAME  TYPE         BYTES  CITY    SOURCE    SHA256        …',
        '─────  ────────────────────────  ────────  ──────────  ──────  ──────  ────────  ────────────  ─',
        'att_1  available                 a.jpg     image/jpeg  1.2 kB  lisbon  external  ab12ab12ab12',
        'att_2  withheld (names a minor)  a.jpg                                           ab12ab12ab12',
        'att_3  absent                    a.jpg',
        '',
      ].join('\n'),
    );
  });
  test('ls: a long reason leaves no column out; the word before it stays whole', async () => {
    const long = rows.map((each) => ({
      ...each,
      filename: 'lisbon-000-photograph.jpg',
      ...(each.redacted ? { reason: 'embargoed until all stations have looked' } : {}),
    }));
    const linesAt = async (columns: number): Promise<string[]> => {
      const { print, stdout } = printing('table', { ...canvas, columns });
      await print.list(views.attachmentView, { rows: long, summary: () => ({}) });
      return stdout.text.split('\n');
    };
    expect((await linesAt(80)).slice(0, 4)).toEqual([
      'ID     STATE                 FILENAME              TYPE         BYTES  CITY    …',
      '─────  ────────────────────  ────────────────────  ──────────  ──────  ──────  ─',
      'att_1  available             lisbon-000-photogra…  image/jpeg  1.2 kB  lisbon',
      'att_2  withheld (embargoed…  lisbon-000-photogra…',
    ]);
    expect((await linesAt(40)).slice(0, 4)).toEqual([
      'ID     STATE         FILENAME          …',
      '─────  ────────────  ────────────────  ─',
      'att_1  available     lisbon-000-phot…',
      'att_2  withheld (e…  lisbon-000-phot…',
    ]);
  });
  test('lists of messages: ids and sources are whole, or left out', async () => {
    const message = { conversation_id: 'conv_1', parent_id: null, attachments: 1, integrity: 1 };
    const listed = [
      {
        ...message,
        id: 'msg_1',
        entry: 'entry_1',
        sequence: 1,
        date: null,
        from: 'Ana',
        subject: 'a',
        source: 'gateway',
        status: 'stable',
      },
    ];
    for (let columns = 30; columns <= 100; columns += 1) {
      const { print, stdout } = printing('table', { ...canvas, columns });
      await print.list(views.messageView, { rows: listed as never, summary: () => ({}) });
      expect(stdout.text).not.toMatch(/entr?y?_?…|ga\w*…|st\w*…/);
    }
  });
  test('ls in a pipe: whole values', async () => {
    const { print, stdout } = printing('tsv');
    await print.list(views.attachmentView, { rows, summary: () => ({}) });
    const withheld = `att_2\twithheld\ta.jpg\t\t\t\t\t${HASH}\t\n`;
    expect(stdout.text).toBe(
      `att_1\tavailable\ta.jpg\timage/jpeg\t1234\tlisbon\texternal\t${HASH}\tmsg_4\n${withheld}att_3\tabsent\ta.jpg\t\t\t\t\t\t\n`,
    );
  });
  test('show: all of it', async () => {
    const { print, stdout } = printing();
    await print.record(views.attachmentView, rows[0] as (typeof rows)[0]);
    expect(stdout.text).toContain(`sha256            ${HASH}\n`);
    expect(stdout.text).toContain('url               http://x/a\n');
  });
});

describe('content', () => {
  const lore = Content.parse({
    view: 'lore',
    data: {
      id: 'msg_1',
      glyph_trigger: 'entry_1',
      classification: 'seed_token',
      sequence_status: 'non_linear',
      integrity: 0.8,
      origin: 'derived',
      source: 'external',
      later: { added: 1 },
      pipeline: {
        provider: 'p',
        assets: [
          {
            asset_id: 'asset_1',
            asset_type: 'video',
            filename: 'a.mp4',
            generation_job_id: 'j1',
            render_variant: 'a',
          },
        ],
      },
      stego: { carriers: [{ where: 'text', kind: 'zero_width', count: 3 }] },
    },
  });
  test('lore: fields, what is unknown to us, assets, carriers', async () => {
    const { print, stdout } = printing();
    await print.record(views.contentView, lore);
    expect(stdout.text).toBe(`id               msg_1
glyph trigger    entry_1
classification   seed_token
sequence status  non_linear
origin           derived
source           external
integrity        0.8
later            {"added":1}

pipeline by p, 1 asset
asset_1  video  a.mp4  variant a  job j1

hidden data: 1 place
zero_width  text  3 characters
`);
  });
  test('lore as JSON is the wire record', async () => {
    const { print, stdout } = printing('json');
    await print.record(views.contentView, lore);
    expect(JSON.parse(stdout.text)).toStrictEqual(lore);
  });
  test('raw: the letter, cleaned', async () => {
    const { print, stdout } = printing();
    await print.record(
      views.contentView,
      Content.parse({
        view: 'raw',
        data: {
          id: 'msg_1',
          headers: [['Subject', 'hi \u001b[2J']],
          text: 'Hello\r\n\tyou\u202e\n\n',
          html: '<p>',
        },
      }),
    );
    expect(stdout.text).toBe('id  msg_1\n\nSubject: hi \\u{1b}[2J\n\nHello\n        you\\u{202e}\n');
  });
  test('raw: HTML only', async () => {
    const { print, stdout } = printing();
    await print.record(
      views.contentView,
      Content.parse({ view: 'raw', data: { id: 'msg_1', html: '<p>hi</p>' } }),
    );
    expect(stdout.text).toBe('id  msg_1\n\nno plain text; 9 characters of HTML, whole in --json\n');
  });
});

describe('a conversation', () => {
  const message = (id: string, parent_id: string | null, subject = 'Re: tea') => ({
    id,
    parent_id,
    subject,
    from: 'Al',
    date: '2004-01-01T12:00:00Z',
  });
  const shown = async (data: ReturnType<typeof message>[]): Promise<string[]> => {
    const { print, stdout } = printing();
    await print.record(views.conversationWithMessagesView, { id: 'conv_1', messages: { data } });
    return stdout.text.split('\n').slice(2, -1);
  };
  test('is a thread', async () => {
    const data = [
      message('msg_1', null, 'tea'),
      message('msg_2', 'msg_1'),
      message('msg_3', 'msg_2', 'coffee'),
      message('msg_4', 'msg_1'),
    ];
    expect(await shown(data)).toStrictEqual([
      '└─ msg_1  2004-01-01 12:00 UTC  Al  tea',
      '   ├─ msg_2  2004-01-01 12:00 UTC  Al',
      '   │  └─ msg_3  2004-01-01 12:00 UTC  Al  coffee',
      '   └─ msg_4  2004-01-01 12:00 UTC  Al',
    ]);
  });
  test.each([
    [41, ['└─ msg_1  2004-01-01 12:00 UTC  Al  tea', '   └─ msg_2  2004-01-01 12:00 UTC  Al']],
    [36, ['└─ msg_1  Al  tea', '   └─ msg_2  Al']],
    [14, ['└─ msg_1  Al …', '   └─ msg_2  …']],
  ])('at %i columns has whole dates or none', async (columns, lines) => {
    const { print, stdout } = printing('table', { ...canvas, columns });
    const data = [message('msg_1', null, 'tea'), message('msg_2', 'msg_1')];
    await print.record(views.conversationWithMessagesView, { id: 'conv_1', messages: { data } });
    expect(stdout.text.split('\n').slice(2, -1)).toStrictEqual(lines);
  });
  test('survives parents in a circle, missing, own and after', async () => {
    const lines = await shown([
      message('a', 'b'),
      message('b', 'a'),
      message('c', 'c'),
      message('d', 'gone'),
    ]);
    expect(lines.map((line) => /\w+/.exec(line)?.[0])).toStrictEqual(['a', 'b', 'c', 'd']);
  });
  test.each([
    [80, 10],
    [100, 17],
    [200, 40],
  ])('at %i columns draws %i levels, and deeper names what each message answers', async (columns, levels) => {
    const { print, stdout } = printing('table', { ...canvas, columns });
    const chain = Array.from({ length: levels + 2 }, (_, n) =>
      message(`msg_${n + 1}`, n === 0 ? null : `msg_${n}`),
    );
    const data = [...chain, message('b', `msg_${levels - 1}`), message('c', `msg_${levels + 1}`)];
    await print.record(views.conversationWithMessagesView, { id: 'conv_1', messages: { data } });
    const lines = stdout.text.split('\n').slice(1 + levels, -1);
    const rest = '  2004-01-01 12:00 UTC  Al';
    expect(lines.map((line) => line.trimStart())).toStrictEqual([
      `├─ msg_${levels}${rest}`,
      `├─ msg_${levels + 1}  ↳ msg_${levels}${rest}`,
      `├─ msg_${levels + 2}  ↳ msg_${levels + 1}${rest}`,
      `├─ b${rest}`,
      `└─ c  ↳ msg_${levels + 1}${rest}`,
    ]);
    expect(new Set(lines.map((line) => line.search(/\S/)))).toStrictEqual(new Set([3 * (levels - 1)]));
  });
  test('names the message that is answered where it is not in the thread', async () => {
    expect(await shown([message('msg_1', 'msg_9', 'tea'), message('msg_2', null, 'tea')])).toStrictEqual([
      '├─ msg_1  ↳ msg_9  2004-01-01 12:00 UTC  Al  tea',
      '└─ msg_2  2004-01-01 12:00 UTC  Al  tea',
    ]);
    const { print, stdout } = printing('table', { ...canvas, unicode: false });
    await print.record(views.conversationWithMessagesView, {
      id: 'conv_1',
      messages: { data: [message('msg_1', 'msg_9', 'tea')] },
    });
    expect(stdout.text).toContain('`- msg_1  answers msg_9  2004');
  });
  test('of 5,000 answers to answers stays on the screen', async () => {
    const lines = await shown(
      Array.from({ length: 5000 }, (_, n) => message(`msg_${n}`, n === 0 ? null : `msg_${n - 1}`)),
    );
    expect(lines).toHaveLength(5000);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

describe('reports', () => {
  const verify: VerifyReport = {
    version: 1,
    checked: 2,
    bytes: 2000,
    fixity: 'failed',
    completeness: 'incomplete',
    verdicts: {
      match: 1,
      mismatch: 1,
      missing: 0,
      extra: 0,
      withheld: 22,
      absent: 0,
      unreadable: 0,
      unverifiable: 0,
    },
    files: [
      {
        path: 'b.jpg',
        id: 'att_2',
        verdict: 'mismatch',
        expected: HASH,
        actual: HASH.replace('ab', 'ff'),
        bytes: 1,
      },
      ...Array.from({ length: 22 }, (_, n) => ({
        path: null,
        id: `att_${n}`,
        verdict: 'withheld' as const,
        expected: null,
        actual: null,
        bytes: null,
      })),
    ],
  };
  test('verify', async () => {
    const { print, stdout } = printing();
    await print.report(verify, (screen) => views.verifyLines(verify, screen));
    const lines = stdout.text.split('\n');
    expect(lines.slice(0, 6)).toStrictEqual([
      'fixity failed, 2 files checked, 2.0 kB, completeness incomplete',
      '├─ = match 1',
      '├─ * mismatch 1',
      '│  └─ b.jpg  att_2  expected ab12ab12ab12, got ff12ab12ab12',
      '└─ ? withheld 22',
      '   ├─ att_0',
    ]);
    expect(lines.at(-2)).toBe('   └─ and 2 more');
  });
  test('walk', async () => {
    const { print, stdout } = printing();
    await print.report(WALK, (screen) => views.walkLines(WALK, 'conversation', screen));
    expect(stdout.text).toBe(`incomplete, 2,000 conversations in 1 window
├─ requests     42 = 24 for new rows + 3 for known rows again + 10 for the end of the list + 5 to
│               /messages; one read of each row takes 20
├─ wrong        1 of the answers
├─ drift        first 0.13, last 0.21, highest 0.21
├─ cross-check  boundary: 40 of 40 conversations confirmed by /messages
├─ duplicates   0 removed
├─ confidence   0.999
├─ frozen       ab12ab12ab12 in f
└─ unstable
   └─ after conv_3, before the end: 9 reads
`);
  });
  test.each([
    [{ asked: 0, agreed: 0, unavailable: 0 }, 'no row was in doubt, so none was compared with /messages'],
    [{ asked: 0, agreed: 0, unavailable: 4 }, 'none of 4 rows was compared with /messages: no usable answer'],
    [
      { asked: 1200, agreed: 1198, unavailable: 4 },
      '1,198 of 1,200 rows confirmed by /messages; no usable answer about 4 more',
    ],
  ])('cross-check of %j', async (figures, words) => {
    const report = { ...WALK, cross_check: { mode: 'boundary' as const, ...figures } };
    const { print, stdout } = printing();
    await print.report(report, (screen) => views.walkLines(report, 'row', screen));
    expect(stdout.text).toContain(`boundary: ${words}\n`);
  });
  test('import', async () => {
    const report = {
      version: 1 as const,
      conversations: 900,
      sources: [
        {
          path: 's.mbox',
          kind: 'mbox',
          messages: { read: 4, stored: 2, known: 1, refused: 1 },
          attachments: { stored: 1, known: 0 },
          files: { seen: 1, read: 1, known: 0, refused: 0, skipped: 0 },
          formats: [{ format: 'mbox', files: 1 }],
        },
        {
          path: 'd',
          kind: 'folder',
          messages: { read: 0, stored: 0, known: 0, refused: 0 },
          attachments: { stored: 0, known: 0 },
          files: { seen: 4, read: 3, known: 0, refused: 0, skipped: 1 },
          formats: [
            { format: 'mbox (Thunderbird)', files: 2 },
            { format: 'file', files: 1 },
          ],
        },
      ],
      refused: [{ path: 's.mbox', offset: 1234, reason: 'no header\u001b' }],
      skipped: [
        { path: 's.mbox', offset: 0, bytes: 2, reason: 'belongs to no mail' },
        { path: 'd/a', offset: null, bytes: null, reason: 'is no mail' },
      ],
      notices: [{ path: 'd/b', notice: 'looks like a chat' }],
    };
    const { print, stdout } = printing();
    await print.report(report, (screen) => views.importLines(report, screen));
    expect(stdout.text).toBe(`900 conversations in the archive
├─ s.mbox (mbox)
│  ├─ 4 messages read: 2 stored, 1 already there or repeated, 1 refused
│  ├─ 1 attachment stored, 0 already there or repeated
│  └─ 1 file seen: 1 read, 0 already there, 0 refused, 0 skipped
├─ d (folder: 2 mbox (Thunderbird), 1 file)
│  ├─ 0 messages read: 0 stored, 0 already there or repeated, 0 refused
│  ├─ 0 attachments stored, 0 already there or repeated
│  └─ 4 files seen: 3 read, 0 already there, 0 refused, 1 skipped
├─ refused
│  └─ s.mbox at 1,234: no header\\u{1b}
├─ skipped
│  ├─ s.mbox: 2 bytes at 0: belongs to no mail
│  └─ d/a: is no mail
└─ not understood
   └─ d/b: looks like a chat
`);
  });
});

test.each([
  [
    views.conversationView,
    { id: 'conv_1', message_count: 3, started_at: '2004-01-01T12:00:00Z', subject: 's', integrity: 1 },
    ['conv_1', '3', '2004-01-01T12:00:00Z', '', 's', '', '', '1'],
  ],
  [
    views.messageView,
    { id: 'msg_1', from: 'a', attachments: 2, status: 'stable' },
    ['msg_1', '', 'a', '', '2', '', '', 'stable'],
  ],
  [
    views.positionView([{ reported: 4, checked: 2, offset: 2 }]),
    { entry: 'entry_1', reported: 4, checked: 2, offset: 2 },
    ['entry_1', '', '4', '2', '2', '', ''],
  ],
  [
    views.eventView,
    { id: 'e', type: 't', status: 'partial', payload: { layer: 'x' }, effect: 'applied' },
    ['e', 't', 'partial', 'applied', '', '', '{"layer":"x"}'],
  ],
  [
    views.eventTypeView,
    { type: 't', meaning: 'm', fields: [{ name: 'id', type: 'text', required: false }] },
    ['t', 'id (text, optional)', 'm'],
  ],
  [
    views.acknowledgementView,
    { accepted: true, event_id: 'e', type: 't', status: 'queued' },
    ['e', 't', 'true', 'queued'],
  ],
  [views.checkView, { name: 'clock', verdict: 'ok', detail: 'd' }, ['ok', 'clock', 'd']],
  [views.settingView, { key: 'k', value: 3, origin: 'default' }, ['k', '3', 'default']],
  [views.profileView, { name: 'p', base_url: null, current: true }, ['p', 'true', '']],
  [
    views.factView,
    { section: '4.1', topic: 't', fact: 'f', origin: 'documented' },
    ['4.1', 'documented', 't', 'f'],
  ],
])('columns in a pipe %#', async (view, wire, cells) => {
  const { print, stdout } = printing('tsv');
  await print.list(view as typeof views.factView, { rows: [wire as never], summary: () => ({}) });
  expect(stdout.text).toBe(`${cells.join('\t')}\n`);
});

test('durations for people have a unit; for scripts the name of the column has it', async () => {
  const health = { status: 'ok', uptime_ms: 200_123 };
  const people = printing();
  await people.print.record(views.healthView, health);
  expect(people.stdout.text).toBe('status  ok\nuptime  3 min 20 s\n');
  const scripts = printing('tsv');
  await scripts.print.record(views.healthView, health);
  expect(scripts.stdout.text).toContain('\nuptime_ms\t200123\n');
  const rows = [{ key: 'connect_timeout', value: 10, origin: 'default' }];
  await people.print.list(views.settingView, { rows, summary: () => ({}) });
  expect(people.stdout.text).toMatch(/connect_timeout  10 s +default/);
});

test('identity and health for people', async () => {
  const { print, stdout } = printing();
  await print.record(views.identityView, {
    origin: 'local',
    access_tier: 'internal',
    scope: ['read:messages', 'read:x'],
    expires_at: '2026-01-01T00:00:00.000Z',
    source_integrity: 0.9,
  });
  await print.record(views.healthView, { status: 'ok', counts: { messages: 4 } });
  expect(stdout.text).toBe(`archive           local
tier              internal
scope             read:messages read:x
expires           2026-01-01 00:00 UTC
source integrity  0.9
status  ok

messages  4  ████████████████████████████████████████████████████████████
`);
});
