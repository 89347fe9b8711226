// Defines integrity: the checks of each kind of record, and the share that a record passes (interface 1).

/** A check that a record passes or fails. */
export type Check = {
  /** Bit in the `failed` column. */
  bit: number;
  name: string;
  /** What a passed check proves. */
  proves: string;
};

/** Bits of a message. Moves update `positionMonotonic`; `storedBytes` is found out when the message is read, which then fails. */
export const MESSAGE = {
  decodable: 1,
  wellFormed: 2,
  datePlausible: 4,
  parentPresent: 8,
  positionMonotonic: 16,
  storedBytes: 32,
} as const;

/** Bits of an attachment. */
export const ATTACHMENT = {
  bytesHeld: 1,
  storedBytes: 2,
  typeAgrees: 4,
  nameSafe: 8,
  nothingTrails: 16,
} as const;

/** Bits of a conversation. */
export const CONVERSATION = { rooted: 1, dated: 2, ordered: 4 } as const;

/** The checks of each kind of record. */
export const CHECKS = {
  message: [
    { bit: MESSAGE.decodable, name: 'decodable', proves: 'its text decodes in the charset it declares' },
    { bit: MESSAGE.wellFormed, name: 'well_formed', proves: 'its structure needed no repair' },
    {
      bit: MESSAGE.datePlausible,
      name: 'date_plausible',
      proves: 'its date is between 1970 and its arrival',
    },
    {
      bit: MESSAGE.parentPresent,
      name: 'parent_present',
      proves: 'the message it answers is in the archive',
    },
    {
      bit: MESSAGE.positionMonotonic,
      name: 'position_monotonic',
      proves: 'its position is after its parent’s position',
    },
    {
      bit: MESSAGE.storedBytes,
      name: 'stored_bytes',
      proves: 'the stored bytes have the hash taken at import',
    },
  ],
  attachment: [
    { bit: ATTACHMENT.bytesHeld, name: 'bytes_held', proves: 'the archive holds its bytes' },
    {
      bit: ATTACHMENT.storedBytes,
      name: 'stored_bytes',
      proves: 'the stored bytes have the hash taken at import',
    },
    {
      bit: ATTACHMENT.typeAgrees,
      name: 'type_agrees',
      proves: 'its first bytes agree with the declared type',
    },
    { bit: ATTACHMENT.nameSafe, name: 'name_safe', proves: 'its name is a plain file name on every system' },
    {
      bit: ATTACHMENT.nothingTrails,
      name: 'nothing_trails',
      proves: 'no bytes follow the end of its format',
    },
  ],
  conversation: [
    {
      bit: CONVERSATION.rooted,
      name: 'rooted',
      proves: 'its first message answers nothing the archive lacks',
    },
    { bit: CONVERSATION.dated, name: 'dated', proves: 'all its messages have plausible dates' },
    { bit: CONVERSATION.ordered, name: 'ordered', proves: 'every answer arrived after what it answers' },
  ],
} as const satisfies Record<string, readonly Check[]>;
/** A kind of record that has checks. */
export type Kind = keyof typeof CHECKS;

/** Returns the share of passed checks, 0 to 1 with four decimals. */
export function integrityOf(kind: Kind, failed: number): number {
  const checks: readonly Check[] = CHECKS[kind];
  return share(checks.length - countFailures(kind, failed), checks.length);
}

/** Returns the number of failed checks. */
export function countFailures(kind: Kind, failed: number): number {
  const checks: readonly Check[] = CHECKS[kind];
  return checks.filter((check) => (failed & check.bit) !== 0).length;
}

/** Returns `passed / all` with four decimals, 1 where there is nothing to check. */
export function share(passed: number, all: number): number {
  return all === 0 ? 1 : Math.round((passed / all) * 10_000) / 10_000;
}

/**
 * Returns the status of a message (interface 2.5): `unverified` where a check of its bytes failed, `partial` where another
 * check failed, `stable` otherwise.
 */
export function statusOf(failed: number): 'stable' | 'partial' | 'unverified' {
  if (failed === 0) return 'stable';
  return (failed & (MESSAGE.decodable | MESSAGE.wellFormed | MESSAGE.storedBytes)) !== 0
    ? 'unverified'
    : 'partial';
}
