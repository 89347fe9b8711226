// Reads the body of a message: its lore or raw view, or what another service gives (interface 4.3).
import type { Content, LoreRecord, RawRecord } from '../contract/content.ts';
import { Fault } from '../faults.ts';
import type { Query } from './base-url.ts';
import { parseResponseWith, wrongShape, type ApiResponse, type Reply } from './response.ts';
import { checkNoError } from './shapes/body-error.ts';
import { isRecord, ownField, type JsonRecord } from './shapes/json-path.ts';
import type { ReadBody } from './shapes/record-body.ts';

/** The raw view of another service. The interface does not show its shape (interface 4.3). */
export type ForeignContent = { view?: unknown; data: Record<string, unknown> };

/** Readers of the two views. */
export type ContentReaders = { lore: ReadBody<LoreRecord>; raw: ReadBody<RawRecord> };

/** Returns the content of message `id`. Throws Fault 'protocol' where the body is not the view that was asked for. */
export function parseContent(
  answer: ApiResponse,
  { lore, raw }: ContentReaders,
  id: string,
  query: Query = {},
): Reply<Content | ForeignContent> {
  return parseResponseWith(answer, (body) => {
    const view = query['view'] ?? ownField(body, 'view');
    const around: JsonRecord = isRecord(body) && isRecord(ownField(body, 'data')) ? body : {};
    if (view === 'lore') {
      if ((ownField(body, 'view') ?? 'lore') !== 'lore') throw wrongView(answer);
      const data = lore(body, answer, id);
      if (query['include_pipeline'] === true && data.pipeline === undefined)
        throw new Fault('protocol', 'answer has the wrong shape at data.pipeline: asked for, but missing');
      return { ...around, view: 'lore', data };
    }
    if (!isRecord(body)) throw wrongShape([], undefined, answer);
    try {
      const data = raw(body, answer, id);
      return { ...around, view: 'raw', data };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      checkNoError(body, answer.status);
      if (!hasContent(body)) throw error;
      // Without an id it is still shown as it is.
      return ownField(around, 'data') === undefined ? { data: body } : (around as ForeignContent);
    }
  });
}

/** Fields in which servers that are no archive say how they are, and the envelope of a record. */
const NO_CONTENT: ReadonlySet<string> = new Set(
  'ok success status state code message health version view data'.split(' '),
);

/** Returns whether a body has anything that a message may consist of. */
function hasContent(body: JsonRecord): boolean {
  const inner = ownField(body, 'data');
  const record = isRecord(inner) ? inner : body;
  return Object.entries(record).some(([name, value]) => {
    const isEmpty = value === null || value === '' || (isRecord(value) && Object.keys(value).length === 0);
    return !NO_CONTENT.has(name.toLowerCase()) && !isEmpty;
  });
}

function wrongView(answer: ApiResponse): Fault {
  const message = 'lore was asked for';
  return wrongShape(['view'], { code: 'custom', path: [], message, input: undefined }, answer);
}
