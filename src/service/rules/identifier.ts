// The ids of the archive: a kind and the number given at arrival, `msg_12`, and nothing else reads as one.

export type IdKind = 'msg' | 'entry' | 'conv' | 'att';

/** The number in an id of this kind, or undefined where the text is not one. */
export function numberOf(kind: IdKind, id: string): number | undefined {
  const digits = id.startsWith(`${kind}_`) ? id.slice(kind.length + 1) : '';
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined;
}

export function idOf(kind: IdKind, n: number): string {
  return `${kind}_${n}`;
}
