// The report of `events reconcile`, which compares the sender's journal with the service's events.
import * as z from 'zod';
import { count, version } from './fields.ts';

/**
 * What the comparison found for one event:
 * - `not_indexed`: acknowledged, but the service does not list it;
 * - `unacknowledged`: neither acknowledged nor listed;
 * - `lost_acknowledgement`: listed, but the journal has no acknowledgement;
 * - `refused`, `dead`, `queued`, `waiting`: what the service said of it;
 * - `other_body`: sent with two different bodies;
 * - `sent_again`, `delivered_again`: sent or received more than once;
 * - `out_of_order`: received after an event that was sent later.
 */
export const Finding = z.enum([
  'not_indexed',
  'unacknowledged',
  'refused',
  'dead',
  'other_body',
  'queued',
  'waiting',
  'lost_acknowledgement',
  'sent_again',
  'delivered_again',
  'out_of_order',
]);
export type Finding = z.infer<typeof Finding>;

/**
 * `events reconcile -o json`. `sent`, `acknowledged` and `indexed` count events of the journal by id. `others` counts events of the
 * service that the journal does not have. `findings` counts each kind; `events` names up to 100,000 events
 * of each kind that a person must look into (reconcile-problems.ts), and up to 1,000 of each other kind. `replayed`
 * counts events that were sent again; all other numbers describe the state after that.
 */
export const ReconcileReport = z.object({
  version,
  verdict: z.enum(['consistent', 'inconsistent']),
  journal: z.string(),
  base_url: z.string(),
  sent: count,
  acknowledged: count,
  indexed: count,
  others: count,
  replayed: count,
  findings: z.partialRecord(Finding, count),
  events: z.array(z.object({ id: z.string(), finding: Finding })),
});
export type ReconcileReport = z.infer<typeof ReconcileReport>;
