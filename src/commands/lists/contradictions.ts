// What contradicts itself in the answers about a list: a stated number of rows, and rows with other content in another answer.
import type { App } from '../../app.ts';
import type { RowChanges } from '../../client/remembered-rows.ts';
import { safeText } from '../../client/safe-text.ts';
import { STATED_TOTAL, UNDESCRIBED, UNNAMED_ROWS } from '../../client/shapes/page-facts.ts';
import { Fault } from '../../faults.ts';
import { formatCount, plural } from '../../format/numbers.ts';

/** A page with the number of rows that the service states. */
export type Stated = {
  [STATED_TOTAL]?: number | undefined;
  [UNDESCRIBED]?: true | undefined;
  [UNNAMED_ROWS]?: number | undefined;
};

/** Rows beyond twice those of the first answer before a list that grows while it is read is taken to have no end. */
const MAX_ADDED_ROWS = 1000;
/** More rows than this are taken to have no end. A walk keeps 16 to 32 bytes of each. */
const MAX_ROWS = 100_000_000;

/** The numbers of rows that pages of one list state. */
export class StatedTotals {
  #first: number | undefined;
  #least = Infinity;
  #most = 0;
  #hasDescribed = false;
  #unnamed = 0;

  /** Takes a page. A number that equals the `limit` of the page may be that limit. */
  add(page: Stated, limit: number | undefined): void {
    const { [STATED_TOTAL]: total, [UNDESCRIBED]: isUndescribed, [UNNAMED_ROWS]: unnamed = 0 } = page;
    this.#hasDescribed ||= isUndescribed !== true;
    this.#unnamed = Math.max(this.#unnamed, unnamed);
    if (total === undefined || total === limit) return;
    this.#first ??= total;
    this.#least = Math.min(this.#least, total);
    this.#most = Math.max(this.#most, total);
  }

  /** The number of rows, where pages state one and the same. */
  get stated(): number | undefined {
    return this.#least === this.#most ? this.#most : undefined;
  }

