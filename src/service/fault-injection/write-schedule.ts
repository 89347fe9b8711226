// Which conversations come and go while a service is read: chosen by seed without looking at the rest of the archive.
import { between, randomFrom, type Random } from './seeded-random.ts';
import { idOf } from '../rules/identifier.ts';
import { WRITE_KINDS, type PlannedWrite, type WriteKind, type WriteOptions } from './write-overlay.ts';
import type { Statements } from '../store/sql/database.ts';
import { conversationNumbers } from '../store/lists/messages.ts';
import type { Span } from '../store/sql/keyset.ts';

/** Draws for one row before the archive counts as too small for it. */
const TRIES = 16;

/**
 * The last conversations are the ones to be appended, others anywhere before them come in between or go. The first one
 * always stays. Fewer than asked for where the archive does not hold so many.
 */
export async function planWrites(
  statements: Statements,
  { seed, writes }: WriteOptions,
): Promise<PlannedWrite[]> {
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
    const random = randomFrom(`${seed}/${kind}`);
    for (let order = 0; order < (writes[kind]?.count ?? 0); order += 1) {
      const n = await freeNumber(random);
      if (n === undefined) break;
      taken.add(n);
      chosen[kind].push(n);
    }
  }
  const plan: PlannedWrite[] = [];
  for (const kind of WRITE_KINDS) {
    for (const [order, n] of chosen[kind].entries()) {
      plan.push({ kind, order, n, ids: await idsOf(statements, n) });
    }
  }
  return plan;

  /** A conversation before those that are appended, which nothing else was chosen for. */
  async function freeNumber(random: Random): Promise<number | undefined> {
    for (let draw = 0; draw < TRIES; draw += 1) {
      const [n] = await numbers({ after: [between(random, first!, last)], before: [last + 1] }, 1);
      if (n !== undefined && !taken.has(n)) return n;
    }
    return undefined;
  }
}

/** The ids of a conversation, its messages with their entries, and their files. */
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
