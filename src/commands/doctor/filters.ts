// Finds out which filters of a list a service honours, with values that rows of the list have.
import type { Handling } from '../../contract/reports/service.ts';
import type { ListPages, ListedRow } from './list-pages.ts';
import { settle } from './settle.ts';

/** A filter: its parameter and the field of a row that it compares. It is tried where `insteadOf` is not honoured. */
type Filter = { parameter: string; field: string; insteadOf?: string };

/** The filters that are tried, by list: those that commands of arx send, and another name that arx does not use. */
export const TRIED_FILTERS: Readonly<Record<string, readonly Filter[]>> = {
  attachments: [
    { parameter: 'origin_city', field: 'origin_city' },
    { parameter: 'content_type', field: 'content_type' },
    { parameter: 'source', field: 'source' },
    { parameter: 'redacted', field: 'redacted' },
    { parameter: 'message_id', field: 'message_id' },
  ],
  messages: [
    { parameter: 'conversation', field: 'conversation_id' },
    { parameter: 'conversation_id', field: 'conversation_id', insteadOf: 'conversation' },
  ],
};

/** `ignored twice`: both requests of one read showed rows that the filter excludes. */
type Outcome = Exclude<Handling, 'unseen'> | 'ignored twice';

/** Rows that each of these requests asks for. */
const FILTERED_ROWS = 50;
/** A value that no row has. */
const NO_VALUE = 'arx-doctor-no-such-value';

/** Returns what the service does with each filter of the list. `rows` are rows of the list. */
export async function examineFilters(
  list: ListPages,
  filters: readonly Filter[],
  rows: readonly ListedRow[],
): Promise<Record<string, Handling>> {
  const found: Record<string, Handling> = {};
  for (const filter of filters) {
    const isNeeded = filter.insteadOf === undefined || found[filter.insteadOf] !== 'honoured';
    if (isNeeded) found[filter.parameter] = await examineFilter(list, filter, rows);
  }
  return found;
}

async function examineFilter(
  list: ListPages,
  { parameter, field }: Filter,
  rows: readonly ListedRow[],
): Promise<Handling> {
  const valueOf = (row: ListedRow): string | undefined => {
    const value = row[field];
    return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
  };
  const value = rows.map(valueOf).find((each) => each !== undefined && each !== '');
  if (value === undefined) return 'unseen';
  // The opposite of a flag has rows, any other value has none.
  const other = value === 'true' ? 'false' : value === 'false' ? 'true' : NO_VALUE;
  const ask = async (asked: string): Promise<'matching' | 'others' | 'none' | 'refused'> => {
    const seen = await list.read({ [parameter]: asked, limit: FILTERED_ROWS });
    if (seen.kind === 'refused') return 'refused';
    if (seen.kind === 'unreadable') return 'others';
    const { data: listed } = seen.page;
    if (listed.length === 0) return 'none';
    // Withheld rows may lack the field (interface 2.1), so a row without it proves nothing.
    const values = listed.map(valueOf).filter((each) => each !== undefined);
    return values.includes(asked) && values.every((each) => each === asked) ? 'matching' : 'others';
  };
  const settled = await settle<Outcome>(
    async () => {
      const wanted = await ask(value);
      if (wanted === 'refused') return 'refused';
      const others = await ask(other);
      if (wanted === 'matching' && others !== 'others') return 'honoured';
      if (wanted === 'none' && others !== 'others') return 'empty';
      if (others === 'none' && wanted === 'others') return 'partly';
      if (others !== 'others') return 'differs';
      return wanted === 'others' ? 'ignored twice' : 'ignored';
    },
    (outcome) => outcome === 'honoured' || outcome === 'ignored twice',
  );
  return settled === 'ignored twice' ? 'ignored' : settled;
}
