// What differs from one other service to the next, as data.
import type { Envelope } from './envelopes.ts';
import type { ErrorShape } from './errors.ts';
import type { RecordShape } from './record-shapes.ts';

/** A list of the interface. */
export type ListName = 'conversations' | 'messages' | 'attachments' | 'sequence';

/** What a list does with cursors. `whole`: no cursor, no limit, always all rows. */
export type CursorRules = {
  after: 'follows' | 'refuses' | 'ignores';
  before: 'follows' | 'refuses' | 'ignores';
  /** Order of the rows of a page before a cursor. */
  beforeOrder: 'list' | 'reversed';
  /** Both cursors at once; where it is followed, a misordered pair is 409. */
  both: 'follows' | 'refuses';
  /** The answer to a cursor that names no row. */
  unknown: 400 | 404 | 'empty';
  /** Cursors are tokens that the service made, not ids. */
  opaque: boolean;
};

/** One other service. */
export type Variant = {
  name: string;
  /** One sentence: what this service does in its own way. */
  about: string;
  /** It differs from another one in a name only. The main checks are enough for it. */
  isSibling: boolean;
  envelope: Envelope;
  /** Envelopes of single lists that differ. */
  envelopes: Partial<Record<ListName, Envelope>>;
  records: RecordShape;
  errors: ErrorShape;
  /** A parameter that the interface does not name. */
  unknownParameters: 'ignored' | 'refused';
  /**
   * Whether `origin_city` selects attachments. `partly`: every parameter that names a field of a row selects rows, and some rows
   * that do not match come too, but none for a value that no row has. `wrongly`: as `partly`, and some that match are missing.
   */
  filters: 'honoured' | 'ignored' | 'partly' | 'wrongly';
  limit: { default: number; maximum: number; above: 'refused' | 'clamped' };
  /** Every list has all rows in each answer. */
  whole: boolean;
  cursors: CursorRules;
  /** Lists that have no cursors at all: they ignore them. */
  cursorless: readonly ListName[];
  /** Order of the conversations and messages. */
  order: 'oldest first' | 'newest first';
  messages: 'answers' | 'missing' | 'never answers' | 'refuses all';
  /** Messages of a conversation. */
  letters: 'one' | 'several';
  /** Routes for one record: GET /v1/conversations/<id>, GET /v1/attachments/<id>. */
  singles: boolean;
  raw: 'described' | 'base64' | 'text/plain';
  acknowledgements: 'interface' | 'wrapped' | 'more fields' | 'not accepted';
  health: 'object' | 'text' | 'empty';
  /** Files are on another port, and nothing names it but the rows. */
  filesElsewhere: boolean;
  faults: {
    /** Share of list pages with wrong rows. */
    drift: number;
    /** Share of requests that fail in transport. */
    rough: number;
    seed: string;
  };
};
