// What contradicts itself in the answers about a list: a stated number of rows, and rows with other content in another answer.
import type { App } from '../app.ts';
import { safeText } from '../client/safe-text.ts';
import { STATED_TOTAL } from '../client/shapes/page-facts.ts';
import { Fault } from '../faults.ts';
import { formatCount, plural } from '../format/numbers.ts';

/** A page with the number of rows that the service states. */
export type Stated = { [STATED_TOTAL]?: number | undefined };

/** The numbers of rows that pages of one list state. */
export class StatedTotals {
  #least = Infinity;
  #most = 0;

  /** Takes a page. A number that equals the `limit` of the page may be that limit. */
  add({ [STATED_TOTAL]: total }: Stated, limit: number | undefined): void {
    if (total === undefined || total === limit) return;
    this.#least = Math.min(this.#least, total);
    this.#most = Math.max(this.#most, total);
  }

  /** Returns how the service contradicts itself when it lists so many rows. `isWhole`: these are said to be all. */
  contradiction(rows: number, isWhole: boolean): { text: string; isMissing: boolean } | undefined {
    if (this.#least === Infinity) return undefined;
    const isMissing = isWhole && rows < this.#least;
    if (!isMissing && rows <= this.#most) return undefined;
    const total = isMissing ? this.#least : this.#most;
    return { text: `the service counts ${plural(total, 'row')} and lists ${formatCount(rows)}`, isMissing };
  }
}

/** Returns the Fault of a contradiction under `--strict`. Otherwise prints a notice. */
export function contradictionFault(text: string, app: Pick<App, 'strict' | 'notice'>): Fault | undefined {
  if (app.strict) return new Fault('protocol', text);
  app.notice(text);
  return undefined;
}

/** Returns the Fault of rows with other content in another answer under `--strict`. Otherwise prints a notice. */
export function changedRowsFault(
  changes: ReadonlyMap<string, readonly string[]>,
  app: Pick<App, 'strict' | 'notice'>,
): Fault | undefined {
  const [first] = changes;
  if (first === undefined) return undefined;
  const [id, fields] = first;
  const shown = `${safeText(id, 40)}: ${fields
    .slice(0, 5)
    .map((field) => safeText(field, 40))
    .join(', ')}`;
  const rows = changes.size === 1 ? '1 row differs' : `${plural(changes.size, 'row')} differ`;
  const text = `${rows} from one answer to another (${shown})`;
  if (app.strict) return new Fault('unstable', text);
  app.notice(`${text}: one of them is shown`);
  return undefined;
}

/** Returns the part of a summary about rows with other content in another answer. */
export function changedRows(changes: ReadonlyMap<string, unknown>): { changed?: number } {
  return changes.size === 0 ? {} : { changed: changes.size };
}
