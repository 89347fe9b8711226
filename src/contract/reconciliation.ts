// The report of `events reconcile`: what was sent, held against what the service holds.
import * as z from 'zod';

const count = z.number().int().min(0);

/**
 * What is found of one event when what was sent is held against what the service holds. `not_indexed` was acknowledged
 * and is not there; `unacknowledged` is not there and nobody said it was; `lost_acknowledgement` is there although nobody
 * said so; `other_body` was sent with different bodies; `sent_again` and `delivered_again` came more than once;
 * `out_of_order` arrived after one that was sent later.
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
 * `events reconcile -o json`. `sent`, `acknowledged` and `indexed` count events of the journal by id, `others` what the
 * service holds beside them. `findings` counts each kind that was found, `events` names up to 1,000 events of each.
 * `replayed` events were sent again, and all else is as it was found after that.
 */
export const ReconcileReport = z.object({
  version: z.literal(1),
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
