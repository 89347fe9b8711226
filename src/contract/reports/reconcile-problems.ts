// Which findings of `events reconcile` a person must look into.
import type { Finding } from './reconcile.ts';

/** An event is missing, refused, not applied, or was sent with two bodies, which alone makes no journal inconsistent. The others are usual after a failure. */
export const PROBLEMS: ReadonlySet<Finding> = new Set([
  'not_indexed',
  'unacknowledged',
  'refused',
  'dead',
  'other_body',
]);
