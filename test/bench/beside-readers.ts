// What eight readers without a pause cost another reader: its median beside them, beside eight of its own kind, and alone.

const READERS = 8;
/** How many pages the other reader reads in each part at least, and for how long; after the last time it stops earlier. */
const READ = 60;
const MIN_MS = 1_000;
const MAX_MS = 4_000;
const isEnough = (reads: number, ms: number): boolean =>
  reads > 0 && (ms > MAX_MS || (ms > MIN_MS && reads >= READ));

/** One request with a number that no other one has, so that no response is from the cache. */
type Ask = (number: number) => Promise<unknown>;

/** Rows of a table: the median time of `plain` beside nobody, beside eight of `plain`, and beside eight of each of `others`. */
export async function besideReaders(
  plain: Ask,
  others: readonly (readonly [name: string, ask: Ask])[],
): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = [];
  let alone = 0;
  let withPlain = 0;
  let number = 0;
  const parts = [['none', undefined], ['the plain list', plain], ...others] as const;
  for (const [name, ask] of parts) {
    const reading = new AbortController();
    let asked = 0;
    const readers = Array.from({ length: ask === undefined ? 0 : READERS }, async () => {
      while (!reading.signal.aborted) {
        number += 1;
        await nextTurn();
        await ask!(number);
        asked += 1;
      }
    });
    const times: number[] = [];
    const start = performance.now();
    for (let read = -5; !isEnough(times.length, performance.now() - start); read += 1) {
      number += 1;
      // A request comes from a socket, after those that are there already: SQLite answers them one after the other.
      const begun = performance.now();
      await nextTurn();
      await plain(number);
      if (read >= 0) times.push(performance.now() - begun);
    }
    const ms = performance.now() - start;
    const answered = asked;
    reading.abort();
    await Promise.all(readers);
    const p50 = median(times);
    if (ask === undefined) alone = p50;
    if (ask === plain) withPlain = p50;
    rows.push({
      'eight readers of': name,
      'p50, ms': p50.toFixed(2),
      'most, ms': Math.max(...times).toFixed(1),
      'p50 ÷ alone': (p50 / alone).toFixed(2),
      'p50 ÷ beside eight of the plain list (≤ 3)': withPlain === 0 ? '' : (p50 / withPlain).toFixed(2),
      'their requests a second': answered === 0 ? '' : ((answered / ms) * 1000).toFixed(1),
    });
  }
  return rows;
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}