  /**
   * Returns why a list of which `rows` rows are known is taken to have no end, in words: the service says that it grew from less than half of
   * that, and that there are more; undefined where it may have one.
   */
  readonly endless = (rows: number): string | undefined => {
    if (rows > MAX_ROWS) return `it goes on after ${formatCount(MAX_ROWS)} rows`;
    const first = this.#first ?? Infinity;
    if (rows <= 2 * first + MAX_ADDED_ROWS || this.#most <= rows) return undefined;
    return `it had ${plural(first, 'row')} at first, and ${formatCount(this.#most)} later`;
  };

  /** How many rows are not listed because they have no id of their own, in words; undefined where there are none. */
  get unnamed(): string | undefined {
    if (this.#unnamed === 0) return undefined;
    const words = this.#unnamed === 1 ? 'has no id of its own and is' : 'have no ids of their own and are';
    return `${plural(this.#unnamed, 'withheld row')} ${words} not listed`;
  }

  /** Whether no answer said anything of the list, see {@link UNDESCRIBED}. */
  get isUndescribed(): boolean {
    return !this.#hasDescribed;
  }

  /** Returns how the service contradicts itself when it lists so many rows. `isWhole`: these are said to be all. */
  contradiction(rows: number, isWhole: boolean): { text: string; isMissing: boolean } | undefined {
    if (this.unnamed !== undefined) return { text: this.unnamed, isMissing: true };
    if (this.#least === Infinity) return undefined;
    const isMissing = isWhole && rows < this.#least;
    if (!isMissing && rows <= this.#most) return undefined;
    const total = isMissing ? this.#least : this.#most;
    return { text: `the service counts ${plural(total, 'row')} and lists ${formatCount(rows)}`, isMissing };
  }
}

/**
 * Returns why a list of `rows` rows may lack some although its end was confirmed: some have no ids, the service counts more, or its answers
 * were empty arrays alone. Says where it counts fewer. `isWhole`: the list has no ends that the user gave.
 */
export function missingRowsFault(
  totals: StatedTotals,
  { rows, isWhole }: { rows: number; isWhole: boolean },
  app: Pick<App, 'strict' | 'notice'>,
): Fault | undefined {
  if (totals.unnamed !== undefined) return new Fault('partial', totals.unnamed);
  if (!isWhole) return undefined;
  if (rows === 0 && totals.isUndescribed)
    return new Fault(
      'partial',
      'the list may not be empty: the service answers without rows, and nothing else',
      {
        hint: ({ arx }) => `${arx} doctor tells whether this is an archive service`,
      },
    );
  const found = totals.contradiction(rows, true);
  if (found === undefined) return undefined;
  if (!found.isMissing) return contradictionFault(found.text, app);
  return new Fault('partial', `the list may be cut: ${found.text}`);
}

/** Returns the Fault of a contradiction under `--strict`. Otherwise prints a notice. */
export function contradictionFault(text: string, app: Pick<App, 'strict' | 'notice'>): Fault | undefined {
  if (app.strict) return new Fault('protocol', text);
  app.notice(text);
  return undefined;
}

/**
 * Says in what a service contradicts itself. An id with two hashes is a Fault of the run. `text`, a contradiction of numbers, and
 * rows with other content in another answer are Faults under `--strict`, otherwise notices.
 */
export function countContradictions(
  app: Pick<App, 'strict' | 'notice' | 'addFault'>,
  text: string | undefined,
  changes: RowChanges,
): void {
  const faults = [
    text === undefined ? undefined : contradictionFault(text, app),
    twoHashesFault(changes),
    changedRowsFault(changes, app),
  ];
  for (const fault of faults) if (fault !== undefined) app.addFault(fault);
}

/** Returns the changes of these rows alone. */
export function changesAmong(changes: RowChanges, ids: Iterable<string>): RowChanges {
  const wanted = new Set(ids);
  return new Map([...changes].filter(([id]) => wanted.has(id)));
}

/** Returns the changes without those of the position of a row, which a walk judges itself. */
export function changesBesidePosition(changes: RowChanges, position = 'sequence'): RowChanges {
  const others = [...changes].map(([id, { fields, hashes }]) => {
    return [id, { fields: fields.filter((field) => field !== position), hashes }] as const;
  });
  return new Map(others.filter(([, { fields }]) => fields.length > 0));
}

/** Returns the Fault of ids for whose file answers gave different hashes. */
export function twoHashesFault(changes: RowChanges): Fault | undefined {
  const [first, ...others] = [...changes].filter(([, { hashes }]) => hashes.length > 1);
  if (first === undefined) return undefined;
  const [id, { hashes }] = first;
  const shown = hashes.slice(0, 2).map((hash) => `${hash.slice(0, 12)}…`);
  const more = others.length === 0 ? '' : `, and ${plural(others.length, 'other id')}`;
  return new Fault(
    'protocol',
    `id ${safeText(id, 40)} twice with different hashes: ${shown.join(' and ')}${more}`,
    {
      hint: 'read the list again: if it stays so, the service does not know which file this is',
    },
  );
}

function changedRowsFault(changes: RowChanges, app: Pick<App, 'strict' | 'notice'>): Fault | undefined {
  const rows = [...changes].filter(([, { hashes }]) => hashes.length < 2);
  const [first] = rows;
  if (first === undefined) return undefined;
  const [id, { fields }] = first;
  const shown = `${safeText(id, 40)}: ${fields
    .slice(0, 5)
    .map((field) => safeText(field, 40))
    .join(', ')}`;
  const count = rows.length === 1 ? '1 row differs' : `${plural(rows.length, 'row')} differ`;
  const text = `${count} from one answer to another (${shown})`;
  if (app.strict) return new Fault('unstable', text);
  app.notice(`${text}: one of them is shown`);
  return undefined;
}

/** Returns the part of a summary about rows with other content in another answer. */
export function changedRows(changes: ReadonlyMap<string, unknown>): { changed?: number } {
  return changes.size === 0 ? {} : { changed: changes.size };
}
