// The first page of a list, and the largest page size that the service accepts: a refused one is lowered.
import { Fault } from '../faults.ts';
import type { Identified, Page, Source } from '../walk/source.ts';

/** Status codes that can refuse the page size of a request which has nothing else to refuse. */
const REFUSED_LIMIT: ReadonlySet<number> = new Set([400, 413, 416, 422]);
/** A page size that every service accepts. If it is refused too, the refusal is not about the page size. */
export const SMALL_LIMIT = 10;

/** A page, the size with which it was got, and the requests that this took. */
export type SizedPage<Answer> = { page: Answer; limit: number; requests: number };
/** The first page of a list, and how it was got. */
export type FirstPage<Row> = SizedPage<Page<Row>>;

/** Reads the first page with `wanted` rows, or fewer where the service refuses that many. Throws as {@link readSizedPage}. */
export async function readFirstPage<Row extends Identified>(
  source: Source<Row>,
  wanted: number,
  signal: AbortSignal,
): Promise<FirstPage<Row>> {
  return readSizedPage((limit) => source.page({ limit }, signal), wanted);
}

/**
 * Reads a page with `wanted` rows. Where the service refuses that many, tries the largest smaller number that its message
 * names, then halves. Throws the first refusal where {@link SMALL_LIMIT} rows are refused too, and every other fault.
 */
export async function readSizedPage<Answer extends object>(
  readPage: (limit: number) => Promise<Answer>,
  wanted: number,
): Promise<SizedPage<Answer>> {
  let requests = 0;
  /** Returns the page, or the fault that may be about the page size. */
  const read = async (limit: number): Promise<Answer | Fault> => {
    requests++;
    try {
      return await readPage(limit);
    } catch (error) {
      if (error instanceof Fault && REFUSED_LIMIT.has(error.detail.status ?? 0)) return error;
      throw error;
    }
  };
  const first = await read(wanted);
  if (!(first instanceof Fault)) return { page: first, limit: wanted, requests };
  const named = limitNamedIn(first.message, wanted);
  if (named !== undefined) {
    const page = await read(named);
    if (!(page instanceof Fault)) return { page, limit: named, requests };
  }
  const small = wanted > SMALL_LIMIT ? await read(SMALL_LIMIT) : first;
  if (small instanceof Fault) throw first;
  for (let limit = Math.floor(wanted / 2); limit > SMALL_LIMIT; limit = Math.floor(limit / 2)) {
    const page = await read(limit);
    if (!(page instanceof Fault)) return { page, limit, requests };
  }
  return { page: small, limit: SMALL_LIMIT, requests };
}

/** Returns the largest number below `refused` that a message names; undefined where it names none. */
export function limitNamedIn(message: string, refused: number): number | undefined {
  const numbers = [...message.matchAll(/(?<![\w.,-])\d{1,6}(?![\w]|[.,]\d)/g)].map(([text]) => Number(text));
  const smaller = numbers.filter((number) => number >= 1 && number < refused);
  return smaller.length === 0 ? undefined : Math.max(...smaller);
}
