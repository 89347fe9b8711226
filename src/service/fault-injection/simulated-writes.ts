// Simulated writes: conversations that appear and disappear with the reads of their list. The archive is not changed.
import type { Counter } from '../rules/counter.ts';
import { idOf } from '../rules/identifier.ts';
import type { Statements } from '../store/sql/database.ts';
import { conversationNumbers } from '../store/lists/messages.ts';
import { MIN_REFILL_ROWS } from './hidden-rows.ts';
import {
  createWriteOverlay,
  type IsHidden,
  type WriteKind,
  type WriteOptions,
  type WriteOverlay,
  type WriteState,
} from './write-overlay.ts';
import { scheduleWrites } from './write-schedule.ts';

/**
 * One write in the drift log. It happens before the response to read number `read` of the conversation list (from 1).
 * `after` is the visible conversation directly before it, null where there is none.
 */
export type WriteEntry = { type: 'write'; read: number; kind: WriteKind; id: string; after: string | null };

/** Hides and shows conversations as the list is read. */
export type SimulatedWrites = {
  /**
   * Returns which ids are hidden or removed now. `isRead` counts a read of the conversation list first, and makes the writes that
   * are due at it.
   */
  nextState(isRead: boolean): Promise<WriteState>;
};

/** Returns the writes over this archive. `log` is awaited before a write shows; `reads` counts the list's reads. */
export function createSimulatedWrites(
  database: Statements,
  options: WriteOptions,
  log: ((entry: WriteEntry) => Promise<void>) | undefined,
  reads: Counter,
): SimulatedWrites {
  let scheduled: Promise<WriteOverlay> | undefined;
  const overlay = () =>
    (scheduled ??= scheduleWrites(database, options).then(
      (schedule) => createWriteOverlay(schedule),
      (error: unknown) => {
        scheduled = undefined;
        throw error;
      },
    ));
  return {
    async nextState(isRead) {
      const { writtenAt, stateAfter } = await overlay();
      if (!isRead) return stateAfter(await reads.current());
      const read = await reads.next();
      const state = stateAfter(read);
      for (const { kind, n } of writtenAt(read)) {
        const after = log && (await visibleBefore(database, n, state.isHidden));
        await log?.({ type: 'write', read, kind, id: idOf('conv', n), after: after ?? null });
      }
      return state;
    },
  };
}

/** Returns the visible conversation directly before number `n`. */
async function visibleBefore(
  database: Statements,
  n: number,
  isHidden: IsHidden,
): Promise<string | undefined> {
  for (let before = n; ;) {
    const numbers = await conversationNumbers(database, {
      after: null,
      before: [before],
      limit: MIN_REFILL_ROWS,
      direction: 'backward',
    });
    const visible = numbers.findLast((number) => !isHidden(idOf('conv', number)));
    if (visible !== undefined) return idOf('conv', visible);
    if (numbers[0] === undefined) return undefined;
    before = numbers[0];
  }
}
