// `arx conversations walk` against services with and without a usable /messages: the list is right, and it is said what was not compared.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { arx, exitRecordOf, recordsOf } from '../../support/command.ts';
import { correctPage } from '../../support/faulty-page.ts';
import { answer, misbehave, type Misbehaving } from '../../support/misbehaving-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('cross-check')));
afterEach(async () => server?.close());

const CONVERSATIONS = Array.from({ length: 45 }, (_, n) => ({
  id: `c${n + 1}`,
  first_message_id: `m${n + 1}.0`,
}));
const messagesOf = (replies: number) =>
  CONVERSATIONS.flatMap(({ id }) =>
    Array.from({ length: 1 + replies }, (_, n) => ({ id: `m${id.slice(1)}.${n}`, conversation_id: id })),
  );

type Options = {
  replies?: number;
  newestFirst?: boolean;
  /** What the service does with `opening`, by the number of earlier requests for messages. */
  opening: (count: number) => 'honoured' | 'ignored' | number;
  /** Largest page of each list; a longer one is cut or refused. */
  maximum?: { rows: number; refuses: boolean };
};

/** Serves 45 conversations and their messages; returns how `arx conversations walk` ends with these flags. */
async function walk(flags: string, { replies = 1, newestFirst = false, opening, maximum }: Options) {
  const messages = newestFirst ? messagesOf(replies).toReversed() : messagesOf(replies);
  let asked = 0;
  server = await misbehave((socket, { head }) => {
    const { pathname, searchParams } = new URL(/ (\S+) /.exec(head)?.[1] ?? '/', 'http://list');
    const wanted = Number(searchParams.get('limit') ?? 20);
    if (maximum?.refuses === true && wanted > maximum.rows)
      return socket.write(answer(400, `{"error":{"message":"limit is at most ${maximum.rows}"}}`));
    const limit = Math.min(wanted, maximum?.rows ?? wanted);
    let rows: readonly { id: string }[] = CONVERSATIONS;
    if (pathname.endsWith('/messages')) {
      const behaviour = opening(asked++);
      rows = messages;
      if (searchParams.has('opening')) {
        if (typeof behaviour === 'number')
          return socket.write(answer(behaviour, '{"error":{"message":"No"}}'));
        if (behaviour === 'honoured') {
          if (searchParams.get('opening') !== 'true') return socket.write(answer(400));
          rows = messages.filter(({ id }) => id.endsWith('.0'));
        }
      }
    } else if (!pathname.endsWith('/conversations')) return socket.write(answer(404));
    const [after, before] = [searchParams.get('starting_after'), searchParams.get('ending_before')];
    const page = correctPage(
      rows.map(({ id }) => id),
      { limit, ...(after === null ? {} : { after }), ...(before === null ? {} : { before }) },
    );
    const data = page.ids.map((id) => rows.find((row) => row.id === id));
    return socket.write(answer(200, JSON.stringify({ data, has_more: page.has_more })));
  });
  const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_1' };
  const ran = await arx(dir, `conversations walk --base-url ${server.url} -o ndjson ${flags}`, { env });
  expect(recordsOf(ran).map(({ id }) => id as string)).toEqual(CONVERSATIONS.map(({ id }) => id));
  return ran;
}

const report = () => JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'));
const PLAIN = '/messages gives the same without opening=true: these may be plain messages';

test.each(['boundary', 'full'])('a service that honours opening is cross-checked: %s', async (mode) => {
  const flags = `--cross-check ${mode} --report report.json`;
  expect(await walk(flags, { opening: () => 'honoured' })).toMatchObject({ exit: 0, stderr: '' });
  const { asked, agreed, unavailable } = report().cross_check;
  expect([asked, unavailable]).toEqual([agreed, 0]);
  expect(asked).toBeGreaterThanOrEqual(mode === 'full' ? CONVERSATIONS.length : 1);
});

const UNUSABLE: [string, Options, string][] = [
  ...[400, 403, 404, 405, 410, 418, 422, 501, 503].map(
    (status) =>
      [
        `refused with ${status}`,
        { opening: () => status },
        status === 404 ? 'the service has no /messages' : `/messages refuses opening=true (status ${status})`,
      ] as [string, Options, string],
  ),
  [
    'ignored',
    { opening: () => 'ignored' },
    '/messages gives several messages of one conversation for opening=true',
  ],
  ['ignored, one message each', { opening: () => 'ignored', replies: 0 }, PLAIN],
  [
    'ignored, one message each, newest first',
    { opening: () => 'ignored', replies: 0, newestFirst: true },
    '/messages?opening=true lists the conversations in another order',
  ],
];

describe.each(UNUSABLE)('opening is %s', (_, options, reason) => {
  test('the walk goes on; one notice says why', async () => {
    expect(await walk('', options)).toMatchObject({ exit: 0, stderr: `arx: no cross-check: ${reason}\n` });
  });

  test('--cross-check full is exit 3, with the reason once', async () => {
    const { exit, stderr } = await walk('--cross-check full', options);
    expect(exit).toBe(3);
    expect(exitRecordOf({ stderr })).toMatchObject({
      message: `no cross-check: ${reason}`,
      kept: 'the list stands: verdict complete',
    });
  });

  test('--cross-check off asks no messages and says nothing', async () => {
    expect(await walk('--cross-check off', options)).toMatchObject({ exit: 0, stderr: '' });
    expect(server?.requests.filter(({ head }) => head.includes('/messages'))).toEqual([]);
  });
});

test('messages that are refused in the middle of a walk: --cross-check full is exit 3', async () => {
  const { exit, stderr } = await walk('--cross-check full --limit 8', {
    opening: (count) => (count < 5 ? 'honoured' : 403),
  });
  expect(exit).toBe(3);
  expect(stderr).toMatch(/\d+ of 45 conversations not cross-checked: \/messages stopped answering/);
});

test.each([true, false])(
  'pages of 10 rows at most (refused: %s) are no end of either list',
  async (refuses) => {
    const options: Options = { opening: () => 'honoured', maximum: { rows: 10, refuses } };
    expect(await walk('--cross-check full -v', options)).toMatchObject({ exit: 0 });
    const refused = server!.requests.filter(({ head }) => /limit=(\d{3}|[2-9]\d)/.test(head)).length;
    if (refuses) expect(refused).toBeLessThanOrEqual(2);
  },
);
