// A real mailing list through the commands, compared with what Python's email package reads in it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { arx, recordsOf, type Ran } from '../support/command.ts';
import { expectedTable, hasRealData, unpackFile } from '../support/real-data.ts';
import { serve } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { sha256Of } from '../support/digest.ts';

const NAME = 'samba-technical-2019-2022';
const present = hasRealData(`lists/${NAME}.mbox.xz`, ['xz']);

type Row = Record<string, string>;

describe.skipIf(!present)(NAME, { timeout: 60_000 }, () => {
  let dir: string;
  let imported: Ran;
  let messages: Row[];
  let files: Row[];
  /** The number in msg_<n> of each row: the order of arrival, a repeated message being its first. */
  let numbers: Map<string, number>;
  const numberOf = (seq: string | undefined) =>
    numbers.get(messages[Number(seq)]?.['raw_sha256'] ?? '') ?? -1;
  /** The rows that are stored: each message once. */
  const stored = () => {
    const seen = new Set<string>();
    return messages.filter(({ raw_sha256 = '' }) => !seen.has(raw_sha256) && seen.add(raw_sha256));
  };

  beforeAll(async () => {
    dir = tempFolder('real');
    unpackFile(`lists/${NAME}.mbox`, join(dir, 'list.mbox'));
    messages = expectedTable(`${NAME}.messages`);
    files = expectedTable(`${NAME}.attachments`);
    const unique = [...new Set(messages.map((row) => row['raw_sha256'] ?? ''))];
    numbers = new Map(unique.map((hash, index) => [hash, index + 1]));
    imported = await arx(dir, 'import list.mbox --json');
  });

  test('the import accounts for every message', () => {
    expect(imported).toMatchObject({ exit: 0, stderr: '' });
    expect(JSON.parse(imported.stdout)).toMatchObject({
      sources: [
        {
          kind: 'mbox',
          messages: {
            read: messages.length,
            stored: numbers.size,
            known: messages.length - numbers.size,
            refused: 0,
          },
        },
      ],
      conversations: new Set(messages.map((row) => row['conversation_first_seq'])).size,
      refused: [],
    });
  });

  test('attachments ls --all: every file, in order, by its hash', async () => {
    const ran = await arx(dir, 'attachments ls --all -o ndjson');
    expect(ran).toMatchObject({ exit: 0, stderr: '' });
    const ours = recordsOf(ran).map((row) => [
      row['message_id'],
      row['content_type'],
      String(row['bytes']),
      row['sha256'],
    ]);
    const once = new Set(stored().map(({ seq }) => seq));
    const theirs = files
      .filter(({ seq }) => once.has(seq))
      .map((row) => [`msg_${numberOf(row['seq'])}`, row['content_type'], row['size'], row['sha256']]);
    // The files of the one repeated message are listed once; nothing else differs.
    expect(files.length - theirs.length).toBe(
      messages
        .filter((row) => !once.has(row['seq']))
        .reduce((sum, row) => sum + Number(row['n_attachments']), 0),
    );
    expect(ours).toEqual(theirs);
  });

  test('content get: the stored bytes are those of the list', async () => {
    for (const row of [messages[0]!, messages[1]!, messages[2000]!, messages.at(-1)!]) {
      const { exit, bytes } = await arx(dir, `content get msg_${numberOf(row['seq'])} --raw`);
      expect({ exit, sha256: sha256Of(bytes) }).toEqual({ exit: 0, sha256: row['raw_sha256'] });
    }
    const { stdout } = await arx(dir, 'content get msg_1 --view raw --json');
    const { view, data } = JSON.parse(stdout) as { view: string; data: Record<string, any> };
    expect(view).toBe('raw');
    expect(data['sha256']).toBe(messages[0]!['raw_sha256']);
    expect(sha256Of(Buffer.from(data['raw_base64'], 'base64'))).toBe(messages[0]!['raw_sha256']);
    expect(data['bytes']).toBe(Number(messages[0]!['raw_size']));
  });

  test('conversations walk: every conversation once, in order, with as many messages as it has', async () => {
    const ran = await arx(dir, 'conversations walk -o ndjson --report walk.json');
    expect(ran).toMatchObject({ exit: 0, stderr: '' });
    const counts = new Map<number, number>();
    for (const row of stored()) {
      const conversation = numberOf(row['conversation_first_seq']);
      counts.set(conversation, (counts.get(conversation) ?? 0) + 1);
    }
    const expected = [...counts]
      .sort(([a], [b]) => a - b)
      .map(([n, count]) => [`conv_${n}`, count, `msg_${n}`]);
    expect(recordsOf(ran).map((row) => [row['id'], row['message_count'], row['first_message_id']])).toEqual(
      expected,
    );
    expect(JSON.parse(readFileSync(join(dir, 'walk.json'), 'utf8'))).toMatchObject({
      verdict: 'complete',
      conversations: expected.length,
      duplicates_removed: 0,
      unstable: [],
    });
  });

  test('messages ls, page by page: each in its conversation, behind its parent', async () => {
    const rows: Record<string, any>[] = [];
    for (let page = 0; page < 20; page += 1) {
      const after = rows.length === 0 ? '' : ` --after ${rows.at(-1)!['id']}`;
      const more = recordsOf(await arx(dir, `messages ls --limit 500 -o ndjson${after}`));
      rows.push(...more);
      if (more.length < 500) break;
    }
    const ours = rows.map((row) => [
      row['id'],
      row['conversation_id'],
      row['parent_id'],
      row['attachments'],
      row['date'],
    ]);
    const theirs = stored().map((row) => [
      `msg_${numberOf(row['seq'])}`,
      `conv_${numberOf(row['conversation_first_seq'])}`,
      row['parent_seq'] === '' ? null : `msg_${numberOf(row['parent_seq'])}`,
      Number(row['n_attachments']),
      row['date_unix'] === '' ? null : new Date(Number(row['date_unix']) * 1000).toISOString(),
    ]);
    expect(ours).toEqual(theirs);
  });

  test('sequence show and events send: a reordered message moves, and no other', async () => {
    const positions = async () => {
      const ran = await arx(dir, 'sequence show arc_reconstruction --all -o ndjson');
      expect(ran).toMatchObject({ exit: 0, stderr: '' });
      return recordsOf(ran);
    };
    const before = await positions();
    expect(
      before.map((row) => [row['entry'], row['message_id'], row['reported'], row['checked'], row['offset']]),
    ).toEqual(
      stored().map((_, index) => [`entry_${index + 1}`, `msg_${index + 1}`, index + 1, index + 1, 0]),
    );
    const payload = '{"id":"msg_1000","entry":"entry_1000","sequence":7}';
    const sent = await arx(dir, `events send message.reordered --id evt_samba --payload '${payload}' --json`);
    expect(sent).toMatchObject({ exit: 0, stderr: '' });
    const after = await positions();
    expect(after).toEqual(before.with(999, { ...before[999], reported: 7, offset: -993 }));
    const [head] = [await arx(dir, 'messages ls --limit 8 -o ndjson')].map(recordsOf);
    expect(head?.map(({ id }) => id)).toEqual([
      'msg_1',
      'msg_2',
      'msg_3',
      'msg_4',
      'msg_5',
      'msg_6',
      'msg_7',
      'msg_1000',
    ]);
  });

  test('the same through arx serve, byte for byte', async () => {
    const served = await serve(dir, ['--asset-url', 'http://127.0.0.1:4748']);
    const base = `--base-url ${served.base_url}`;
    try {
      await arx(dir, `login --client-id a --observer-tier internal --requested-tier internal ${base}`);
      for (const line of [
        'attachments ls --all --json',
        'content get msg_1 --view raw --json',
        'content get msg_1000 --view lore --pipeline --stego --json',
        'conversations walk -o ndjson',
        'sequence show arc_reconstruction --all --json',
        'events ls --json',
      ]) {
        const [here, there] = [await arx(dir, line), await arx(dir, `${line} ${base}`)];
        expect(there).toEqual(here);
        expect(here).toMatchObject({ exit: 0, stderr: '' });
      }
    } finally {
      expect(await served.close()).toBe(0);
    }
  });

  test('a second import stores nothing', async () => {
    const again = await arx(dir, 'import list.mbox --json');
    const first = JSON.parse(imported.stdout) as { conversations: number };
    expect(JSON.parse(again.stdout)).toMatchObject({
      sources: [
        {
          messages: { read: messages.length, stored: 0, known: messages.length, refused: 0 },
          attachments: { stored: 0 },
        },
      ],
      conversations: first.conversations,
    });
    const { stdout } = await arx(dir, 'health --json');
    expect(JSON.parse(stdout)).toMatchObject({
      counts: { messages: numbers.size, conversations: first.conversations },
    });
  });
});
