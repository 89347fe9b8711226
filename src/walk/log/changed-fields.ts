// Finds the fields in which two rows of one id differ, without keeping rows.
import { hash } from 'node:crypto';
import { scanJson } from '../../contract/json-text.ts';

/** Bytes of the number of a field, and of the beginning of the hash of its value. */
const NAME_BYTES = 4;
const HASH_BYTES = 12;
const FIELD_BYTES = NAME_BYTES + HASH_BYTES;

/** Compares rows of two lists by id. Of each earlier row it keeps 16 bytes a field. */
export class ChangedFields {
  readonly #earlier = new Map<string, Buffer>();
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** Takes a row of the earlier list, as JSON. */
  add(id: string, row: string): void {
    const fields = membersOf(row).map(({ name, value }) => {
      const number = Buffer.alloc(NAME_BYTES);
      number.writeUInt32BE(this.#numberOf(name));
      return Buffer.concat([number, value]);
    });
    this.#earlier.set(id, Buffer.concat(fields));
  }

  /** Returns the names of the fields in which a row of the later list differs from the earlier one with its id, in the order of their names. */
  compare(id: string, row: string): string[] {
    const fields = this.#earlier.get(id) ?? Buffer.alloc(0);
    const earlier = new Map<string, Buffer>();
    for (let at = 0; at < fields.length; at += FIELD_BYTES)
      earlier.set(this.#names[fields.readUInt32BE(at)]!, fields.subarray(at + NAME_BYTES, at + FIELD_BYTES));
    const changed: string[] = [];
    for (const { name, value } of membersOf(row)) {
      if (earlier.get(name)?.equals(value) !== true) changed.push(name);
      earlier.delete(name);
    }
    return [...changed, ...earlier.keys()].toSorted();
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }
}

function membersOf(row: string): { name: string; value: Buffer }[] {
  return [...scanJson(row).members].map(([name, { text }]) => ({
    name,
    value: hash('sha256', text, 'buffer').subarray(0, HASH_BYTES),
  }));
}
