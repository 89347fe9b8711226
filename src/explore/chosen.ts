// Where a row leads to.
import type { Document } from './archive.ts';
import { placeOf, type Entry } from './entry.ts';
import type { Place } from './place.ts';

/** Returns where an entry leads to. The row of a file is all that its place shows, so nothing is read for it. */
export function chosenPlace(entry: Entry | undefined): { place: Place; document?: Document } | undefined {
  const place = entry === undefined ? undefined : placeOf(entry);
  if (place === undefined) return undefined;
  return entry?.kind === 'file' ? { place, document: { kind: 'file', row: entry.row } } : { place };
}
