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
  /** Counts one read of the conversation list and gives the writes that come before its answer. */
  advance(): PlannedWrite[];
  /** The state now; later writes do not change it, so that one answer is of one moment. */
  hides(): Hides;
};

/** A row that is appended or inserted is hidden until its turn, one that is deleted from its turn on. */
export function createOverlay(writes: Writes, plan: readonly PlannedWrite[]): Overlay {
  const byId = new Map(plan.flatMap((write) => write.ids.map((id) => [id, write] as const)));
  const done: Record<WriteKind, number> = { append: 0, insert: 0, delete: 0 };
  let reads = 0;
  return {
    advance() {
      reads += 1;
      return WRITE_KINDS.flatMap((kind) => {
        if (reads % (writes[kind]?.every ?? Infinity) !== 0) return [];
        const due = plan.find((write) => write.kind === kind && write.order === done[kind]);
        if (due === undefined) return [];
        done[kind] += 1;
        return [due];
      });
    },
    hides() {
      const then = { ...done };
      return (id) => {
        const write = byId.get(id);
        return write !== undefined && write.order < then[write.kind] === (write.kind === 'delete');
      };
    },
  };
}
