// Group commit: events that arrive during one transaction share the next one. Each caller learns its own outcome.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../../rules/api-error.ts';
import type { AcceptedEvent } from '../../rules/ingest.ts';
import { createRateLimiter, type RateLimiter } from '../../rules/rate-limiter.ts';
import type { Archive } from '../archive.ts';
import { isStoreUnavailable } from '../sql/database-error.ts';
import { storeEvents, type Stored } from './store-events.ts';

/** Stores events in one transaction. Resolves after the commit. Rejects when it is not known that anything is stored. */
export type StoreEvents = (events: readonly AcceptedEvent[]) => Promise<Stored>;

/** Limits of one transaction (our choice). */
const MAX_GROUP = { events: 2_000, characters: 8 * 1024 * 1024 };
/** Limits of everything that waits for a transaction in this process (our choice). */
const MAX_WAITING = { events: 20_000, characters: 64 * 1024 * 1024 };

/** New events that may announce one mirror layer per minute and process. A layer that echoes itself would never end. */
const MAX_MIRROR_EVENTS_PER_MINUTE = 600;

type Waiting = {
  events: readonly AcceptedEvent[];
  characters: number;
  resolve(stored: Stored): void;
  reject(error: unknown): void;
};

/**
 * Returns a function that stores events of many callers in common transactions. It rejects with ApiError
 * `store_unavailable` when more waits than this process may hold.
 */
export function createGroupCommit({ database, now }: Archive): StoreEvents {
  const limiter = createRateLimiter(MAX_MIRROR_EVENTS_PER_MINUTE);
  /** The layers that were counted since the last commit. Only one transaction of this process counts at a time. */
  const taken: string[] = [];
  const mirrors: RateLimiter = {
    take(layer, at) {
      taken.push(layer);
      return limiter.take(layer, at);
    },
  };
  const waiting: Waiting[] = [];
  let running = false;
  const held = { events: 0, characters: 0 };

  const takeGroup = (): Waiting[] => {
    const group: Waiting[] = [];
    for (let events = 0, characters = 0; waiting[0] !== undefined;) {
      events += waiting[0].events.length;
      characters += waiting[0].characters;
      if (group.length > 0 && (events > MAX_GROUP.events || characters > MAX_GROUP.characters)) break;
      group.push(waiting.shift()!);
    }
    return group;
  };

  const commit = async (given?: readonly Waiting[], mayApply = true): Promise<readonly Waiting[]> => {
    let group = given;
    try {
      const { errors, hasQueued } = await database.transaction((statements) => {
        // A transaction that was rolled back stored none of them.
        for (const layer of taken.splice(0)) limiter.giveBack(layer);
        // Taken as late as possible, so that it is large. A transaction that is tried again keeps its group.
        group ??= takeGroup();
        return storeEvents(
          statements,
          group.flatMap(({ events }) => events),
          { now: now(), mirrors, mayApply },
        );
      });
      taken.length = 0;
      let at = 0;
      for (const { events, resolve } of group!)
        resolve({ errors: errors.slice(at, (at += events.length)), hasQueued });
    } catch (error) {
      // The lock was not obtained: everybody who waited for it gives up.
      group ??= waiting.splice(0);
      const isUnavailable = isStoreUnavailable(error);
      // An event that cannot be applied is stored all the same. The queue tries it again.
      if (mayApply && !isUnavailable) return commit(group, false);
      if (group.length === 1 || isUnavailable) {
        for (const { reject } of group) reject(error);
        return group;
      }
      // One caller's events fail: commit the callers separately, so that the others do not fail with it.
      for (const one of group) await commit([one], false);
    }
    return group!;
  };

  const run = async (): Promise<void> => {
    running = true;
    // Waiting for one turn of the event loop puts all requests of that turn into one transaction.
    for (await nextTurn(); waiting.length > 0; await nextTurn()) {
      for (const { events, characters } of await commit()) {
        held.events -= events.length;
        held.characters -= characters;
      }
    }
    running = false;
  };

  return (events) =>
    new Promise((resolve, reject) => {
      const characters = events.reduce((sum, { payloadText }) => sum + payloadText.length, 0);
      if (
        held.events + events.length > MAX_WAITING.events ||
        held.characters + characters > MAX_WAITING.characters
      ) {
        throw new ApiError('store_unavailable', 'too many events are waiting to be stored; try again', {
          'retry-after': '1',
        });
      }
      held.events += events.length;
      held.characters += characters;
      waiting.push({ events, characters, resolve, reject });
      if (!running) void run();
    });
}
