// Remembers which fields of a record were read as others: what `position` means is then in `reported` too.

const names = new WeakMap<object, ReadonlySet<string>>();

/** Notes the names of fields of a record whose values stand under our names too. */
export function noteReadNames(record: object, read: readonly string[]): void {
  if (read.length > 0) names.set(record, new Set(read));
}

/** Returns whether the value of a field of a record stands under another name too. */
export function isReadAsOther(record: object, name: string): boolean {
  return names.get(record)?.has(name) === true;
}
