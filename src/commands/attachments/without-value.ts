// Says how many files show no city, type or source, where files of one value are asked for: whether they match cannot be told.
import type { App } from '../../app.ts';
import type { Query } from '../../client/index.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { Fault } from '../../faults.ts';
import { formatCount } from '../../format/numbers.ts';
import { shellLine } from '../../shell-words.ts';
import { isDrifting } from '../lists/page.ts';
import { sayLeftOut, type LeftOut } from '../lists/row-tests.ts';
import {
  attachmentTests,
  fieldFilters,
  listWithout,
  SELECTOR_NAMES,
  selectorWords,
  type MatchedMessages,
  type Selectors,
} from './filter.ts';
import type { MessageFacts } from './message-facts.ts';

/** Pages that are read to find such files. Most archives have few, and nobody waits long for a notice. */
const MAX_PAGES = 10;

/** What the files were selected by. `messages`: only files of these. `facts` knows dates and senders. */
export type ValueSelection = {
  input: Selectors & { redacted?: 'yes' | 'no' | undefined };
  messages: MatchedMessages | undefined;
  facts: MessageFacts | undefined;
};

/** The files that may match although they show no city, type or source: those that are withheld. */
export class FilesWithoutValue {
  #leftOut: Promise<readonly LeftOut[]> | undefined;

  /**
   * Returns whether there are such files, for a city, type and source that our service selects by. Of other services, and for patterns,
   * the rows of the list themselves tell. Asks the service once. `isOurs`: whether the rows came from our service.
   */
  async mayMatch(
    selection: ValueSelection,
    isOurs: boolean,
    app: Pick<App, 'client' | 'world' | 'log'>,
  ): Promise<boolean> {
    this.#leftOut ??= isOurs ? findLeftOut(selection, app) : Promise.resolve([]);
    return (await this.#leftOut).length > 0;
  }

  /** Says how many there are, after {@link mayMatch}; under `--strict` that is a Fault of the run. */
  async say(app: Pick<App, 'strict' | 'notice' | 'addFault'>): Promise<void> {
    for (const leftOut of (await this.#leftOut) ?? []) sayLeftOut(leftOut, app);
  }
}

/** Returns the files that show no value although nothing else excludes them, by the columns that they do not show. */
async function findLeftOut(
  { input, messages, facts }: ValueSelection,
  app: Pick<App, 'client' | 'world' | 'log'>,
): Promise<LeftOut[]> {
  const filters = fieldFilters(input).flatMap(({ field, value }) => {
    const column = COLUMN_OF_FIELD[field];
    return column === undefined ? [] : [{ column, field, value }];
  });
  if (filters.length === 0 || input.redacted === 'no') return [];
  const others = { ...input, city: undefined, type: undefined, source: undefined };
  const tests = attachmentTests(others, facts, messages, app.world.now());
  /** Returns the columns that a row does not show; undefined where it cannot match. */
  const undecided = (row: Attachment): string[] | undefined => {
    if (tests.some((test) => test.matches(row) === false)) return undefined;
    const shown = filters.filter(({ field }) => row[field] !== undefined && row[field] !== null);
    if (shown.some(({ field, value }) => row[field] !== value)) return undefined;
    return filters.filter((filter) => !shown.includes(filter)).map(({ column }) => column);
  };
  const client = await app.client();
  const groups = new Map<string, { columns: string[]; ids: Set<string> }>();
  let isAll = false;
  // Pages that drift may miss rows, or have one twice.
  let mayMiss = false;
  let after: Query = {};
  try {
    for (let pages = 0; pages < MAX_PAGES && !isAll && groups.size === 0; pages += 1) {
      const { body } = await client.attachments({
        redacted: true,
        limit: PAGE_LIMIT.maximum,
        ...(input.message === undefined ? {} : { message_id: input.message }),
        ...after,
      });
      await facts?.add(body.data);
      for (const row of body.data) {
        const columns = undecided(row) ?? [];
        if (columns.length === 0) continue;
        const column = columns.join(' and ');
        const group = groups.get(column) ?? { columns, ids: new Set() };
        groups.set(column, group);
        group.ids.add(row.id);
      }
      after = { starting_after: body.data.at(-1)?.id };
      isAll = body.has_more !== true;
      mayMiss ||= isDrifting(body);
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    // The files that match were listed, so this is no fault of the run.
    app.log(`cannot tell how many files show no value that was asked for: ${error.message}`);
  }
  return [...groups].map(([column, { columns, ids }]) => {
    const least = isAll && !mayMiss ? '' : 'at least ';
    const rows =
      ids.size === 1
        ? '1 withheld row does not show its'
        : `${formatCount(ids.size)} withheld rows do not show their`;
    const message = `${least}${rows} ${column}: ${ids.size === 1 ? 'it may match, and is' : 'they may match, and are'} left out`;
    const command = `${listWithout(columns)} --redacted yes${keptOptions(input)}`;
    return { message, count: ids.size, command };
  });
}

/** Returns the options that excluded other rows: all but those of a value that the rows do not show. */
function keptOptions(input: Selectors): string {
  const kept = SELECTOR_NAMES.filter((name) => name !== 'city' && name !== 'type' && name !== 'source');
  const words = selectorWords(input, kept);
  return words.length === 0 ? '' : ` ${shellLine(words)}`;
}

const COLUMN_OF_FIELD: Readonly<Record<string, 'city' | 'type' | 'source'>> = {
  origin_city: 'city',
  content_type: 'type',
  source: 'source',
};
