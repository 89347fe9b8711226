// Answers kept in mind, as the bytes that go out, for as long as nothing whatever is committed to the archive, by this process or any other.
import type { State } from '../store/sql/database.ts';
import { encodeBody, SHORT_BODY_BYTES } from '../http/outgoing.ts';

/** An answer as it was made, JSON as text, and as it goes out. */
export type JsonResponse = { status: number; json: string };
export type CachedResponse = { status: number; json: string | Buffer };

export type ResponseCache = {
  /** The page of this name as it is in this state of the archive, made where it is not known. */
  page(name: string, state: State | undefined, make: () => Promise<JsonResponse>): Promise<CachedResponse>;
};

/** Bytes of all pages together: some 700 of 100 attachments. */
const MOST_BYTES = 32 * 1024 * 1024;

/** What a page weighs besides its bytes and its name. */
const WEIGHT = 512;

/** Without a page it was asked for once. */
type Kept = { page: CachedResponse | undefined; weight: number };

/**
 * A long page is kept when it is asked for again: who walks a list reads each page once, and to keep them would cost a
 * fifth of making them. `most` bytes are kept of all pages, with their names, and the oldest make room.
 */
export function createResponseCache(most = MOST_BYTES): ResponseCache {
  const known = new Map<string, Kept>();
  let of: State | undefined;
  let bytes = 0;
  const keep = (name: string, page: CachedResponse | undefined): void => {
    const weight = WEIGHT + name.length + (page?.json.length ?? 0);
    if (weight > most / 8) return;
    bytes += weight - (known.get(name)?.weight ?? 0);
    known.set(name, { page, weight });
    for (const [oldest, kept] of known) {
      if (bytes <= most) break;
      known.delete(oldest);
      bytes -= kept.weight;
    }
  };
  return {
    async page(name, state, make) {
      // Where the engine cannot tell that nothing changed, every page is made anew.
      if (state === undefined) return make();
      if (state !== of) {
        known.clear();
        bytes = 0;
        of = state;
      }
      const before = known.get(name);
      if (before?.page !== undefined) return before.page;
      const made = await make();
      // Others may have seen a commit meanwhile: it may be of before.
      if (state !== of) return made;
      if (made.json.length <= SHORT_BODY_BYTES) {
        keep(name, made);
        return made;
      }
      if (before === undefined) {
        keep(name, undefined);
        return made;
      }
      const page = { status: made.status, json: encodeBody(made.json) };
      keep(name, page);
      return page;
    },
  };
}
