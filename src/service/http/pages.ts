// Pages kept in mind for as long as nothing whatever is committed to the archive, by this process or any other.
import type { Database } from '../store/database.ts';

/** A page as it goes out. */
export type Page = { status: number; json: string };

export type Pages = {
  /** The page of this name, made anew where it is not known as of now. */
  page(name: string, make: () => Promise<Page>): Promise<Page>;
};

/** Characters of all pages together: some 700 of 100 attachments. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

/** Where the engine cannot tell at once that nothing changed, every page is made anew. */
export function createPages({ version }: Database, most = MOST_CHARACTERS): Pages {
  if (version === undefined) return { page: (_name, make) => make() };
  const known = new Map<string, Page>();
  let of: number | undefined;
  let characters = 0;
  return {
    async page(name, make) {
      const now = version();
      if (now !== of) {
        known.clear();
        characters = 0;
        of = now;
      }
      const before = known.get(name);
      if (before !== undefined) return before;
      const page = await make();
      // Others may have seen a commit meanwhile: it may be of before.
      if (now !== of || page.json.length > most / 8) return page;
      known.set(name, page);
      characters += page.json.length;
      for (const [oldest, { json }] of known) {
        if (characters <= most) break;
        known.delete(oldest);
        characters -= json.length;
      }
      return page;
    },
  };
}
