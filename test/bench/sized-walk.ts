// One walk over an honest list of any size, made row by row as it is read, so that what is measured is the walk alone.
import type { PageQuery, Source } from '../../src/walk/source.ts';
import { walk } from '../../src/walk/walk.ts';

type Row = { id: string; sequence?: number };
export type Sized = { rows: number; requests: number; ms: number; mib: number };

/** Throws where the walk gives anything but the list. Peak memory is that of this process. */
export async function walkSize(size: number, limit: number, positions: boolean): Promise<Sized> {
  let requests = 0;
  const source: Source<Row> = {
    async page(query) {
      requests++;
      const [from, to, more] = rangeOf(query, size);
      const rows = Array.from({ length: Math.max(0, to - from) }, (_, index) => {
        const n = from + index;
        return positions ? { id: `row_${n}`, sequence: n } : { id: `row_${n}` };
      });
      return { rows, has_more: more };
    },
  };
  const begun = performance.now();
  const steps = walk(source, { limit, crossCheck: 'off', signal: new AbortController().signal });
  let given = 0;
  for (;;) {
    const step = await steps.next();
    if (step.done === true) {
      if (step.value.fault !== undefined) throw step.value.fault;
      break;
    }
    for (const { id } of step.value.rows) {
      if (id !== `row_${++given}`) throw new Error(`${id} is given where row_${given} is`);
    }
  }
  const ms = performance.now() - begun;
  if (given !== size) throw new Error(`${given} rows of ${size}`);
  return { rows: given, requests, ms, mib: process.resourceUsage().maxRSS / 1024 };
}

/** Numbers of the first row and of the one after the last (rows count from 1), and whether more follow. */
function rangeOf({ after, before, limit }: PageQuery, size: number): [number, number, boolean] {
  const low = after === undefined ? 1 : numberOf(after) + 1;
  const high = before === undefined ? size + 1 : numberOf(before);
  if (before !== undefined && after === undefined)
    return [Math.max(low, high - limit), high, high - limit > low];
  return [low, Math.min(high, low + limit), low + limit < high];
}

const numberOf = (id: string) => Number(id.slice('row_'.length));
