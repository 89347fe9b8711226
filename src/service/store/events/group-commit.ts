// Group commit: what arrives while one transaction runs shares the next, and each learns its own outcome after the commit.
import { setImmediate as turn } from 'node:timers/promises';
import type { Archive } from '../archive.ts';
import { ApiError } from '../../rules/api-error.ts';
import type { AcceptedEvent } from '../../rules/ingest.ts';
import { createRateLimiter } from '../../rules/rate-limiter.ts';
import { keepEvents } from './keep-events.ts';
import { isStoreTrouble } from '../sql/database-error.ts';

/** Keeps events durably, all in one transaction: for each its refusal, or undefined. Throws where nothing is known to be kept. */
export type Keep = (events: readonly AcceptedEvent[]) => Promise<(ApiError | undefined)[]>;

/** Bounds of one transaction, and of all that waits for one (our choice). */
const GROUP = { events: 1_000, characters: 8 * 1024 * 1024 };
const WAITING = { events: 20_000, characters: 64 * 1024 * 1024 };

/** New events that may announce one mirror layer a minute, in one process: a layer that echoes itself would never end. */
const MIRRORS_A_MINUTE = 600;

type Waiting = {
  events: readonly AcceptedEvent[];
  characters: number;
  resolve(refusals: (ApiError | undefined)[]): void;
  reject(error: unknown): void;
};

/** Throws `store_unavailable` where more waits for a commit than this process can hold. */
export function createGroupCommit({ database, now }: Archive): Keep {
  const mirrors = createRateLimiter(MIRRORS_A_MINUTE);
  const waiting: Waiting[] = [];
  let running = false;
  const held = { events: 0, characters: 0 };

  const take = (): Waiting[] => {
    const group: Waiting[] = [];
    for (let events = 0, characters = 0; waiting[0] !== undefined;) {
      events += waiting[0].events.length;
      characters += waiting[0].characters;
      if (group.length > 0 && (events > GROUP.events || characters > GROUP.characters)) break;
      group.push(waiting.shift()!);
    }
    return group;
  };

  /** The group is what has come by the time that it is our turn to write; a transaction that is tried again keeps it. */
  const commit = async (given?: readonly Waiting[]): Promise<readonly Waiting[]> => {
    let group = given;
    try {
      const refusals = await database.transaction((statements) => {
        group ??= take();
        return keepEvents(
          statements,
          group.flatMap(({ events }) => events),
          { now: now(), mirrors },
        );
      });
      let at = 0;
      for (const { events, resolve } of group!) resolve(refusals.slice(at, (at += events.length)));
    } catch (error) {
      // Who waited behind one that waited in vain gives up with it.
      group ??= waiting.splice(0);
      if (group.length === 1 || isStoreTrouble(error)) {
        for (const { reject } of group) reject(error);
        return group;
      }
      // Something in one of them: nobody fails for a neighbour.
      for (const one of group) await commit([one]);
    }
    return group!;
  };

  const run = async (): Promise<void> => {
    running = true;
    // What came with the same turn of the loop goes into the same transaction.
    for (await turn(); waiting.length > 0; await turn()) {
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
      if (held.events + events.length > WAITING.events || held.characters + characters > WAITING.characters) {
        throw new ApiError('store_unavailable', 'too many events wait to be written, try again', {
          'retry-after': '1',
        });
      }
      held.events += events.length;
      held.characters += characters;
      waiting.push({ events, characters, resolve, reject });
      if (!running) void run();
    });
}
