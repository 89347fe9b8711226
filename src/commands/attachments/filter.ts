// The options of `ls` and `pull` that select rows of the catalogue.
import * as z from 'zod';
import type { Query } from '../../client/index.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { withoutUndefined } from '../input.ts';

/** The values a row must have, each compared as a whole. An absent one selects every row. */
export const Filter = z.object({
  city: z.string().min(1).optional(),
  type: z.string().min(1).optional(),
  source: z.string().min(1).optional(),
  message: z.string().min(1).optional(),
});
export type Filter = z.infer<typeof Filter>;

/** Returns the filter as query parameters of `GET /v1/attachments`. */
export function filterQuery({ city, type, source, message }: Filter): Query {
  return withoutUndefined({ origin_city: city, content_type: type, source, message_id: message });
}

/**
 * Returns whether a row matches the filter, since a service may ignore parameters. A field that the row lacks matches.
 */
export function matches({ city, type, source, message }: Filter, row: Attachment): boolean {
  const agrees = (asked: string | undefined, value: string | null | undefined): boolean =>
    asked === undefined || value === undefined || value === asked;
  return (
    agrees(city, row.origin_city) &&
    agrees(type, row.content_type) &&
    agrees(source, row.source) &&
    agrees(message, row.message_id)
  );
}
