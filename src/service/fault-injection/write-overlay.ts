// Which records simulated writes hide, as a pure function of the number of list reads.

/** The kinds of simulated writes, in the order in which writes of one read are made. */
export const WRITE_KINDS = ['append', 'insert', 'delete'] as const;
/** A kind of simulated write: a conversation at the end of the list, one in its middle, or the removal of one. */
export type WriteKind = (typeof WRITE_KINDS)[number];

/** Each kind is written `count` times, once in `every` reads of the conversation list. */
export type Writes = { [kind in WriteKind]?: { count: number; every: number } };
/**
 * The simulated writes. The seed decides which conversations they concern. `removedShare` is the share of conversations
 * that were removed before the first read.
 */
export type WriteOptions = { seed: number; writes: Writes; removedShare?: number };

/**
 * A conversation, by its number, that appears or disappears before the response to read number `read` of the conversation
 * list; 0 is before all reads. `ids` are its own id and those of its messages, entries and attachments: they change with it.
 */
export type ScheduledWrite = { kind: WriteKind; read: number; n: number; ids: readonly string[] };

/** Returns whether the record with this id is hidden. */
export type IsHidden = (id: string) => boolean;

/** What simulated writes have done by now. */
export type WriteState = {
  isHidden: IsHidden;
  /** Returns the number of the conversation with which this record was removed, undefined where it was not. */
  removedWith(id: string): number | undefined;
};

/** Computes what simulated writes hide. It has no state: equal numbers of reads give equal results. */
export type WriteOverlay = {
  /** Returns the writes before the response to this read of the conversation list (from 1). */
  writtenAt(read: number): ScheduledWrite[];
  /** Returns what is hidden and removed after this many reads. */
  stateAfter(reads: number): WriteState;
};

/** Returns the overlay of these writes. Appended and inserted records are hidden before their write, deleted ones after. */
export function createWriteOverlay(schedule: readonly ScheduledWrite[]): WriteOverlay {
  const byId = new Map(schedule.flatMap((write) => write.ids.map((id) => [id, write] as const)));
  return {
    writtenAt: (read) =>
      WRITE_KINDS.flatMap((kind) => schedule.filter((write) => write.kind === kind && write.read === read)),
    stateAfter: (reads) => ({
      isHidden(id) {
        const write = byId.get(id);
        return write !== undefined && write.read <= reads === (write.kind === 'delete');
      },
      removedWith(id) {
        const write = byId.get(id);
        return write?.kind === 'delete' && write.read <= reads ? write.n : undefined;
      },
    }),
  };
}
