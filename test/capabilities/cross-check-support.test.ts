// Whether /messages lists the first message of each conversation is found out, and never assumed.
import { describe, expect, test } from 'vitest';
import {
  detectCrossCheck,
  type ConversationRow,
  type CrossCheckSupport,
  type MessagesQuery,
  type OpeningRow,
} from '../../src/capabilities/cross-check-support.ts';
import { withoutUndefined } from '../../src/commands/shared/input.ts';
import { Fault } from '../../src/faults.ts';
import type { PageQuery } from '../../src/walk/source.ts';
import { faultyList } from '../support/faulty-list.ts';

const { signal } = new AbortController();

type Archive = { conversations: (ConversationRow & { first_message_id: string })[]; messages: OpeningRow[] };

/** Returns an archive of `size` conversations with `replies` messages after the first one of each. */
function archiveOf(size: number, replies = 1): Archive {
  const messages = Array.from({ length: size * (1 + replies) }, (_, n) => ({
    id: `m${n}`,
    conversation_id: `c${Math.floor(n / (1 + replies))}`,
  }));
  const conversations = Array.from({ length: size }, (_, n) => ({
    id: `c${n}`,
    first_message_id: `m${n * (1 + replies)}`,
  }));
  return { conversations, messages };
}

type Service = (archive: Archive, query: MessagesQuery) => OpeningRow[];

const pageOf = (rows: readonly OpeningRow[], { after, limit }: MessagesQuery): OpeningRow[] => {
  const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  return rows.slice(from, from + limit);
};
const openingsOf = ({ messages, conversations }: Archive): OpeningRow[] =>
  messages.filter(({ id }) => conversations.some(({ first_message_id: opening }) => opening === id));
const refused = (status: number): Fault => new Fault('protocol', 'no', { status });

/** A service that knows the parameter and checks its value, as ours does. */
const honouring: Service = (archive, query) => {
  if (typeof query.opening === 'string') throw refused(400);
  return pageOf(query.opening === true ? openingsOf(archive) : archive.messages, query);
};
/** A service that knows the parameter and takes any other value for false. */
const lenient: Service = (archive, query) =>
  pageOf(query.opening === true ? openingsOf(archive) : archive.messages, query);
const ignoring: Service = (archive, query) => pageOf(archive.messages, query);
const refusing =
  (status: number): Service =>
  (archive, query) => {
    if (query.opening !== undefined) throw refused(status);
    return pageOf(archive.messages, query);
  };

async function detect(
  service: Service,
  archive: Archive,
  limit = 20,
): Promise<{ support: CrossCheckSupport; requests: number }> {
  let requests = 0;
  const support = await detectCrossCheck({
    messages: async (query) => {
      requests++;
      return { rows: service(archive, query) };
    },
    conversations: async (rows) => {
      requests++;
      return archive.conversations.slice(0, rows);
    },
    limit,
    signal,
  });
  return { support, requests };
}

const newestFirst = (archive: Archive): Archive => ({ ...archive, messages: archive.messages.toReversed() });

test.each<[string, Service, Archive, string, number]>([
  ['refuses a wrong value', honouring, archiveOf(60), 'it refuses a wrong value of opening', 4],
  ['one message each', honouring, archiveOf(60, 0), 'it refuses a wrong value of opening', 4],
  ['one conversation', honouring, archiveOf(1), 'it refuses a wrong value of opening', 4],
  ['two conversations', honouring, archiveOf(2, 0), 'it refuses a wrong value of opening', 4],
  ['an empty archive', honouring, archiveOf(0), 'both lists are empty', 2],
  ['takes any value', lenient, archiveOf(60), 'it leaves out the other messages', 6],
  [
    'pages of 7 messages at most',
    (archive, query) => honouring(archive, { ...query, limit: Math.min(7, query.limit) }),
    archiveOf(60),
    'it refuses a wrong value of opening',
    4,
  ],
])('usable: %s', async (_, service, archive, reason, most) => {
  const { support, requests } = await detect(service, archive);
  expect(support).toEqual({ usable: true, reason, limit: 20 });
  expect(requests).toBeLessThanOrEqual(most);
});

