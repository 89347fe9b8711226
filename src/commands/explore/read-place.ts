// Reads the places of the explorer, page by page, with what other commands use.
import type { App } from '../../app.ts';
import { STATED_TOTAL } from '../../client/shapes/page-facts.ts';
import type { Query } from '../../client/index.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { ARC_RECONSTRUCTION } from '../../contract/sequence.ts';
import type { SearchHit } from '../../contract/search/search.ts';
import type { Chunk, OnProgress } from '../../explore/archive.ts';
import type { Entry, SectionEntry } from '../../explore/entry.ts';
import type { Place } from '../../explore/place.ts';
import type { Displacement } from '../../format/plot/bar-chart.ts';
import { amountText } from '../../format/terminal/progress-text.ts';
import { formatCount } from '../../format/numbers.ts';
import { noArchiveText } from '../../wiring/no-archive.ts';
import { countsOf } from '../lists/archive-counts.ts';
import { attachmentSource } from '../attachments/catalogue.ts';
import { fieldFilters, filteredCatalogue } from '../attachments/filter.ts';
import { findConversation } from '../conversations/conversation-messages.ts';
import { findRecord } from '../lists/find-record.ts';
import { withoutUndefined } from '../shared/input.ts';
import { readAcceptedPage } from '../lists/page.ts';
import { readMessage } from '../read/read-message.ts';
import { readThreadOf } from '../read/read-thread.ts';
import { threadOrder } from '../read/thread-order.ts';
import { checkQuery, firstPage, readPage, unsearchedText } from '../search.ts';
import { conversationEntries, fileEntries, groupEntries, messageEntries } from './entries.ts';

/** Rows of the first page: a screen is filled soon. Later pages are as large as they may be. */
const FIRST_PAGE_ROWS = 100;

/** What one place has shown so far, across its requests. */
export type Memory = {
  /** Ids of rows, so that one that is shown twice is noticed. */
  ids: Set<string>;
  /** The page size that the service accepted. */
  limit: number | undefined;
  /** Entries of a sequence. */
  positions: Displacement[];
  unchecked: number;
  /** The conversation whose messages are read. */
  conversation: Conversation | undefined;
};

/** Returns the memory of a place of which nothing was read. */
export function noMemory(): Memory {
  return { ids: new Set(), limit: undefined, positions: [], unchecked: 0, conversation: undefined };
}

/** Reads the chunk of a place that begins at `from`. `app` ends its requests with the signal of this read. */
export async function readPlace(
  place: Place,
  from: string | undefined,
  memory: Memory,
  app: App,
  onProgress: OnProgress,
): Promise<Chunk> {
  switch (place.kind) {
    case 'overview':
      return from === undefined ? sections(app) : catalogueCounts(from, memory, app);
    case 'conversations': {
      const client = await app.client();
      const read = async (query: Query) => (await client.conversations(query)).body;
      return listChunk(read, (rows) => conversationEntries(rows, app.instants), from, memory, app);
    }
    case 'files': {
      const list = await filteredCatalogue(fieldFilters(place), app);
      const read = async (query: Query) => {
        const page = await list.page(query);
        // A row that does not match is still where reading goes on.
        return { ...page, shown: page.data.filter((row) => list.matches(row)) };
      };
      const chunk = await listChunk(read, fileEntries, from, memory, app);
      const fault = list.fault();
      return fault === undefined ? chunk : { ...chunk, doubts: [...(chunk.doubts ?? []), fault.message] };
    }
    case 'thread':
      return threadChunk(place.id, memory, app, onProgress);
    case 'message': {
      const { id, headers = false, lore = false } = place;
      const message = await readMessage(id, { headers, lore, preferHtml: false }, app);
      return { document: { kind: 'message', message } };
    }
    case 'file':
      return {
        document: { kind: 'file', row: await findRecord(place.id, await attachmentSource(app), app) },
      };
    case 'sequence':
      return sequenceChunk(place.name, from, memory, app);
    default:
      return searchChunk(place.query, from, memory, app);
  }
}

/** Reads the conversation, then all of its messages: their order is known only then. */
async function threadChunk(id: string, memory: Memory, app: App, onProgress: OnProgress): Promise<Chunk> {
  if (memory.conversation === undefined) {
    const conversation = await findConversation(id, await app.client(), app);
    memory.conversation = conversation;
    const [entry] = conversationEntries([conversation], app.instants);
    const title = entry === undefined || entry.subject === '' ? id : `${id} ${entry.subject}`;
    return { title, total: conversation.message_count, next: '' };
  }
  const { messages, fault } = await readThreadOf(
    memory.conversation,
    app,
    (rows, { message_count: total }) => {
      const isMore = total !== undefined && rows.length < total;
      const text = isMore
        ? amountText({ done: rows.length, total, unit: 'messages' })
        : 'comparing more answers';
      onProgress(text, messageEntries(threadOrder(rows), app));
    },
  );
  return {
    entries: messageEntries(threadOrder(messages), app),
    replaces: true,
    ...(fault === undefined ? {} : { doubts: [fault.message] }),
  };
}

