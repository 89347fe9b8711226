// Reads attachments: the rows of a message, and windows of the list in order of arrival.
import type { Tier } from '../../../contract/token.ts';
import { tiersAbove } from '../../rules/tiers.ts';
import type { Statements } from '../sql/database.ts';
import { readPageRows, type Condition, type Span } from '../sql/keyset.ts';
import { attachmentJson, ATTACHMENTS, type AttachmentRow } from '../../records/attachment.ts';
import { forReaders } from '../../records/reader.ts';

/** Filters of the list; an absent one matches every row. */
export type AttachmentFilter = {
  origin_city?: string | undefined;
  content_type?: string | undefined;
  source?: string | undefined;
  redacted?: boolean | undefined;
  message?: number | undefined;
  n?: number | undefined;
};

const SELECT = `SELECT ${ATTACHMENTS.select} FROM attachments`;

/** Returns all attachments of a message in the order of their parts. */
export function attachmentsOf(statements: Statements, message: number): Promise<AttachmentRow[]> {
  return statements.all<AttachmentRow>(`${SELECT} WHERE message = $1 ORDER BY part`, [message]);
}

/** Returns whether there is an attachment with this number. */
export async function hasAttachment(statements: Statements, n: number): Promise<boolean> {
  return (await statements.get('SELECT n FROM attachments WHERE n = $1', [n])) !== undefined;
}

const RECORDS = forReaders((reader) => `SELECT ${attachmentJson(reader)} AS json FROM attachments`);

/** Returns a window of the matching rows as a reader of this tier sees them. */
export function readAttachments(statements: Statements, filter: AttachmentFilter, reader: Tier, span: Span) {
  const where = conditionsOf(filter, reader);
  const rows = { table: 'attachments', key: ['n'] };
  return readPageRows(statements, { select: RECORDS[reader], key: ['n'], where, rows }, span);
}

/** Matches rows whose bytes a reader does not get. The text equals the conditions of the partial indexes in migrations.ts. */
const CLOSED: Record<Tier, string> = {
  external: `(redacted = 1 OR tier <> 'external') IS TRUE`,
  internal: `(redacted = 1 OR tier = 'mirror') IS TRUE`,
  mirror: 'redacted = 1',
};

const NOTHING: Condition = { sql: '1 = 0', values: [] };

/**
 * A filter that asks for a value matches only rows that show it: a match would reveal the value of a withheld row. The
 * message of a row is always shown.
 */
function conditionsOf(filter: AttachmentFilter, reader: Tier): Condition[] {
  const conditions: Condition[] = [];
  const { origin_city, content_type, source, redacted, message, n } = filter;

  const fields = Object.entries({ origin_city, declared_type: content_type, source });
  for (const [column, value] of fields) {
    if (value !== undefined) conditions.push({ sql: `${column} = $1`, values: [value] });
  }
  const asksForValues = conditions.length > 0;
  if (asksForValues && redacted === true) return [NOTHING];
  if (asksForValues || redacted === false) {
    const hidden = tiersAbove(reader);
    const isHidden = `tier IN (${hidden.map((_, index) => `$${index + 1}`).join(', ')})`;
    conditions.push({ sql: 'redacted = 0', values: [] });
    if (hidden.length > 0) conditions.push({ sql: `NOT ${isHidden}`, values: hidden });
  }

  if (n !== undefined) conditions.push({ sql: 'n = $1', values: [n] });
  if (message !== undefined) conditions.push({ sql: 'message = $1', values: [message] });
  if (redacted === true) conditions.push({ sql: CLOSED[reader], values: [] });
  return conditions;
}
