// The JSON of `arx sequence watch`.
import * as z from 'zod';
import { count } from './fields.ts';

/**
 * What a sequence was at a moment. `drift_ratio` is what the service states, null where it states none. `displaced` of `positions`
 * are reported at another place than they were checked to have, null where that is not known.
 */
export const SequenceReading = z.object({
  at: z.string(),
  name: z.string(),
  drift_ratio: z.number().nullable(),
  displaced: count.nullable(),
  positions: count,
});
export type SequenceReading = z.infer<typeof SequenceReading>;
