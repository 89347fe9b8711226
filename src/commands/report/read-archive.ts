// Reads every list of an archive once and counts its rows. A list that cannot be read is named with the reason; the others count.
import type { App } from '../../app.ts';
import { UNSUPPORTED_STATUS } from '../../capabilities/unsupported-status.ts';
import type { Client, ListName } from '../../client/index.ts';
import { fileStateOf } from '../../contract/attachment-file.ts';
import type { Attachment } from '../../contract/attachment.ts';
import type { Health } from '../../contract/health.ts';
import type { ArchiveReport, FilesByValue, ReadList } from '../../contract/reports/whole-archive.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { ARC_RECONSTRUCTION } from '../../contract/sequence.ts';
import { Fault, type Hint } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { conversationView, messageView } from '../../format/views/index.ts';
import { filteredCatalogue } from '../attachments/filter.ts';
import { countContradictions, twoHashesFault } from '../lists/contradictions.ts';
import { exactRows, exactRowsOf, type ExactRows, type SayCost } from '../lists/exact-rows.ts';
import { FilteredList } from '../lists/filtered-list.ts';
import { filteredMessages } from '../messages/message-list.ts';
import { localTests, requestsOfExactList } from '../lists/row-listing.ts';
import { instantOfColumn, valueOfColumn } from '../lists/row-tests.ts';
import { withProgress } from '../lists/with-progress.ts';
import { isWithheld } from '../lists/withheld-rows.ts';
import { IntegrityCounts } from './integrity-counts.ts';
import { MonthCounts } from './month-counts.ts';
import { SequenceDrift } from './sequence-drift.ts';
import { ValueCounts } from './value-counts.ts';

/** What the lists of an archive say. */
export type Figures = Pick<
  ArchiveReport,
  'complete' | 'lists' | 'attachments' | 'conversations' | 'messages' | 'integrity' | 'sequence'
>;

/** Faults that end the run even where something was read. */
const ENDING = new Set(['interrupted', 'usage', 'internal', 'disk', 'store']);
/** Faults after which the next list could not be read, either. */
const STOPPING = new Set(['network', 'busy', 'auth']);

/** Returns the figures. Throws the Fault of the first list where no other could be read, either. */
export async function readArchive(health: Health | undefined, app: App): Promise<Figures> {
  const client = await app.client();
  const counts = health?.counts ?? {};
  const isCostSaid = sayWholeCost(counts, app);
  const reader = new ListReader(client, counts, app);
  const sayCost = (list: { sayCost: SayCost }): SayCost | undefined =>
    isCostSaid ? undefined : list.sayCost;

  const files = new FileCounts();
  const catalogue = await filteredCatalogue([], app, localTests([], 'attachments', app, ' of attachments'));
  await reader.read('attachments', exactRowsOf(catalogue, app, {}, sayCost(catalogue)), (row) =>
    files.add(row),
  );

  const ofConversations = new IntegrityCounts();
  const conversations = new FilteredList(
    (query) => client.conversations(query),
    [],
    app,
    localTests([], 'conversations', app, ' of conversations'),
  );
  const withheld = { conversations: 0, messages: 0 };
  const conversationIntegrity = valueOfColumn(conversationView, 'integrity');
  await reader.read('conversations', exactRowsOf(conversations, app, {}, sayCost(conversations)), (row) => {
    if (isWithheld(row)) withheld.conversations += 1;
    ofConversations.add(conversationIntegrity(row));
  });

  const months = new MonthCounts();
  const sources = new ValueCounts();
  const ofMessages = new IntegrityCounts();
  const messages = filteredMessages({}, client, app, localTests([], 'messages', app, ' of messages'));
  const dateOf = instantOfColumn(messageView, 'date');
  const sourceOf = valueOfColumn(messageView, 'source');
  const messageIntegrity = valueOfColumn(messageView, 'integrity');
  await reader.read('messages', exactRowsOf(messages, app, {}, sayCost(messages)), (row) => {
    if (isWithheld(row)) withheld.messages += 1;
    months.add(dateOf(row));
    sources.add(sourceOf(row)?.toString());
    ofMessages.add(messageIntegrity(row));
  });

  const drift = new SequenceDrift();
  await reader.read('sequence', sequenceRows(client, app), (offset) => drift.add(offset));

  const rows = reader.rows;
  return {
    complete: reader.lists.every(({ complete }) => complete),
    lists: reader.lists,
    attachments: files.report(),
    conversations: { total: rows('conversations'), withheld: withheld.conversations },
    messages: {
      total: rows('messages'),
      withheld: withheld.messages,
      ...months.report(),
      sources: sources.most((value, sums) => ({ value, messages: sums.rows })),
    },
    integrity: {
      attachments: files.integrity.report(),
      conversations: ofConversations.report(),
      messages: ofMessages.report(),
    },
    sequence: rows('sequence') === 0 ? null : drift.report(ARC_RECONSTRUCTION),
  };
}

/** Says what reading a remote archive costs, where its service counts its rows. Returns whether that is known. */
function sayWholeCost({ attachments, conversations, messages }: Record<string, number>, app: App): boolean {
  if (!app.isRemote) return true;
  if (attachments === undefined || conversations === undefined || messages === undefined) return false;
  // Messages are read twice: in their list, and in their sequence.
  const pages = [attachments, conversations, messages, messages].map((rows) =>
    Math.ceil(rows / PAGE_LIMIT.maximum),
  );
  const requests = pages.reduce((sum, count) => sum + requestsOfExactList(count), 0);
  app.notice(
    `needs the whole archive (${plural(attachments, 'attachment')}, ${plural(conversations, 'conversation')}, ${plural(messages, 'message')}): about ${plural(requests, 'request')}`,
  );
  return true;
}

