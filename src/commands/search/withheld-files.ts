// The withheld files that a search cannot look into: those of messages that the other conditions of its query allow.
import type { App } from '../../app.ts';
import type { Client } from '../../client/index.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import type { SearchQuery } from '../../contract/search/expression.ts';
import { Fault } from '../../faults.ts';

/** Pages of withheld files, and of messages, that are read to find out. */
const MAX_PAGES = 10;

/** Conditions that files decide, so that a withheld one may fulfil them. */
const OF_FILES: ReadonlySet<string> = new Set(['city', 'type']);

/**
 * Returns the ids of the withheld files that may match: their messages fulfil the source, the dates and so on that the query asks for.
 * Undefined where that cannot be told.
 */
export async function filesThatMayMatch(
  { filters, parts }: SearchQuery,
  client: Pick<Client, 'attachments' | 'search'>,
  app: Pick<App, 'log'>,
): Promise<readonly string[] | undefined> {
  // The filters are the last parts.
  const written = parts.slice(parts.length - filters.length);
  const others = written.filter((_, at) => !OF_FILES.has(filters[at]?.kind ?? ''));
  try {
    const files = await allRows((after) =>
      client.attachments({ redacted: true, limit: PAGE_LIMIT.maximum, ...after }),
    );
    if (others.length === 0 || files === undefined) return files?.map(({ id }) => id);
    const q = [...others, 'has:attachment'].join(' ');
    const messages = await allRows((after) =>
      client.search({ q, snippets: false, limit: PAGE_LIMIT.maximum, ...after }),
    );
    const ids = messages && new Set(messages.map(({ id }) => id));
    return (
      ids && files.filter(({ message_id: id }) => typeof id !== 'string' || ids.has(id)).map(({ id }) => id)
    );
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    app.log(`cannot tell which withheld files may match: ${error.message}`);
    return undefined;
  }
}

/** Returns the rows of all pages; undefined where there are too many. */
async function allRows<Row extends { id: string }>(
  read: (after: {
    starting_after?: string;
  }) => Promise<{ body: { data: Row[]; has_more?: boolean | undefined } }>,
): Promise<Row[] | undefined> {
  const rows: Row[] = [];
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const last = rows.at(-1)?.id;
    const { body } = await read(last === undefined ? {} : { starting_after: last });
    rows.push(...body.data);
    if (body.has_more !== true || body.data.length === 0) return rows;
  }
  return undefined;
}
