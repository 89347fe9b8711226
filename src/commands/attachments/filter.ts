// Which rows of the catalogue are meant: the options that `ls` and `pull` share.
import * as z from 'zod';
import type { Query } from '../../client/index.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { withoutUndefined } from '../input.ts';

export const Filter = z.object({
  city: z.string().min(1).optional(),
  type: z.string().min(1).optional(),
  source: z.string().min(1).optional(),
  message: z.string().min(1).optional(),
});
export type Filter = z.infer<typeof Filter>;

export function filterQuery({ city, type, source, message }: Filter): Query {
  return withoutUndefined({ origin_city: city, content_type: type, source, message_id: message });
}

/** A service may not know our filters: a row that contradicts one is not what was asked for. A field it lacks does not. */
export function matches({ city, type, source, message }: Filter, row: Attachment): boolean {
  const agrees = (asked: string | undefined, told: string | null | undefined): boolean =>
    asked === undefined || told === undefined || told === asked;
  return (
    agrees(city, row.origin_city) &&
    agrees(type, row.content_type) &&
    agrees(source, row.source) &&
    agrees(message, row.message_id)
  );
}
