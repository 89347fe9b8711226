// What the list of events of another service says of events that were acknowledged.
import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/index.ts';
import { compareJournal } from '../../../src/commands/events/compare-journal.ts';
import type { JournalEntry } from '../../../src/commands/events/journal.ts';

const AT = '2026-01-02T03:04:05Z';
const digest = '0'.repeat(32);

test.each<[row: object, counts: object, missing: number]>([
  [{ status: 'queued' }, {}, 0],
  [{ status: 'partial', effect: 'dead' }, { dead: 1 }, 1],
  [{ effect: 'Dead' }, { dead: 1 }, 1],
  [{ status: 'failed' }, { dead: 1 }, 1],
  [{ status: 'Rejected' }, { dead: 1 }, 1],
  [{ status: 'failed', effect: 'applied' }, {}, 0],
  [{}, {}, 0],
])('an acknowledged event that is listed with %j', async (row, counts, missing) => {
  const journal = async function* (): AsyncGenerator<JournalEntry> {
    const event = { id: 'e1', type: 'contact.flagged', payload: {} };
    yield { type: 'sent', at: AT, digest, event, text: () => '' };
    yield { type: 'acked', at: AT, digest, id: 'e1' };
  };
  const body = { data: [{ id: 'e1', ...row }], has_more: false };
  const client = { events: async () => ({ status: 200, headers: {}, body, text: '' }) };
  const compared = await compareJournal(journal, client as unknown as Client);
  expect(compared).toMatchObject({ indexed: 1, counts, missing });
});
