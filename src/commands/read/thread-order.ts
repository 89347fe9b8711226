// The order of a thread: every message after the one it answers, answers of one message together.

/** A message of a thread with the number of messages above it. */
export type Placed<Row> = { row: Row; depth: number };

/**
 * Returns the messages as a person reads a thread. A message stands below its parent only if the parent came earlier in the list,
 * so a cycle of parents cannot loop. Takes time linear in the messages.
 */
export function threadOrder<Row extends { id: string; parent_id?: string | null | undefined }>(
  rows: readonly Row[],
): Placed<Row>[] {
  const known = new Set<string>();
  const answers = new Map<string, Row[]>();
  const roots: Row[] = [];
  for (const row of rows) {
    const parent = row.parent_id ?? undefined;
    if (known.has(row.id)) continue;
    known.add(row.id);
    if (parent === undefined || parent === row.id || !known.has(parent)) roots.push(row);
    else if (answers.has(parent)) answers.get(parent)!.push(row);
    else answers.set(parent, [row]);
  }
  const out: Placed<Row>[] = [];
  const open: Placed<Row>[] = roots.toReversed().map((row) => ({ row, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    out.push(next);
    for (const row of (answers.get(next.row.id) ?? []).toReversed())
      open.push({ row, depth: next.depth + 1 });
  }
  return out;
}
