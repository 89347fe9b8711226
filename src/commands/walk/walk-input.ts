// The options that every walk has.
import * as z from 'zod';
import type { CrossCheckMode } from '../../walk/decide/confirmation.ts';
import { wholeNumber, Window } from '../shared/input.ts';
import { OutputFile } from '../shared/output-file.ts';

const MAX_CONCURRENCY = 16;
const MIN_CONFIDENCE = 0.5;
const CONFIDENCE_RANGE = `must be a share from ${MIN_CONFIDENCE} to 0.999999`;

/** The options that every walk has, parsed. */
export const WalkInput = Window.extend({
  concurrency: wholeNumber(1)
    .refine((count) => count <= MAX_CONCURRENCY, `must be at most ${MAX_CONCURRENCY}`)
    .optional(),
  confidence: z
    .string()
    .regex(/^0\.\d{1,6}$/, CONFIDENCE_RANGE)
    .transform(Number)
    .refine((share) => share >= MIN_CONFIDENCE, CONFIDENCE_RANGE)
    .optional(),
  maxRequests: wholeNumber(1).optional(),
  freeze: z.string().min(1).optional(),
  resume: z.boolean().default(false),
  report: OutputFile.optional(),
  force: z.boolean().default(false),
  failOnDrift: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'must be a share from 0 to 1')
    .transform(Number)
    .optional(),
});
export type WalkInput = z.infer<typeof WalkInput> & { crossCheck: CrossCheckMode };
