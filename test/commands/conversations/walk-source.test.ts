// The cross-check source of conversations: an answer that is short, refused, late or no list of openings is not mistaken for another.
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import type { TransportReply } from '../../../src/client/transport.ts';
import { conversationSource } from '../../../src/commands/conversations/walk-source.ts';
import { Fault } from '../../../src/faults.ts';
import { fakeWorld } from '../../support/fake-world.ts';

const { signal } = new AbortController();
const OPENINGS = Array.from({ length: 12 }, (_, n) => ({ id: `m${n}`, conversation_id: `c${n}` }));

type Answer = { status?: number; data?: unknown[]; has_more?: boolean };

/** Returns a source whose service answers with what `reply` returns for the cursor and the page size. */
function sourceOf(reply: (after: number, limit: number) => Answer | Promise<Answer>, limit?: number) {
  const asked: string[] = [];
  const client = createClient({
    baseUrl: 'https://archive.test',
    bearer: async () => 'tok_1',
    retries: 0,
    world: fakeWorld(),
    transport: async ({ url: { searchParams } }): Promise<TransportReply> => {
      asked.push(searchParams.toString());
      const after = Number(searchParams.get('starting_after')?.slice(1) ?? -1);
      const { status = 200, ...body } = await reply(after, Number(searchParams.get('limit')));
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      return {
        status,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
          yield bytes;
        })(),
      };
    },
  });
  const source = conversationSource(client, { maxWaitMs: 50, ...(limit === undefined ? {} : { limit }) });
  const ask = (rows: number, from?: number) =>
    source.crossCheck!(
      {
        limit: rows,
        ...(from === undefined ? {} : { after: { id: `c${from}`, first_message_id: `m${from}` } }),
      },
      signal,
    );
  return { ask, asked };
}

const openings = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `c${from + n}`);
const pageOf = (after: number, limit: number): Answer => ({
  data: OPENINGS.slice(after + 1, after + 1 + limit),
});

describe('a page with fewer rows than were asked for', () => {
  test.each<[string, (after: number, limit: number) => Answer, string[], number]>([
    ['is read on', (after, limit) => pageOf(after, Math.min(4, limit)), openings(0, 10), 3],
    [
      'is the end where it says so',
      (after, limit) => ({ ...pageOf(after, Math.min(4, limit)), has_more: false }),
      openings(0, 4),
      1,
    ],
    [
      'is the end where nothing follows',
      (after) => ({ data: OPENINGS.slice(0, 7).slice(after + 1) }),
      openings(0, 7),
      2,
    ],
    [
      'is the end where it comes again',
      () => ({ data: OPENINGS.slice(0, 3), has_more: true }),
      openings(0, 3),
      2,
    ],
  ])('%s', async (_, reply, expected, requests) => {
    const { ask, asked } = sourceOf(reply);
    expect(new Set(await ask(10))).toEqual(new Set(expected));
    expect(asked).toHaveLength(requests);
  });

  test('no page is larger than the service accepts', async () => {
    const { ask, asked } = sourceOf(pageOf, 5);
    expect(await ask(12)).toEqual(openings(0, 12));
    expect(asked.map((query) => new URLSearchParams(query).get('limit'))).toEqual(['5', '5', '2']);
  });
});

describe('no answer', () => {
  test.each<[string, () => Answer | Promise<Answer>]>([
    ...[400, 403, 404, 418, 500].map((status): [string, () => Answer] => [
      `status ${status}`,
      () => ({ status }),
    ]),
    [
      'two messages of one conversation',
      () => ({ data: [OPENINGS[0], { id: 'm99', conversation_id: 'c0' }] }),
    ],
    ['a message without its conversation', () => ({ data: [{ id: 'm0' }] })],
    ['a body that is no list', () => ({ data: 'x' as never })],
    ['an answer that is late', () => new Promise<Answer>(() => {})],
  ])('%s', async (_, reply) => {
    expect(await sourceOf(reply).ask(10)).toBeUndefined();
  });

  test('a conversation that does not name its first message', async () => {
    // Nothing is asked: there is no client to ask.
    const source = conversationSource({} as never);
    expect(await source.crossCheck!({ after: { id: 'c1' }, limit: 5 }, signal)).toBeUndefined();
  });
});

test('an interruption is thrown', async () => {
  const stopped = new Fault('interrupted', 'interrupted');
  const { ask } = sourceOf(() => {
    throw stopped;
  });
  await expect(ask(10)).rejects.toBe(stopped);
});
