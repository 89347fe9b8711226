// Rows that the list lost and that snapshots still have: in which answers they are, and in which they are not.
import { afterEach, describe, expect, test } from 'vitest';
import { parseDrift, parseWrites } from '../../../src/service/fault-injection/options.ts';
import { faultyServices } from '../../support/faulty-service.ts';
import { expectApiError } from '../../support/reply.ts';

const { faultyService, closeService } = faultyServices();
afterEach(closeService);

describe('removed rows', () => {
  const phantoms = (seed = 4, ratio = '1') => ({ drift: parseDrift(ratio, seed, 'phantom') });
  const LISTS = [
    ['conversations', '/v1/conversations', 'conv', 310],
    ['messages', '/messages', 'msg', 500],
    ['messages', '/messages?opening=true', 'msg', 310],
    ['attachments', '/v1/attachments', 'att', 310],
  ] as const;
  const large = { conversations: 320, attachments: 320 };

  test.each(LISTS)(
    '%s (%s): snapshots still have them, and nothing else differs',
    async (_, path, kind, count) => {
      const { ids, entries } = await faultyService(phantoms(), large);
      const of = (limit: number) => `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
      const truth = await ids(`${of(500)}&truth=true`);
      const ghosts = new Set<string>();
      expect(truth).toHaveLength(count);
      for (let read = 0; read < 8; read++) {
        const page = await ids(of(500));
        const added = page.filter((id) => !truth.includes(id));
        for (const id of added) ghosts.add(id);
        expect(page.filter((id) => truth.includes(id))).toEqual(truth.slice(0, page.length - added.length));
        const numbers = page.map((id) => Number(id.slice(kind.length + 1)));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        expect(entries.at(-1)).toMatchObject({
          fault: added.length === 0 ? null : 'phantom',
          state: added.length === 0 ? null : expect.any(String),
        });
      }
      expect(ghosts.size).toBeGreaterThan(5);
    },
  );

  test('they are 404 as cursors and as records, also after a page showed them', async () => {
    const drift = { ...phantoms().drift, reported: { from: 0, to: 0 } };
    const { get, ids } = await faultyService({ drift }, large);
    const truth = await ids('/v1/conversations?limit=500&truth=true');
    const shown = await ids('/v1/conversations?limit=500');
    const ghosts = shown.filter((id) => !truth.includes(id));
    expect(ghosts.length).toBeGreaterThan(0);
    for (const id of ghosts) {
      for (const cursor of ['starting_after', 'ending_before']) {
        expectApiError(await get(`/v1/conversations?${cursor}=${id}`), 'cursor_not_found');
      }
      expectApiError(await get(`/v1/conversations/${id}`), 'not_found');
      expectApiError(await get(`/messages?conversation=${id}`), 'not_found');
    }
  });

  test('the seed names them, at any ratio', async () => {
    const rowsOf = async (seed: number, ratio: string) => {
      const { ids } = await faultyService(phantoms(seed, ratio));
      const rows = await ids('/v1/conversations?limit=500&truth=true');
      await closeService();
      return rows.join();
    };
    expect(await rowsOf(1, '1')).toBe(await rowsOf(1, '0'));
    expect(await rowsOf(2, '1')).not.toBe(await rowsOf(1, '1'));
  });

  test('without the fault no row is removed', async () => {
    const { ids } = await faultyService({ drift: parseDrift('0', 4, 'stale') });
    expect(await ids('/v1/conversations?limit=500')).toHaveLength(60);
  });

  test('rows that simulated writes delete are shown too, from their deletion on', async () => {
    const { ids, entries } = await faultyService({
      ...phantoms(),
      writes: { seed: 4, writes: parseWrites('delete:20:1,append:10:99') },
    });
    const before = await ids('/v1/conversations?limit=500&truth=true');
    for (let read = 0; read < 20; read++) await ids('/v1/conversations?limit=500');
    const deleted = entries.flatMap((entry) => (entry.type === 'write' ? [entry.id] : []));
    expect(deleted).toHaveLength(20);
    expect(deleted.filter((id) => !before.includes(id))).toEqual([]);
    const truth = await ids('/v1/conversations?limit=500&truth=true');
    expect(truth).toEqual(before.filter((id) => !deleted.includes(id)));
    const seen = await ids('/v1/conversations?limit=500');
    // What is still to be appended was never in the list.
    expect(seen.at(-1)).toBe('conv_50');
    expect(deleted.filter((id) => seen.includes(id)).length).toBeGreaterThan(3);
  });

  test('in mode collude sixteen reads show the same removed conversations, in any list', async () => {
    const { ids, get } = await faultyService(
      { drift: parseDrift('1', 4, 'phantom', 'collude') },
      { ...large, messages: 1 },
    );
    const conversations = await ids('/v1/conversations?limit=500');
    const openings = (await get('/messages?opening=true&limit=500')).json.data as {
      conversation_id: string;
    }[];
    expect(conversations.length).toBeGreaterThan(310);
    expect(openings.map(({ conversation_id }) => conversation_id)).toEqual(conversations);
  });
});
