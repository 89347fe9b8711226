// The JSON report of `arx doctor` about a service: what each list, filter, cursor, file and error response was found to do.
import * as z from 'zod';
import { count, version } from './fields.ts';

/**
 * What a service does with a parameter. `ignored`: it answers as if the parameter were not there. `differs`: equal requests
 * were answered differently. Of filters, `partly`: rows that do not match come too, and none for a value that no row has; `empty`: no
 * row is given for a value that rows have. `unseen`: it could not be found out.
 */
export const Handling = z.enum(['honoured', 'partly', 'ignored', 'refused', 'empty', 'differs', 'unseen']);
export type Handling = z.infer<typeof Handling>;

/** What a service has under a path. `other`: a response that is neither the record nor a 404. */
export const Presence = z.enum([
  'present',
  'missing',
  'needs_token',
  'forbidden',
  'other',
  'differs',
  'unseen',
]);
export type Presence = z.infer<typeof Presence>;

const Rejection = z.object({
  answer: z.enum(['refused', 'accepted', 'differs', 'unseen']),
  status: z.number().int().nullable(),
  code: z.string().nullable(),
});
/** How an impossible request was answered, with the HTTP status and the error code; null where there was none. */
export type Rejection = z.infer<typeof Rejection>;

const PageOrder = z.enum(['ascending', 'descending', 'unseen']);

/** What was found out about one list. `sample` counts the rows that were seen. */
export const ExaminedList = z.object({
  path: z.string(),
  state: z.enum([
    'read',
    'empty',
    'needs_token',
    'forbidden',
    'missing',
    'no_list',
    'failed',
    'differs',
    'unseen',
  ]),
  sample: count,
  /** Why the list could not be read, null where it was. */
  reason: z.string().nullable(),
  /**
   * Where the pages have their rows, and rows their ids: dot paths, '' for the body itself and for the keys of a map. `names`
   * are fields of the interface under another name. `has_more` and `next` are the fields, or the header, that say whether more rows follow.
   * `paged_by` is the query parameter in the address of the next page, where that is none of the interface.
   * `left_out` are notices about fields of an unexpected type.
   */
  shape: z
    .object({
      rows: z.string(),
      container: z.enum(['array', 'map']),
      fields: z.string(),
      id: z.string(),
      names: z.record(z.string(), z.string()),
      has_more: z.string().nullable(),
      next: z.string().nullable(),
      paged_by: z.string().nullable(),
      positions: z.boolean(),
      left_out: z.array(z.string()),
    })
    .nullable(),
  /** Whether equal requests gave equal rows. */
  repeated: z.enum(['same', 'differs', 'unseen']),
  /** `swapped`: the two cursors have each other's meaning. */
  cursors: z.object({
    starting_after: Handling,
    ending_before: Handling,
    both: Handling,
    swapped: z.boolean(),
  }),
  /** Order of the rows in the pages of each kind. */
  order: z.object({ starting_after: PageOrder, ending_before: PageOrder, both: PageOrder }),
  /** `asked` rows were asked for; `accepted` is the largest number that was not refused, `given` is how many rows came. */
  page_limit: z.object({
    handling: z.enum(['accepted', 'clamped', 'ignored', 'refused', 'differs', 'unseen']),
    asked: count,
    accepted: count.nullable(),
    given: count.nullable(),
  }),
  /** The answer to a cursor that no row has. */
  unknown_cursor: Rejection,
  /** The answer to cursors in the wrong order (interface 4.7). */
  misordered: Rejection,
  filters: z.record(z.string(), Handling),
});
export type ExaminedList = z.infer<typeof ExaminedList>;

/** The lists that are examined, in this order. */
export const EXAMINED_LISTS = ['conversations', 'messages', 'attachments', 'events'] as const;
/** One of {@link EXAMINED_LISTS}. */
export type ExaminedListName = (typeof EXAMINED_LISTS)[number];

/**
 * One line of the table. `warn`: arx works around it, or can do less. `differs`: equal requests were answered differently.
 * `unseen`: it could not be found out. `meaning` says what that means for the user, null where there is nothing to say.
 */
export const ServiceFinding = z.object({
  about: z.string(),
  check: z.string(),
  verdict: z.enum(['ok', 'warn', 'differs', 'unseen', 'fail']),
  found: z.string(),
  meaning: z.string().nullable(),
});
export type ServiceFinding = z.infer<typeof ServiceFinding>;

/**
 * `arx doctor --base-url URL -o json`. `outcome` says whether the service could be examined, `stopped` why the examination
 * ended early. `requests` counts every request with its retries. `clock_offset_ms` is the service's clock minus ours.
 * `drift_ratio` is the highest that the service reported. `tiers` and `sources` count sampled rows by what they say of
 * themselves. `findings` is all of it in words, with the checks of this installation first.
 */
export const ServiceReport = z.object({
  version,
  base_url: z.string(),
  outcome: z.enum(['examined', 'unreachable', 'unauthorized', 'no_archive']),
  stopped: z.string().nullable(),
  requests: count,
  elapsed_ms: count,
  health: z.object({ state: Presence, service: z.string().nullable(), version: z.string().nullable() }),
  auth: z.object({
    token: z.enum(['sent', 'none', 'unusable']),
    accepted: z.enum(['yes', 'no', 'differs', 'unseen']),
    needed: z.enum(['yes', 'no', 'differs', 'unseen']),
  }),
  clock_offset_ms: z.number().int().nullable(),
  drift_ratio: z.number().nullable(),
  /** Answers that ended early, and requests that got no answer; each was sent again. */
  transport: z.object({ cut: count, unanswered: count }),
  rate_limit_headers: z.array(z.string()),
  lists: z.record(z.enum(EXAMINED_LISTS), ExaminedList),
  /**
   * Whether `/messages?opening=true` can be used to cross-check conversations, and what the service does with `opening`.
   * `reason` says how that is known, or why not.
   */
  cross_check: z.object({
    usable: z.boolean().nullable(),
    opening: z.enum(['honoured', 'ignored', 'refused', 'missing', 'differs', 'unseen']),
    reason: z.string(),
  }),
  records: z.object({
    attachment: Presence,
    conversation: Presence,
    content_raw: Presence,
    content_lore: Presence,
    sequence: Presence,
  }),
  errors: z.object({
    documented: count,
    other: count,
    /** Fields of the documented error body that a response lacked. */
    lacking: z.array(z.string()),
  }),
  rows: z.object({
    sampled: count,
    withheld: count,
    tiers: z.record(z.string(), count),
    sources: z.record(z.string(), count),
  }),
  files: z.object({
    id: z.string().nullable(),
    address: z.enum(['available', 'refused', 'untrusted', 'withheld', 'unseen']),
    /** Why no file could be fetched, null where one was. */
    reason: z.string().nullable(),
    hash: z.enum(['match', 'mismatch', 'unseen']),
    ranges: z.enum(['honoured', 'ignored', 'refused', 'wrong', 'unseen']),
    etag: z.enum(['strong', 'weak', 'none', 'unseen']),
  }),
  findings: z.array(ServiceFinding),
});
export type ServiceReport = z.infer<typeof ServiceReport>;
