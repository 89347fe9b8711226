// The ids of records: a kind and the number by arrival, for example `msg_12`.

/** The kind in an id: message, sequence entry, conversation or attachment. */
export type IdKind = 'msg' | 'entry' | 'conv' | 'att';

/** Returns the number in an id of this kind, undefined for any other text. */
export function numberOf(kind: IdKind, id: string): number | undefined {
  const digits = id.startsWith(`${kind}_`) ? id.slice(kind.length + 1) : '';
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined;
}

/** Returns the id of a kind and a number. */
export function idOf(kind: IdKind, n: number): string {
  return `${kind}_${n}`;
}
