// One page of any list: its window checked against the archive, read (through the drift where there is one), and wrapped.
import type { List } from '../../contract/list.ts';
import type { RouteName } from '../../contract/routes.ts';
import { directionOf, isMisordered } from '../../contract/window.ts';
import { Refusal } from '../refusal.ts';
import type { DriftRead } from '../rules/drift.ts';
import type { DriftPage, DriftRow, DriftWindow } from '../rules/distortion.ts';
import { share } from '../rules/integrity.ts';
import type { Span } from '../store/window.ts';
import type { Call, Reply } from './exchange.ts';
import { visible } from './writes.ts';

/** A list in its stable order: where an id stands in it, and a span of it as records. */
export type Source<R extends { id: string }> = {
  /** The key of the row with this id, 'malformed' where no id looks so, undefined where there is no such row. */
  keyOf(id: string): Promise<readonly number[] | 'malformed' | undefined>;
  read(span: Span): Promise<DriftPage<R>>;
};

/** The lists that may lie and meet a faulty line, by route: two routes of one list are one. */
export const LISTS: { readonly [route in RouteName]?: string } = {
  attachments: 'attachments',
  conversations: 'conversations',
  messages: 'messages',
  messages_v1: 'messages',
};

type Listed = DriftRow & {
  integrity?: number | undefined;
  redacted?: boolean;
  status?: string | undefined;
};

/**
 * The page that the query asks for (interface 4.2, 4.7). Throws `limit_out_of_range`, `cursor_invalid`,
 * `cursor_not_found`, `sequence_conflict`. Status is partial where a row is redacted or withheld.
 */
export async function readList<R extends Listed>(call: Call, source: Source<R>): Promise<List<R>> {
  const window = windowOf(call);
  const there = visible(source, call.hides);
  const read = (asked: DriftWindow) => readWindow(there, asked);
  const newest = async (limit: number) =>
    (await there.read({ after: null, before: null, limit, direction: 'backward' })).rows;
  const page =
    call.lies === undefined
      ? await read(window)
      : await call.lies.drift.distort(askedOf(call, call.lies.list, window), { read, newest });
  return {
    object: 'list',
    status: page.rows.some(isWithheld) ? 'partial' : 'stable',
    data: page.rows,
    has_more: page.has_more,
    drift_ratio: call.driftRatio(),
    integrity: meanOf(page.rows) ?? call.summary.integrity,
  };
}

/** What tells this read from others: its list, its window with the defaults filled in, and its other parameters. */
function askedOf({ query }: Call, list: string, window: DriftWindow): DriftRead {
  const { starting_after, ending_before, limit } = window;
  const others = query.others(['starting_after', 'ending_before', 'limit']);
  return { list, key: JSON.stringify([list, others, starting_after, ending_before, limit]), window };
}

/** The list as a response: 206 where it is partial (interface 4.2 rule 2, for all our lists). */
export function listReply(list: List<unknown>): Reply {
  return { status: list.status === 'partial' ? 206 : 200, body: list };
}

/** The window parameters of a request; ids are checked when they are looked up. */
export function windowOf({ query }: Call): DriftWindow {
  const limit = query.limit();
  const starting_after = cursor(() => query.text('starting_after'));
  const ending_before = cursor(() => query.text('ending_before'));
  return {
    limit,
    ...(starting_after === undefined ? {} : { starting_after }),
    ...(ending_before === undefined ? {} : { ending_before }),
  };
}

/** What is true of a window, before any drift. */
export async function readWindow<R extends { id: string }>(
  source: Source<R>,
  window: DriftWindow,
): Promise<DriftPage<R>> {
  const after = await keyOf(source, 'starting_after', window.starting_after);
  const before = await keyOf(source, 'ending_before', window.ending_before);
  if (after !== null && before !== null && isMisordered(compareKeys(after, before), 0)) {
    throw new Refusal(
      'sequence_conflict',
      `starting_after ${window.starting_after} is later in sequence than ending_before ${window.ending_before}`,
    );
  }
  return source.read({ after, before, limit: window.limit, direction: directionOf(window) });
}

/** Mean integrity of records that carry one, undefined where none does. */
export function meanOf(records: readonly { integrity?: number | undefined }[]): number | undefined {
  const known = records.flatMap(({ integrity }) => (integrity === undefined ? [] : [integrity]));
  return known.length === 0
    ? undefined
    : share(
        known.reduce((sum, one) => sum + one, 0),
        known.length,
      );
}

async function keyOf<R extends { id: string }>(
  source: Source<R>,
  name: 'starting_after' | 'ending_before',
  id: string | undefined,
): Promise<readonly number[] | null> {
  if (id === undefined) return null;
  const key = await source.keyOf(id);
  if (key === 'malformed') throw new Refusal('cursor_invalid', `${name}: is not an id of this list`);
  if (key === undefined) throw new Refusal('cursor_not_found', `${name}: the archive has no ${id}`);
  return key;
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : Math.sign(a[at]! - b[at]!);
}

function cursor(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal('cursor_invalid', error.message) : error;
  }
}

function isWithheld(row: Listed): boolean {
  return row.redacted === true || row.status === 'withheld';
}
