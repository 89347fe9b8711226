// Chooses by seed which conversations simulated writes make appear and disappear.
import { idOf } from '../rules/identifier.ts';
import type { Statements } from '../store/sql/database.ts';
import { conversationNumbers } from '../store/lists/messages.ts';
import type { Span } from '../store/sql/keyset.ts';
import { randomInteger, seededRandom, type Random } from './seeded-random.ts';
import { WRITE_KINDS, type ScheduledWrite, type WriteKind, type WriteOptions } from './write-overlay.ts';

/** Draws for one conversation, after which the archive counts as too small. */
const MAX_DRAWS = 16;

/** Conversations that are removed before the first read, at most: their ids stay in memory. */
const MAX_REMOVED = 2000;

/**
 * Returns the scheduled writes. The last conversations are appended; inserted, deleted and removed ones lie anywhere before
 * them. The first conversation is never chosen. There are fewer than requested where the archive has too few conversations.
 */
export async function scheduleWrites(
  statements: Statements,
  { seed, writes, removedShare = 0 }: WriteOptions,
): Promise<ScheduledWrite[]> {
  const numbers = (span: Partial<Span>, limit: number) =>
    conversationNumbers(statements, { after: null, before: null, direction: 'forward', limit, ...span });
  const [first] = await numbers({}, 1);
  if (first === undefined) return [];
  const tail = await numbers({ direction: 'backward' }, Math.max(writes.append?.count ?? 0, 1));
  const chosen: Record<WriteKind, number[]> = {
    append: writes.append === undefined ? [] : tail.filter((n) => n !== first),
    insert: [],
    delete: [],
  };
  const last = chosen.append[0] === undefined ? tail.at(-1)! : chosen.append[0] - 1;
  const taken = new Set([first, ...chosen.append]);
  for (const kind of ['insert', 'delete'] as const) {
    chosen[kind] = await choose(kind, writes[kind]?.count ?? 0);
  }
  const schedule: ScheduledWrite[] = [];
  for (const kind of WRITE_KINDS) {
    for (const [order, n] of chosen[kind].entries()) {
      const read = (order + 1) * (writes[kind]?.every ?? Infinity);
      schedule.push({ kind, read, n, ids: await idsOf(statements, n) });
    }
  }
  const removed = removedShare === 0 ? 0 : Math.ceil((await conversationCount()) * removedShare);
  // Chosen last, so that the other writes of a seed stay the same.
  for (const n of await choose('removed', Math.min(removed, MAX_REMOVED))) {
    schedule.push({ kind: 'delete', read: 0, n, ids: await idsOf(statements, n) });
  }
  return schedule;

  /** Returns `count` conversations that were not chosen before, fewer where none is found. */
  async function choose(name: string, count: number): Promise<number[]> {
    const random = seededRandom(`${seed}/${name}`);
    const found: number[] = [];
    while (found.length < count) {
      const n = await drawUntaken(random);
      if (n === undefined) break;
      taken.add(n);
      found.push(n);
    }
    return found;
  }

  async function conversationCount(): Promise<number> {
    const row = await statements.get<{ count: number }>('SELECT count(*) AS count FROM conversations', []);
    return row?.count ?? 0;
  }

  /** Returns a conversation before the appended ones that is not chosen yet. */
  async function drawUntaken(random: Random): Promise<number | undefined> {
    for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
      const [n] = await numbers({ after: [randomInteger(random, first!, last)], before: [last + 1] }, 1);
      if (n !== undefined && !taken.has(n)) return n;
    }
    return undefined;
  }
}

/** Returns the ids of a conversation, its messages, their entries and their attachments. */
async function idsOf(statements: Statements, conversation: number): Promise<string[]> {
  const rows = await statements.all<{ message: number; attachment: number | null }>(
    `SELECT m.n AS message, a.n AS attachment FROM messages m LEFT JOIN attachments a ON a.message = m.n
      WHERE m.conversation = $1`,
    [conversation],
  );
  return [
    idOf('conv', conversation),
    ...rows.flatMap(({ message, attachment }) => [
      idOf('msg', message),
      idOf('entry', message),
      ...(attachment === null ? [] : [idOf('att', attachment)]),
    ]),
  ];
}
