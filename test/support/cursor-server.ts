// A foreign list on a loopback port, paged by the IDs of its rows, with the faults that a test asks for.
import type { PageQuery } from '../../src/walk/source.ts';
import { correctPage, FAULT_NAMES, faultyPage } from './faulty-page.ts';
import { answer, misbehave, type Misbehaving } from './misbehaving-server.ts';
import { randomFrom } from './random.ts';

/** What the server does with a cursor: it follows, refuses (400) or ignores it. */
export type CursorBehaviour = 'follows' | 'refuses' | 'ignores';

export type CursorServerOptions = {
  rows: readonly Record<string, unknown>[];
  /** Returns the id of a row as a cursor in the URL. */
  idOf?: (row: Record<string, unknown>) => string;
  after?: CursorBehaviour;
  before?: CursorBehaviour;
  /** Both cursors at once. */
  both?: CursorBehaviour;
  /** Returns how many rows a page has when `asked` were asked for. */
  limit?: (asked: number) => number;
  body?: (rows: unknown[], more: boolean) => unknown;
  /** Share of pages with a fault. */
  drift?: number;
  seed?: number;
  /** Called with the number of earlier requests. The answer waits until it resolves. */
  gate?: (count: number) => Promise<void> | undefined;
};

const stripe = (data: unknown[], has_more: boolean): unknown => ({ object: 'list', data, has_more });

/** Starts the server. */
export async function serveList(options: CursorServerOptions): Promise<Misbehaving> {
  const { rows, drift = 0, seed = 1, body = stripe } = options;
  const idOf = options.idOf ?? (({ id }) => String(id));
  const ids = rows.map(idOf);
  const rowOf = new Map(rows.map((row) => [idOf(row), row]));
  const reply = (head: string, count: number): Buffer => {
    const { searchParams } = new URL(/ (\S+) /.exec(head)?.[1] ?? '/', 'http://list');
    const [after, before] = [searchParams.get('starting_after'), searchParams.get('ending_before')];
    const refused =
      (after !== null && options.after === 'refuses') ||
      (before !== null && options.before === 'refuses') ||
      (after !== null && before !== null && options.both === 'refuses');
    if (refused) return answer(400, '{"error":{"message":"Received unknown parameter"}}');
    const asked = Number(searchParams.get('limit') ?? 10);
    const query: PageQuery = {
      limit: options.limit?.(asked) ?? asked,
      ...(after === null || options.after === 'ignores' ? {} : { after }),
      ...(before === null || options.before === 'ignores' ? {} : { before }),
    };
    if ([query.after, query.before].some((id) => id !== undefined && !rowOf.has(id)))
      return answer(404, '{"error":{"code":"resource_missing"}}');
    const random = randomFrom(`${seed}/${count}`);
    const page =
      random() < drift
        ? faultyPage(FAULT_NAMES[Math.floor(random() * FAULT_NAMES.length)]!, ids, query, random, (id) =>
            randomFrom(`${seed}/${count}/${id}`)(),
          )
        : correctPage(ids, query);
    const text = JSON.stringify(
      body(
        page.ids.map((id) => rowOf.get(id)),
        page.has_more,
      ),
    );
    return answer(200, text);
  };
  return misbehave((socket, { head }, count) => {
    const gate = options.gate?.(count) ?? Promise.resolve();
    void gate.then(() => socket.write(reply(head, count)));
  });
}
