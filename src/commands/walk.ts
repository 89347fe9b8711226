// `arx walk URL`: the exact list of any service whose cursors are the ids of its rows, with the rows as received.
import * as z from 'zod';
import type { App } from '../app.ts';
import { isWithin, parseAddress, withoutFinalSlashes } from '../client/base-url.ts';
import { createUnknownListParser, type UnknownRow } from '../client/unknown-list.ts';
import type { RowChanges } from '../client/remembered-rows.ts';
import { Fault } from '../faults.ts';
import { anyView } from '../format/views/index.ts';
import type { PageQuery, Source } from '../walk/source.ts';
import { changesBesidePosition, StatedTotals } from './lists/contradictions.ts';
import { withoutUndefined } from './shared/input.ts';
import { readableList, type ReadableList } from './lists/readable-list.ts';
import { WalkInput } from './walk/walk-input.ts';
import { pageRowsOf, walkList } from './walk/walk-list.ts';

const Name = z.string().min(1).max(200);

export const Input = WalkInput.extend({
  url: z.string().min(1),
  idField: Name.optional(),
  dataField: Name.optional(),
  positionsField: Name.optional(),
  afterParam: Name.default('starting_after'),
  beforeParam: Name.default('ending_before'),
  limitParam: Name.default('limit'),
  forwardOnly: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  const url = parseAddress(input.url, {
    what: 'URL of the list',
    form: ({ arx }) => `https://HOST[:PORT]/PATH; the list of an archive: ${arx} conversations walk`,
    hint: '--token-file FILE gives a token',
    insecureHttp: app.settings.insecure_http.value,
  });
  url.hash = '';
  const { source, firstPage, changes, totals } = await unknownSource(url, input, app);
  const { source: readable, pageRows } = await walkableList(source, input, app);
  const { rows, id } = firstPage();
  const list = {
    source: readable,
    pageRows,
    noun: 'row',
    view: anyView(id, rows),
    shown: ({ row }: UnknownRow) => row,
    changes: () => changesBesidePosition(changes(), input.positionsField),
    totals,
    subject: { base_url: url.href, list: `rows by ${id}` },
  };
  await walkList(list, { ...input, crossCheck: 'off' }, app);
}

/**
 * Returns the list behind an address. `firstPage` returns the rows of the first page that was read, and where their ids
 * are.
 */
async function unknownSource(
  url: URL,
  input: Input,
  app: App,
): Promise<{
  source: Source<UnknownRow>;
  firstPage: () => { rows: Record<string, unknown>[]; id: string };
  changes: () => RowChanges;
  totals: StatedTotals;
}> {
  const send = await app.sendTo(url);
  const list = createUnknownListParser({
    name:
      withoutFinalSlashes(url.pathname)
        .split(/[^\w-]/)
        .at(-1) || undefined,
    id: input.idField,
    rows: input.dataField,
    position: input.positionsField,
    log: app.log,
  });
  const totals = new StatedTotals();
  let first: UnknownRow[] | undefined;
  const page = async (query: PageQuery) => {
    const target = pageUrl(url, query, input);
    try {
      const isBackward = query.before !== undefined && query.after === undefined;
      const { body } = await send({ method: 'GET', url: target, withToken: true }, (answer) =>
        list.parse(answer, isBackward, query.after),
      );
      totals.add(body, query.limit);
      const { data, has_more, drift_ratio } = body;
      first ??= data;
      return { rows: data, ...withoutUndefined({ has_more, drift_ratio }) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw first === undefined && error.detail.isMissingPage === true
        ? noList()
        : await withExplanation(error, url, app);
    }
  };
  const firstPage = () => ({
    rows: (first ?? []).map(({ row }) => row),
    // A map without ids in its rows gets them from its keys.
    id: input.idField ?? (list.guess()?.id || 'id'),
  });
  return { source: { page }, firstPage, changes: list.changes, totals };
}

function pageUrl(url: URL, { after, before, limit }: PageQuery, input: Input): URL {
  const target = new URL(url);
  const { searchParams } = target;
  if (after !== undefined) searchParams.set(input.afterParam, after);
  if (before !== undefined) searchParams.set(input.beforeParam, before);
  searchParams.set(input.limitParam, String(limit));
  return target;
}

/** Returns the Fault of an address at which there is a web page that says that there is nothing. */
function noList(): Fault {
  return new Fault('protocol', 'the answer is a web page, not a list: status 404', {
    hint: 'check the address of the list',
  });
}

/** Stripe answers 400 for a cursor that is gone: that is `not_found`. `arx login` helps only at the base URL. */
async function withExplanation(fault: Fault, url: URL, app: App): Promise<Fault> {
  if (fault.detail.code === 'resource_missing') return new Fault('not_found', fault.message, fault.detail);
  if (fault.kind !== 'auth') return fault;
  const base = app.settings.base_url.value;
  if (base !== undefined && isWithin(url, new URL(base))) return fault;
  return new Fault('auth', fault.message, { ...fault.detail, hint: '--token-file FILE gives a token' });
}

/** Returns the list as the service lets it be read. Throws Fault 'protocol' where it follows no cursor. */
async function walkableList(
  source: Source<UnknownRow>,
  input: Input,
  app: App,
): Promise<ReadableList<UnknownRow>> {
  const { afterParam, beforeParam, forwardOnly } = input;
  const list = await readableList(
    source,
    { ...input, limit: pageRowsOf(input) },
    app,
    forwardOnly ? ['forward'] : undefined,
  );
  const { directions } = list.source;
  if (!directions.has('forward')) {
    throw new Fault('protocol', `the service does not follow ${afterParam}: it shows the same rows again`, {
      hint: '--after-param names its cursor parameter, --id-field what it takes',
    });
  }
  if (forwardOnly) return { ...list, source: { ...list.source, directions: new Set(['forward']) } };
  if (!directions.has('backward'))
    app.notice(`the service does not follow ${beforeParam}: read forward only`);
  return list;
}