/** The counts of our service; another one may not say any. */
async function sections(app: App): Promise<Chunk> {
  const counts = await countsOf(app);
  const entries: SectionEntry[] = [
    {
      kind: 'section',
      id: 'conversations',
      label: 'Conversations',
      count: counts['conversations'],
      opens: { kind: 'conversations' },
    },
    { kind: 'section', id: 'files', label: 'Files', count: counts['attachments'], opens: { kind: 'files' } },
    {
      kind: 'section',
      id: 'sequence',
      label: `Drift of ${ARC_RECONSTRUCTION}`,
      count: undefined,
      opens: { kind: 'sequence', name: ARC_RECONSTRUCTION },
    },
  ];
  const isEmpty = !app.isRemote && counts['messages'] === 0 && counts['attachments'] === 0;
  return { entries, next: '', doubts: isEmpty ? [await noArchiveText(app)] : [] };
}

async function catalogueCounts(from: string, memory: Memory, app: App): Promise<Chunk> {
  const client = await app.client();
  const read = async (query: Query) => (await client.attachments(query)).body;
  const start = from === '' ? undefined : from;
  return listChunk(read, groupEntries, start, memory, app, PAGE_LIMIT.maximum);
}

/** A page, as far as a list needs it. `shown`: the rows that match; absent: all of them. */
type Page<Row> = {
  data: Row[];
  shown?: Row[];
  has_more?: boolean | undefined;
  drift_ratio?: number | undefined;
  [STATED_TOTAL]?: number | undefined;
};

/** Reads a page of a list. Rows that came before, and a list that does not go on, are doubts about all of it. */
async function listChunk<Row extends { id: string }>(
  read: (query: Query) => Promise<Page<Row>>,
  entriesOf: (rows: readonly Row[]) => Entry[],
  from: string | undefined,
  memory: Memory,
  app: App,
  firstRows = FIRST_PAGE_ROWS,
): Promise<Chunk> {
  const wanted = from === undefined ? firstRows : (memory.limit ?? PAGE_LIMIT.maximum);
  const readSized = (limit: number | undefined) => read(withoutUndefined({ starting_after: from, limit }));
  const { page, limit } = await readAcceptedPage(readSized, wanted, app);
  if (limit !== undefined && limit < wanted) memory.limit = limit;
  const fresh = page.data.filter(({ id }) => !memory.ids.has(id));
  for (const { id } of fresh) memory.ids.add(id);
  const again = page.data.length - fresh.length;
  const shown = page.shown === undefined ? fresh : fresh.filter((row) => page.shown!.includes(row));
  const doubts: string[] = [];
  if (again > 0) doubts.push(`the service listed ${formatCount(again)} rows twice: others may be missing`);
  // A page is read once here, and not compared with others as a walk does.
  if ((page.drift_ratio ?? 0) > 0)
    doubts.push('the service reports drift: rows may be missing; Y copies the command that lists all');
  const last = page.data.at(-1)?.id;
  const isEnd = page.has_more === false || (page.data.length === 0 && page.has_more !== true);
  const isStuck = !isEnd && fresh.length === 0;
  if (isStuck) doubts.push('the service does not go on after this row: the rest is not shown');
  const total = page[STATED_TOTAL];
  if (isEnd && total !== undefined && total > memory.ids.size)
    doubts.push(`the service counts ${formatCount(total)} rows and lists ${formatCount(memory.ids.size)}`);
  return {
    entries: entriesOf(shown),
    total,
    doubts,
    ...(isEnd || isStuck || last === undefined ? {} : { next: last }),
  };
}

async function sequenceChunk(
  name: string,
  from: string | undefined,
  memory: Memory,
  app: App,
): Promise<Chunk> {
  const client = await app.client();
  const query = withoutUndefined({ starting_after: from, limit: PAGE_LIMIT.maximum });
  const { body } = await client.sequence(name, query);
  const fresh = body.data.filter(({ id }) => id === undefined || !memory.ids.has(id));
  for (const { id, row } of fresh) {
    if (id !== undefined) memory.ids.add(id);
    const { checked, offset } = row;
    if (checked === undefined || offset === undefined) memory.unchecked += 1;
    else memory.positions.push({ checked, offset });
  }
  const last = fresh.at(-1)?.id;
  const isEnd = body.has_more === false || last === undefined;
  return {
    document: { kind: 'plot', name, rows: [...memory.positions], unchecked: memory.unchecked },
    doubts: isEnd && body.has_more === true ? ['the service does not go on: the rest is not shown'] : [],
    ...(isEnd ? {} : { next: last }),
  };
}

async function searchChunk(q: string, from: string | undefined, memory: Memory, app: App): Promise<Chunk> {
  const query = checkQuery(q, app);
  const client = await app.client();
  const asked = withoutUndefined({ q, starting_after: from, limit: FIRST_PAGE_ROWS });
  const page = from === undefined ? await firstPage(client, asked, app) : await readPage(client, asked);
  const { index, notes, total, has_more } = page;
  const unsearched = unsearchedText(page, query);
  const missing = index.of - index.indexed;
  const rows = page.data.filter(({ id }) => !memory.ids.has(id));
  for (const { id } of rows) memory.ids.add(id);
  const placed = rows.map((row) => ({ row, depth: 0 }));
  const last = page.data.at(-1)?.id;
  return {
    entries: messageEntries(placed, app, ({ snippet, matched = [], conversation_id }: SearchHit) => ({
      conversation: conversation_id ?? undefined,
      snippet: snippet ?? '',
      isQuoted: matched.includes('quoted') && !matched.includes('body'),
    })),
    total,
    doubts: [
      ...(missing > 0 ? [`${formatCount(missing)} messages are not indexed yet, so not found`] : []),
      ...(unsearched === undefined ? [] : [unsearched]),
      ...notes,
    ],
    ...(has_more && last !== undefined && rows.length > 0 ? { next: last } : {}),
  };
}
