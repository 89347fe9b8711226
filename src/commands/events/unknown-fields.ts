// Counts the fields of payloads that their event types do not have, and warns of them: a service keeps them without a word.
import type { App } from '../../app.ts';
import { safeText } from '../../client/safe-text.ts';
import type { EventType } from '../../contract/event-types.ts';
import { PAYLOADS } from '../../contract/ingest.ts';
import { nearest } from '../../contract/nearest.ts';
import { formatCount } from '../../format/numbers.ts';

/** The unknown fields of the payloads of a run. */
export type UnknownFields = {
  /** `where` is the place of the event, such as `line 3`. */
  add(type: EventType, payload: object, where: string): void;
  /** Warns of each field, with the first event that has it. */
  warn(app: Pick<App, 'printer'>): Promise<void>;
};

/** This many different fields are named. */
const MAX_NAMED = 10;

/** Returns an empty collection. */
export function createUnknownFields(): UnknownFields {
  const fields = new Map<string, { type: EventType; name: string; where: string; events: number }>();
  let others = false;
  return {
    add(type, payload, where) {
      for (const name of Object.keys(payload)) {
        if (Object.hasOwn(PAYLOADS[type].shape, name)) continue;
        const key = `${type} ${name}`;
        const seen = fields.get(key);
        if (seen !== undefined) seen.events += 1;
        else if (fields.size < MAX_NAMED) fields.set(key, { type, name, where, events: 1 });
        else others = true;
      }
    },
    async warn({ printer }) {
      for (const { type, name, where, events } of fields.values()) {
        const meant = nearest(name, Object.keys(PAYLOADS[type].shape));
        const guess = meant === undefined ? '' : `; did you mean ${meant}?`;
        const count = events === 1 ? '' : ` (${formatCount(events)} events have it)`;
        await printer.warn(
          `${where}: ${type} has no field ${safeText(name, 40)}; it is sent as it is${count}${guess}`,
        );
      }
      if (others) await printer.warn('other payloads have more fields that their event types do not have');
    },
  };
}
