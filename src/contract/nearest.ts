// Finds the known word that a mistyped word was meant to be.

/** Returns the candidate nearest to `typed`, or undefined where none is near enough. The first of equals wins. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  // A third of the letters may be wrong, one at least.
  let limit = Math.max(1, Math.floor(typed.length / 3));
  for (const candidate of candidates) {
    if (Math.abs(typed.length - candidate.length) > limit) continue;
    const distance = editDistance(typed.toLowerCase(), candidate.toLowerCase());
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
