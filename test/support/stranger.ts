// A small service that is not ours: correct lists with cursors, and whatever a test answers for other requests.
import { answer, misbehave, type Misbehaving } from './misbehaving-server.ts';

type Row = Record<string, unknown> & { id: string };

/** The lists by path. `respond` may answer a request in place of the lists; `filter` chooses the rows of a request. */
export type StrangerOptions = {
  lists: Record<string, readonly Row[]>;
  respond?: (path: string, query: URLSearchParams) => Buffer | undefined;
  filter?: (row: Row, query: URLSearchParams) => boolean;
  /** The body of a page. */
  body?: (data: readonly Row[], has_more: boolean) => unknown;
};

/** Starts the service. A path that is no list is 404 without a code, as many web servers answer. */
export async function serveStranger(options: StrangerOptions): Promise<Misbehaving> {
  return misbehave((socket, { head }) => {
    const { pathname, searchParams } = new URL(/ (\S+) /.exec(head)?.[1] ?? '/', 'http://stranger');
    socket.write(options.respond?.(pathname, searchParams) ?? listed(pathname, searchParams, options));
  });
}

function listed(path: string, query: URLSearchParams, options: StrangerOptions): Buffer {
  const { filter = () => true, body = (data, has_more) => ({ data, has_more }) } = options;
  const all = options.lists[path];
  if (all === undefined) return answer(404, '{"detail":"Not Found"}');
  const indexOf = (name: string): number | undefined =>
    query.has(name) ? all.findIndex(({ id }) => id === query.get(name)) : undefined;
  const [after = -1, before = all.length] = [indexOf('starting_after'), indexOf('ending_before')];
  if ((query.has('starting_after') && after < 0) || before < 0) return answer(404, '{}');
  const inside = all.filter((row, index) => index > after && index < before && filter(row, query));
  const limit = Number(query.get('limit') ?? 20);
  const isBackward = query.has('ending_before') && !query.has('starting_after');
  const page = isBackward ? inside.slice(-limit) : inside.slice(0, limit);
  return answer(200, JSON.stringify(body(page, inside.length > limit)));
}

/** Returns the requests for a path, as `path?query`. */
export function requestsFor({ requests }: Misbehaving, path: string): string[] {
  return requests
    .map(({ head }) => / (\S+) /.exec(head)?.[1] ?? '')
    .filter((target) => target.split('?')[0] === path);
}
