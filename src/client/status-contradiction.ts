// Pages whose status contradicts their rows.
import type { Attachment } from '../contract/attachment.ts';
import { fileStateOf } from '../contract/attachment-file.ts';
import { isWithheld } from '../contract/withheld.ts';
import type { ListPage } from './list-parser.ts';
import type { Reply } from './response.ts';
import { safeText } from './safe-text.ts';
import { UNNAMED_ON_PAGE } from './shapes/page-facts.ts';

/** The lists that are compared. The status of entries and events means something else. */
type ComparedList = 'attachments' | 'conversations' | 'messages';

/** Compares pages with their status, and remembers of each list the first contradiction. */
export class StatusContradictions {
  readonly #found = new Map<string, string>();

  /** Returns the page. `isBare`: it is an array, without a place for a status. */
  compare<Row extends object>(
    list: ComparedList,
    reply: Reply<ListPage<Row>>,
    isBare: boolean,
  ): Reply<ListPage<Row>> {
    if (!this.#found.has(list)) {
      const text = statusContradiction(reply.status, reply.body, list, isBare);
      if (text !== undefined) this.#found.set(list, text);
    }
    return reply;
  }

  /** Returns how a page of a list contradicted itself; undefined where none did. */
  of(list: string): string | undefined {
    return this.#found.get(list);
  }
}

/**
 * Returns how a page contradicts itself: HTTP 206, the status `partial` and a redacted row come together, and
 * `stable` comes with none (interface 3, 4.2). HTTP 200 without one of these words says nothing. A bare array has no place
 * for one. Another service may show a withheld row without `redacted`, so any row that counts as withheld explains `partial`.
 */
function statusContradiction(
  http: number,
  { status, data, [UNNAMED_ON_PAGE]: unnamed = 0 }: ListPage<object>,
  list: ComparedList,
  isBare: boolean,
): string | undefined {
  const isPartial = status === 'partial' || (isBare && http === 206);
  const isCatalogue = list === 'attachments';
  const hasRedacted = data.some((row) =>
    isCatalogue ? (row as Attachment).redacted === true : isWithheld(row),
  );
  const hasWithheld = isCatalogue
    ? data.some((row) => fileStateOf(row as Attachment) === 'withheld')
    : hasRedacted;
  const fits = isPartial ? hasWithheld || unnamed > 0 : !hasRedacted && unnamed === 0;
  const isSaid = http === 206 || isPartial || status === 'stable';
  if (!isSaid || ((http === 206) === isPartial && fits)) return undefined;
  const words = status === undefined ? 'no status' : `status ${safeText(status, 40)}`;
  const withoutIds = unnamed === 1 ? '1 withheld row without an id' : `${unnamed} withheld rows without ids`;
  const named = `${hasRedacted ? 'a' : 'no'} ${isCatalogue ? 'redacted' : 'withheld'} row`;
  const rows = hasRedacted || unnamed === 0 ? named : withoutIds;
  return `answer contradicts itself: HTTP ${http} with ${words} and ${rows}`;
}
