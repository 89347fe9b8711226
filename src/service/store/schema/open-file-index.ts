// The partial indexes of files that are not redacted, as lists and searches name them in their statements.

/** The word for each column by which open files are found, as in the name of an index. */
const WORDS = { origin_city: 'city', declared_type: 'type', source: 'source' } as const;

/** A column by which open files are found. */
export type OpenFileColumn = keyof typeof WORDS;

/**
 * Returns the index of files that are not redacted, by these columns, and its condition. There is one for each combination, with the
 * columns in the order of {@link WORDS} (migrations.ts). Those that have an order in common differ in their conditions, so that a
 * statement can use only one of them.
 */
export function openFileIndex(columns: readonly OpenFileColumn[]): { index: string; condition: string } {
  const hasTypeAndSource = columns.includes('declared_type') && columns.includes('source');
  const hasCity = columns.includes('origin_city') ? ' AND origin_city IS NOT NULL' : '';
  const words = columns.map((column) => `_${WORDS[column]}`).join('');
  const prefix = hasTypeAndSource ? 'of' : words === '' ? 'open' : 'open_by';
  return {
    index: `attachments_${prefix}${words}`,
    condition: `(redacted = 0${hasCity}${hasTypeAndSource ? " AND source >= ''" : ''}) IS TRUE`,
  };
}
