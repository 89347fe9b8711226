// The values of the global options that are not settings.
import * as z from 'zod';
import { Flag, OptionalNonEmptyText } from '../contract/scalars.ts';
import { readInput } from './input.ts';

/** `a,b,c` as typed. */
const Names = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((names) => names.every((name) => name !== ''), 'must be names separated by commas');

/** As typed, more than 0 and at most a day. */
const Seconds = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'must be a number of seconds')
  .transform(Number)
  .refine((seconds) => seconds > 0 && seconds <= 86_400, 'must be from 0.001 to 86400');

/** An option without a value. */
const Switch = Flag.default(false);

const GlobalFlags = z.object({
  /** True where no names follow: the names are to be listed. */
  fields: z.union([z.literal(true), Names]).optional(),
  tokenFile: OptionalNonEmptyText,
  allowAssetHost: Names.default([]),
  record: z
    .string()
    .regex(/\.warc\.gz$/, 'must end in .warc.gz')
    .optional(),
  jq: z.string().min(1, 'must be a jq program').optional(),
  template: z.string().min(1, 'must be a text').optional(),
  summary: Switch,
  force: Switch,
  csvSafe: Switch,
  strict: Switch,
  progress: z.enum(['auto', 'json', 'none']).default('auto'),
  utc: Switch,
  relative: Switch,
  input: Flag.default(true),
  quiet: Switch,
  maxRows: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a whole number of at least 1')
    .transform(Number)
    .optional(),
  maxTime: Seconds.optional(),
  offline: Switch,
  /** How many `-v` were given. */
  verbose: z.number().default(0),
});
/** The values of the global options, with the defaults of those that were not given. */
export type GlobalFlags = z.infer<typeof GlobalFlags>;

/** Returns the global flags of a command line. Throws Fault 'usage' where one does not fit. */
export function readGlobalFlags(flags: Record<string, unknown>): GlobalFlags {
  return readInput(GlobalFlags, flags);
}
