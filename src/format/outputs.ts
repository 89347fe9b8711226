// The names of the forms of output.

/** The forms of output (`-o`). */
export const OUTPUTS = ['table', 'tsv', 'csv', 'json', 'ndjson', 'sums'] as const;
/** One of {@link OUTPUTS}. */
export type Output = (typeof OUTPUTS)[number];