const PLAIN = '/messages gives the same without opening=true: these may be plain messages';
test.each<[string, Service, Archive, string]>([
  ['ignores the parameter', ignoring, archiveOf(60), '/messages gives several messages of one conversation'],
  ['ignores it, one message each', ignoring, archiveOf(60, 0), PLAIN],
  ['ignores it, one message, one conversation', ignoring, archiveOf(1, 0), PLAIN],
  [
    'ignores it, one message each, newest first',
    ignoring,
    newestFirst(archiveOf(15, 0)),
    'lists the conversations in another order',
  ],
  [
    'ignores it, one message each, newest first, many',
    ignoring,
    newestFirst(archiveOf(60, 0)),
    'begins with other conversations',
  ],
  ['takes any value, one message each', lenient, archiveOf(60, 0), PLAIN],
  [
    'openings in another order',
    (archive, query) => honouring(newestFirst(archive), query),
    archiveOf(15),
    'in another order',
  ],
  [
    'ignores starting_after',
    (archive, { opening, limit }) =>
      honouring(archive, withoutUndefined({ opening, limit }) as MessagesQuery),
    archiveOf(60),
    'does not follow starting_after',
  ],
  [
    'messages without a conversation',
    (archive, query) => honouring(archive, query).map(({ id }) => ({ id })),
    archiveOf(60),
    'the messages do not name their conversation',
  ],
  ['no message at all', () => [], archiveOf(60), 'lists no message'],
  [
    'conversations without a first message',
    (_archive, query) => honouring(archiveOf(60), query),
    { ...archiveOf(60), conversations: archiveOf(60).conversations.map(({ id }) => ({ id }) as never) },
    'the conversations do not name their first message',
  ],
  [
    'conversations that name another first message',
    (archive, query) => honouring({ ...archive, conversations: archiveOf(60).conversations }, query),
    {
      ...archiveOf(60),
      conversations: archiveOf(60).conversations.map((row) => ({ ...row, first_message_id: 'm9999' })),
    },
    'gives other messages than the conversations name',
  ],
])('not usable: %s', async (_, service, archive, reason) => {
  const { support } = await detect(service, archive);
  expect(support).toEqual({ usable: false, reason: expect.stringContaining(reason) as string });
});

test.each([400, 403, 405, 410, 418, 422, 500, 501])(
  'a refusal with status %d is a reason',
  async (status) => {
    const { support, requests } = await detect(refusing(status), archiveOf(60));
    expect(support).toEqual({ usable: false, reason: `/messages refuses opening=true (status ${status})` });
    expect(requests).toBeLessThanOrEqual(2);
  },
);

test('no /messages, and no answer', async () => {
  const missing = await detect(refusing(404), archiveOf(60));
  expect(missing.support).toEqual({ usable: false, reason: 'the service has no /messages' });
  const late = await detectCrossCheck({
    messages: () => new Promise(() => {}),
    conversations: async () => archiveOf(3).conversations,
    limit: 20,
    signal,
    maxWaitMs: 20,
  });
  expect(late).toEqual({ usable: false, reason: '/messages gives no answer: no answer within 0.02 s' });
});

test('a smaller page that /messages accepts', async () => {
  const service: Service = (archive, query) => {
    if (query.limit > 8) throw new Fault('protocol', 'limit must be at most 8', { status: 400 });
    return honouring(archive, query);
  };
  expect((await detect(service, archiveOf(60))).support).toMatchObject({ usable: true, limit: 8 });
});

test('an interruption and a fault of the conversations are thrown', async () => {
  const stopped = new Fault('interrupted', 'interrupted');
  const messages = async () => ({ rows: archiveOf(3).messages });
  const throwing = (error: Fault) => async () => {
    throw error;
  };
  const options = { limit: 20, signal };
  const none = async () => [];
  await expect(
    detectCrossCheck({ ...options, messages: throwing(stopped), conversations: none }),
  ).rejects.toBe(stopped);
  const expired = new Fault('auth', 'token has expired', { status: 401 });
  await expect(detectCrossCheck({ ...options, messages, conversations: throwing(expired) })).rejects.toBe(
    expired,
  );
});

describe('35 % faulty answers', () => {
  /** Returns what is found about a service whose answers are those of faulty lists. */
  async function detectFaulty(seed: number, knows: boolean, replies: number): Promise<CrossCheckSupport> {
    const size = 300;
    const archive = archiveOf(size, replies);
    const options = { drift: 0.35, seed };
    const conversations = faultyList({ size, ...options });
    const openings = faultyList({ size, drift: 0.35, seed: seed + 1000 });
    const messages = faultyList({ size: archive.messages.length, drift: 0.35, seed: seed + 2000 });
    const numberOf = (id: string): number => Number(id.slice(1)) - 1;
    const read = async (list: typeof messages, query: PageQuery): Promise<number[]> =>
      (await list.clock.run(list.page(query, signal))).rows.map(({ id }) => numberOf(id));
    return detectCrossCheck({
      messages: async ({ opening, after, limit }) => {
        if (knows && typeof opening === 'string') throw refused(400);
        const at = after === undefined ? undefined : Number(after.slice(1));
        if (knows && opening === true) {
          const cursor = at === undefined ? {} : { after: `r${at / (1 + replies) + 1}` };
          const found = await read(openings, { limit, ...cursor });
          return { rows: found.map((n) => archive.messages[n * (1 + replies)]!) };
        }
        const cursor = at === undefined ? {} : { after: `r${at + 1}` };
        return { rows: (await read(messages, { limit, ...cursor })).map((n) => archive.messages[n]!) };
      },
      conversations: async (limit) =>
        (await read(conversations, { limit })).map((n) => archive.conversations[n]!),
      limit: 50,
      signal,
    });
  }

  test.each([
    [true, 1, true],
    [true, 0, true],
    [false, 1, false],
    [false, 0, false],
  ])('knows opening %s, %d replies: usable %s', async (knows, replies, usable) => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= 200; seed++) {
      const support = await detectFaulty(seed, knows, replies);
      if (support.usable !== usable) wrong.push(`${seed}: ${support.reason}`);
    }
    // A service that ignores the parameter is never taken for one that knows it.
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(usable ? 2 : 0);
  });
});
