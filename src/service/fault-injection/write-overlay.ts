// Which records simulated writes hide, as a pure function of the number of list reads.

/** The kinds of simulated writes, in the order in which writes of one read are made. */
export const WRITE_KINDS = ['append', 'insert', 'delete'] as const;
/** A kind of simulated write: a conversation at the end of the list, one in its middle, or the removal of one. */
export type WriteKind = (typeof WRITE_KINDS)[number];

/** Each kind is written `count` times, once in `every` reads of the conversation list. */
export type Writes = { [kind in WriteKind]?: { count: number; every: number } };
/** The simulated writes. The seed decides which conversations they concern. */
export type WriteOptions = { seed: number; writes: Writes };

/**
 * A conversation, by its number, that appears or disappears as number `order` (from 0) of its kind. `ids` are its own id
 * and those of its messages, entries and attachments: they change with it.
 */
export type ScheduledWrite = { kind: WriteKind; order: number; n: number; ids: readonly string[] };

/** Returns whether the record with this id is hidden. */
export type IsHidden = (id: string) => boolean;

/** Computes what simulated writes hide. It has no state: equal numbers of reads give equal results. */
export type WriteOverlay = {
  /** Returns the writes before the response to this read of the conversation list (from 1). */
  writtenAt(read: number): ScheduledWrite[];
  /** Returns which records are hidden after so many reads. */
  hiddenAfter(reads: number): IsHidden;
};

/** Returns the overlay of these writes. Appended and inserted records are hidden before their write, deleted ones after. */
export function createWriteOverlay(writes: Writes, schedule: readonly ScheduledWrite[]): WriteOverlay {
  const byId = new Map(schedule.flatMap((write) => write.ids.map((id) => [id, write] as const)));
  const readOf = ({ kind, order }: ScheduledWrite) => (order + 1) * (writes[kind]?.every ?? Infinity);
  return {
    writtenAt: (read) =>
      WRITE_KINDS.flatMap((kind) =>
        schedule.filter((write) => write.kind === kind && readOf(write) === read),
      ),
    hiddenAfter: (reads) => (id) => {
      const write = byId.get(id);
      return write !== undefined && readOf(write) <= reads === (write.kind === 'delete');
    },
  };
}
