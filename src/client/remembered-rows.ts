// The rows of a list that were read lately: one that comes again is not read again, and one that differs is noted.
import { isRecord, ownField } from './shapes/json-path.ts';

/** The newest rows are remembered up to this size of their JSON. A walk reads the same rows again within a short time. */
const MAX_REMEMBERED_BYTES = 4 * 1024 * 1024;

/** Rows about which answers differed that are noted. */
const MAX_CHANGES = 1000;

/** How answers differed about one row: the fields, and the SHA-256 of its file where there were several, in lower case. */
type RowChange = { fields: readonly string[]; hashes: readonly string[] };
/** The rows of a list about which answers differed, by their ids. */
export type RowChanges = ReadonlyMap<string, RowChange>;

/** A row as it was received, and as it was read. `bytes`: its share of the page. */
export type RememberedRow<Row> = { raw: unknown; row: Row; bytes: number };

/** The newest rows of a list, by their ids. */
export class RememberedRows<Row> {
  readonly #rows = new Map<string, RememberedRow<Row>>();
  /** Goes on from the last row that was forgotten. A new iterator would step over all that were. */
  #oldest = this.#rows.keys();
  #bytes = 0;
  readonly #changes = new Map<string, RowChange>();

  /** The rows about which answers differed, at most {@link MAX_CHANGES}. */
  get changes(): RowChanges {
    return this.#changes;
  }

  /** Returns the row with this id, undefined where none is remembered. */
  get(id: string): RememberedRow<Row> | undefined {
    return this.#rows.get(id);
  }

  /** Remembers a row in place of an earlier one with its id. The oldest rows are forgotten. */
  add(id: string, entry: RememberedRow<Row>): void {
    this.#bytes += entry.bytes - this.#forget(id);
    this.#rows.set(id, entry);
    while (this.#bytes > MAX_REMEMBERED_BYTES) this.#bytes -= this.#forgetOldest();
  }

  /** Notes how a row differs from what an earlier answer had for its id. */
  noteChange(id: string, before: RememberedRow<Row>, raw: unknown, row: Row): void {
    const fields = changedFields(before.raw, raw);
    const noted = this.#changes.get(id);
    if (fields.length === 0 || (noted === undefined && this.#changes.size >= MAX_CHANGES)) return;
    const hashes = new Set([...(noted?.hashes ?? []), ...[before.row, row].flatMap(hashOf)]);
    this.#changes.set(id, {
      fields: [...new Set([...(noted?.fields ?? []), ...fields])],
      hashes: hashes.size > 1 ? [...hashes] : [],
    });
  }

  /** Forgets a row. Returns its size. */
  #forget(id: string): number {
    const bytes = this.#rows.get(id)?.bytes ?? 0;
    this.#rows.delete(id);
    return bytes;
  }

  #forgetOldest(): number {
    let next = this.#oldest.next();
    if (next.done === true) {
      this.#oldest = this.#rows.keys();
      next = this.#oldest.next();
    }
    return this.#forget(next.value!);
  }
}

/** Returns whether two JSON values are equal, with keys in any order. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) =>
        Object.hasOwn(other, key) &&
        isSame((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
    )
  );
}

/** Returns the SHA-256 that a row gives for its file, in lower case; nothing where it gives none. */
function hashOf(row: unknown): string[] {
  const hash = ownField(row, 'sha256');
  return typeof hash === 'string' && /^[0-9a-f]{64}$/i.test(hash) ? [hash.toLowerCase()] : [];
}

/** Returns the fields with other values. Addresses that differ in their query alone are equal: it may be a signature. */
function changedFields(before: unknown, now: unknown): string[] {
  const [one, other] = [before, now].map((row) => (isRecord(row) ? row : { row }));
  const names = new Set([...Object.keys(one!), ...Object.keys(other!)]);
  return [...names].filter((name) => {
    const [a, b] = [ownField(one, name), ownField(other, name)].map((value) =>
      typeof value === 'string' && /^https?:/i.test(value) ? value.split('?')[0] : value,
    );
    return !isSame(a, b);
  });
}
