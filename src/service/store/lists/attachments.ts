// Reads attachments: the rows of a message, and windows of the list in order of arrival.
import { TIERS, type Tier } from '../../../contract/tier.ts';
import { tiersAbove, tiersUpTo } from '../../rules/tiers.ts';
import { openFileIndex, type OpenFileColumn } from '../schema/open-file-index.ts';
import type { Statements } from '../sql/database.ts';
import { readRanges, type IndexRange, type RangesQuery } from '../sql/index-ranges.ts';
import { readPageRows, type Condition, type Span } from '../sql/keyset.ts';
import { attachmentJson, ATTACHMENTS, type AttachmentRow } from '../../records/attachment.ts';
import { isOpenFile, statementFor } from '../../records/reader.ts';

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

const RECORDS = statementFor((reader) => `SELECT ${attachmentJson(reader)} AS json FROM attachments`);

const NUMBER = { table: 'attachments', key: ['n'] };

/** Returns a window of the matching rows as a reader of this tier sees them. */
export function readAttachments(statements: Statements, filter: AttachmentFilter, reader: Tier, span: Span) {
  const select = RECORDS(reader);
  const { redacted, message, n } = filter;
  const values = valuesOf(filter);
  // The value of a redacted row is shown to nobody.
  const isEmpty = values.length > 0 && redacted === true;
  if (
    n !== undefined ||
    isEmpty ||
    (values.length === 0 && redacted === undefined && message === undefined)
  ) {
    const where = isEmpty ? [NOTHING] : n === undefined ? [] : [{ sql: 'n = $1', values: [n] }];
    return readPageRows(statements, { select, key: ['n'], where, rows: NUMBER }, span);
  }
  const query =
    message === undefined ? rangesOf(values, reader, redacted === true) : ofMessage(message, filter, reader);
  return readRanges(statements, { table: 'attachments', select, ...query }, span);
}

const NOTHING: Condition = { sql: '1 = 0', values: [] };

/** A filter that asks for a value. */
type ValueFilter = readonly [column: OpenFileColumn, value: string];

function valuesOf({ origin_city, content_type, source }: AttachmentFilter): ValueFilter[] {
  const filters = [
    ['origin_city', origin_city],
    ['declared_type', content_type],
    ['source', source],
  ] as const;
  return filters.flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as const]));
}

/**
 * The rows that show these values, or, where none is asked for, all whose bytes a reader gets (`isClosed`: does not get). A
 * filter that asks for a value matches only rows that show it: a match would reveal the value of a withheld row.
 */
function rangesOf(values: readonly ValueFilter[], reader: Tier, isClosed: boolean): Ranges {
  const columns = values.map(([column]) => column);
  const open = { ...openFileIndex(columns), given: columns };
  const of = (index: Omit<IndexRange, 'fixed'>, tiers: readonly Tier[]): IndexRange[] =>
    tiers.map((tier) => ({ ...index, fixed: [['tier', `'${tier}'`]] }));
  return {
    ranges: isClosed ? [...of(CLOSED, TIERS), ...of(open, tiersAbove(reader))] : of(open, tiersUpTo(reader)),
    given: values.map(([, value]) => value),
  };
}

type Ranges = Pick<RangesQuery, 'ranges' | 'given' | 'where'>;

/** The index of redacted rows. */
const CLOSED = { index: 'attachments_closed', condition: '(redacted = 1) IS TRUE', given: [] };

/** The rows of a message, whose message is always shown. Other filters read all of them: at most the files of one message. */
function ofMessage(message: number, filter: AttachmentFilter, reader: Tier): Ranges {
  const where: Condition[] = valuesOf(filter).map(([column, value]) => ({
    sql: `${column} = $1`,
    values: [value],
  }));
  const isOpen = isOpenFile('', reader);
  if (where.length > 0 || filter.redacted === false) where.push({ sql: isOpen, values: [] });
  else if (filter.redacted === true) where.push({ sql: `NOT (${isOpen})`, values: [] });
  const range = { index: 'attachments_of_message', fixed: [], given: ['message'] };
  return { ranges: [range], given: [message], where };
}
