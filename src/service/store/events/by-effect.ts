// The index of events with one effect, for each effect that may change: what looks for events by such an effect alone reads it.
import type { UNSETTLED_EFFECTS } from '../../../contract/event-types.ts';
import type { Statements } from '../sql/database.ts';

/**
 * Returns what follows FROM in a statement whose condition is `effect = '…'`, with this effect in its text. SQLite is told the partial
 * index: after an ANALYZE while nearly all events had the effect it would read the whole table. PostgreSQL takes it by itself, since
 * no other index has fewer rows.
 */
export function eventsByEffect(
  effect: (typeof UNSETTLED_EFFECTS)[number],
  engine: Statements['engine'],
): string {
  return engine === 'sqlite' ? `events INDEXED BY events_${effect}` : 'events';
}