/** Returns the offsets of the entries of the sequence that the interface names (interface 4.4). */
function sequenceRows(client: Client, app: App): Pick<ExactRows<number | undefined>, 'rows' | 'fault'> {
  const listing = exactRows(
    async (window) => (await client.sequence(ARC_RECONSTRUCTION, window)).body,
    ({ id }) => {
      if (id !== undefined) return id;
      throw new Fault('partial', 'its entries have no ids, so it cannot be read to its end');
    },
    app,
  );
  async function* offsets(): AsyncGenerator<number | undefined> {
    for await (const { row } of listing.rows) yield row.checked === undefined ? undefined : row.offset;
  }
  return { rows: offsets(), fault: listing.fault };
}

/** The attachments, counted. */
class FileCounts {
  readonly integrity = new IntegrityCounts();
  readonly #cities = new ValueCounts();
  readonly #types = new ValueCounts();
  readonly #sources = new ValueCounts();
  readonly #totals = { total: 0, available: 0, withheld: 0, absent: 0, bytes: 0 };

  add(row: Attachment): void {
    const state = fileStateOf(row);
    const bytes = row.bytes ?? 0;
    this.#totals.total += 1;
    this.#totals[state] += 1;
    this.#totals.bytes += bytes;
    this.integrity.add(row.integrity);
    for (const sums of [
      this.#cities.add(row.origin_city),
      this.#types.add(row.content_type),
      this.#sources.add(row.source),
    ]) {
      if (sums === undefined) continue;
      sums[state] += 1;
      sums.bytes += bytes;
    }
  }

  report(): ArchiveReport['attachments'] {
    const most = (counts: ValueCounts): FilesByValue =>
      counts.most((value, { rows, ...others }) => ({ value, files: rows, ...others }));
    return {
      ...this.#totals,
      cities: most(this.#cities),
      types: most(this.#types),
      sources: most(this.#sources),
    };
  }
}

/** Reads lists one after the other and remembers how far each was read. */
class ListReader {
  readonly lists: ReadList[] = [];
  readonly #client: Client;
  readonly #counts: Readonly<Record<string, number>>;
  readonly #app: App;
  #stopped: ReadList['list'] | undefined;

  constructor(client: Client, counts: Readonly<Record<string, number>>, app: App) {
    this.#client = client;
    this.#counts = counts;
    this.#app = app;
  }

  readonly rows = (name: ReadList['list']): number => this.lists.find(({ list }) => list === name)?.rows ?? 0;

  /** Gives each row of a list to `take`, and adds the Fault of a list that was not read to its end. */
  async read<Row>(
    name: ReadList['list'],
    { rows, fault }: Pick<ExactRows<Row>, 'rows' | 'fault'>,
    take: (row: Row) => void,
  ): Promise<void> {
    if (this.#stopped !== undefined) {
      const problem = { class: 'partial', message: `not read: the reading of ${this.#stopped} had failed` };
      this.lists.push({ list: name, rows: 0, complete: false, changed: 0, problem });
      return;
    }
    let count = 0;
    let problem: Fault | undefined;
    try {
      const total = this.#counts[name === 'sequence' ? 'messages' : name];
      for await (const row of withProgress(rows, `reading ${name}`, 'rows', this.#app, total)) {
        count += 1;
        take(row);
      }
      problem = fault();
    } catch (error) {
      if (!(error instanceof Fault) || ENDING.has(error.kind)) throw error;
      const isFirst = count === 0 && this.lists.every((list) => list.rows === 0);
      if (STOPPING.has(error.kind)) {
        if (isFirst) throw error;
        this.#stopped = name;
      }
      problem = refusalOf(name, error);
    }
    const changes = this.#client.changesOf(LISTS[name]);
    problem ??= twoHashesFault(changes);
    this.lists.push({
      list: name,
      rows: count,
      complete: problem === undefined,
      changed: changes.size,
      problem: problem === undefined ? null : { class: problem.kind, message: problem.message },
    });
    if (problem !== undefined) {
      const { kind, message, detail } = problem;
      const how = count === 0 ? 'not read' : `not complete, ${plural(count, 'row')} read`;
      this.#app.addFault(new Fault(kind, `${name} ${how}: ${message}`, detail));
    }
    const contradiction = this.#client.contradictionOf(LISTS[name]);
    countContradictions(this.#app, contradiction, changes);
  }
}

/** The lists by the names that the client has for them. */
const LISTS: Readonly<Record<ReadList['list'], ListName>> = {
  attachments: 'attachments',
  conversations: 'conversations',
  messages: 'messages',
  sequence: 'entries',
};

/**
 * Returns the Fault for a list that the service lacks, or that this reader may not read: `partial`, since the rest of the archive
 * is read. The interface leaves /messages open, and a low tier has no scope for the sequence.
 */
function refusalOf(name: ReadList['list'], fault: Fault): Fault {
  const { hint: _, ...detail } = fault.detail;
  const isMissing = fault.kind === 'not_found' || UNSUPPORTED_STATUS.has(detail.status ?? 0);
  const isPart = isMissing || (fault.kind === 'forbidden' && name === 'sequence');
  const hint: Hint = ({ arx }) =>
    `the report is of the other lists; ${arx} doctor tells what this service has, and whether it is an archive service`;
  return new Fault(isPart ? 'partial' : fault.kind, fault.message, {
    ...detail,
    ...(isMissing ? { hint } : {}),
  });
}
