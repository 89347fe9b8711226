// Writes during reads: conversations of the archive that are not there yet, and ones that go, with all that is theirs.

export const WRITE_KINDS = ['append', 'insert', 'delete'] as const;
export type WriteKind = (typeof WRITE_KINDS)[number];

/** Each kind is written `count` times, once every `every` reads of the conversation list. */
export type Writes = { [kind in WriteKind]?: { count: number; every: number } };
export type WriteOptions = { seed: number; writes: Writes };

/** A conversation (its number) that comes or goes as the `order`th (from 0) of its kind, with the ids that do so with it. */
export type PlannedWrite = { kind: WriteKind; order: number; n: number; ids: readonly string[] };

/** Whether the list, as it was when this was made, lacks what has this id. */
export type Hides = (id: string) => boolean;

export type Overlay = {
  /** The writes that come before the answer of this read of the conversation list (from 1). */
  writtenAt(read: number): PlannedWrite[];
  /** The state after so many reads. */
  hidesAfter(reads: number): Hides;
};

/** A row that is appended or inserted is hidden until its turn, one that is deleted from its turn on. */
export function createOverlay(writes: Writes, plan: readonly PlannedWrite[]): Overlay {
  const byId = new Map(plan.flatMap((write) => write.ids.map((id) => [id, write] as const)));
  /** The read of the conversation list before whose answer it is written. */
  const turnOf = ({ kind, order }: PlannedWrite) => (order + 1) * (writes[kind]?.every ?? Infinity);
  return {
    writtenAt: (read) =>
      WRITE_KINDS.flatMap((kind) => plan.filter((write) => write.kind === kind && turnOf(write) === read)),
    hidesAfter: (reads) => (id) => {
      const write = byId.get(id);
      return write !== undefined && turnOf(write) <= reads === (write.kind === 'delete');
    },
  };
}
