// Cache of responses, valid as long as no process commits anything to the archive.
import type { DataVersion } from '../store/sql/database.ts';
import { encodeBody, SHORT_BODY_BYTES } from './response-bytes.ts';

/** A reply with its JSON text. */
export type JsonResponse = { status: number; json: string };
/** A reply as it is sent: long ones as bytes. */
export type CachedResponse = { status: number; json: string | Buffer };

/** Responses by name. One is used again while the state of the archive is the same. */
export type ResponseCache = {
  /** Returns the response with this name in this state of the archive; makes it where it is not cached. */
  get(
    name: string,
    state: DataVersion | undefined,
    make: () => Promise<JsonResponse>,
  ): Promise<CachedResponse>;
};

/** Bytes of all cached responses together: about 700 pages of 100 attachments. */
const MAX_CACHE_BYTES = 32 * 1024 * 1024;

/** Estimated memory of a cache entry besides its body and its name. */
const ENTRY_OVERHEAD_BYTES = 512;

/** An entry without a response stands for one that was requested once. */
type Entry = { response: CachedResponse | undefined; bytes: number };

/**
 * Returns an empty cache. A long response is cached when it is requested for the second time: a walk reads each page
 * once, and caching it would cost a fifth of making it. The oldest entries are dropped above `maxBytes`, which includes
 * names. `onLookup` is called for each response: whether it was cached.
 */
export function createResponseCache(
  maxBytes = MAX_CACHE_BYTES,
  onLookup: (isCached: boolean) => void = () => {},
): ResponseCache {
  const entries = new Map<string, Entry>();
  let cachedState: DataVersion | undefined;
  let totalBytes = 0;
  const store = (name: string, response: CachedResponse | undefined): void => {
    const bytes = ENTRY_OVERHEAD_BYTES + name.length + (response?.json.length ?? 0);
    if (bytes > maxBytes / 8) return;
    totalBytes += bytes - (entries.get(name)?.bytes ?? 0);
    entries.set(name, { response, bytes });
    for (const [oldest, entry] of entries) {
      if (totalBytes <= maxBytes) break;
      entries.delete(oldest);
      totalBytes -= entry.bytes;
    }
  };
  return {
    async get(name, state, make) {
      // An engine that cannot tell whether something changed gives no state, and nothing is cached.
      if (state === undefined) {
        onLookup(false);
        return make();
      }
      if (state !== cachedState) {
        entries.clear();
        totalBytes = 0;
        cachedState = state;
      }
      const entry = entries.get(name);
      onLookup(entry?.response !== undefined);
      if (entry?.response !== undefined) return entry.response;
      const made = await make();
      // Another request may have seen a newer state meanwhile, so this response may be of the older one.
      if (state !== cachedState) return made;
      if (made.json.length <= SHORT_BODY_BYTES) {
        store(name, made);
        return made;
      }
      if (entry === undefined) {
        store(name, undefined);
        return made;
      }
      const response = { status: made.status, json: encodeBody(made.json) };
      store(name, response);
      return response;
    },
  };
}
