// The few messages that one filter of a search without words leaves: they are looked up by their keys, where else every message would be
// compared.
import type { Filter } from '../../../contract/search/expression.ts';
import { numberOf } from '../../rules/identifier.ts';
import { tiersUpTo } from '../../rules/tiers.ts';
import { openFileIndex, type OpenFileColumn } from '../schema/open-file-index.ts';
import { selectIn } from '../sql/bulk-statements.ts';
import type { Reads, Value } from '../sql/database.ts';
import { dayOf } from './search-tables.ts';
import { hasCity, hasType, type Search } from './search.ts';

/** A message by its number and its day: the parts of its key in the index of words. */
export type MessageKey = { n: number; day: number };

/** More are compared as all others: FTS5 takes about 40 µs to look one up, and 1 µs to compare one in order. */
const MAX_PLACES = 200;
/** More labels of one filter are not looked up. */
const MAX_LABELS = 8;

/**
 * Returns all messages that one of the filters leaves, undefined where each leaves more than {@link MAX_PLACES}. The other conditions
 * of the search still apply to them.
 */
export async function fewPlaces(
  statements: Reads,
  search: Pick<Search, 'filters' | 'labelsOf' | 'reader'>,
): Promise<MessageKey[] | undefined> {
  for (const filter of search.filters) {
    const numbers = filter.negated ? undefined : await fewNumbers(statements, filter, search);
    if (numbers === undefined) continue;
    const rows = await selectIn<{ n: number; date_ms: number | null }>(
      statements,
      'SELECT n, date_ms FROM messages WHERE n IN ?',
      numbers,
    );
    return rows.map(({ n, date_ms }) => ({ n, day: dayOf(date_ms) }));
  }
  return undefined;
}

/** Returns the numbers of the messages that a filter leaves; undefined where they are many, or no index has them. */
async function fewNumbers(
  statements: Reads,
  filter: Filter,
  { labelsOf, reader }: Pick<Search, 'labelsOf' | 'reader'>,
): Promise<Set<number> | undefined> {
  const { engine } = statements;
  const by = (index: string): string => (engine === 'sqlite' ? ` INDEXED BY ${index}` : '');
  const found = new Set<number>();
  /** Rows, not messages: one message may have any number of files. */
  let rows = 0;
  const read = async (sql: string, values: readonly Value[]): Promise<void> => {
    if (rows > MAX_PLACES) return;
    const some = await statements.all<{ n: number }>(`${sql} LIMIT ${MAX_PLACES + 1}`, values);
    rows += some.length;
    for (const { n } of some) found.add(n);
  };
  const few = (): Set<number> | undefined => (rows > MAX_PLACES ? undefined : found);
  const ofFiles = async (
    column: OpenFileColumn,
    condition: (parameter: (value: string) => string) => string,
  ): Promise<void> => {
    const { index, condition: isIndexed } = openFileIndex([column]);
    const values: string[] = [];
    const where = `${isIndexed} AND ${condition((value) => `$${values.push(value)}`)}`;
    for (const tier of tiersUpTo(reader))
      await read(
        `SELECT message AS n FROM attachments${by(index)} WHERE tier = '${tier}' AND ${where}`,
        values,
      );
  };
  switch (filter.kind) {
    case 'conversation':
      await read(`SELECT n FROM messages${by('messages_by_conversation')} WHERE conversation = $1`, [
        numberOf('conv', filter.id) ?? 0,
      ]);
      return few();
    case 'city': {
      const labels = labelsOf(filter);
      if (labels.length > MAX_LABELS) return undefined;
      for (const label of labels)
        await ofFiles('origin_city', (parameter) => hasCity('', [label], parameter));
      return few();
    }
    case 'type':
      await ofFiles('declared_type', (parameter) => hasType('', filter.type, parameter));
      return few();
    default:
      return undefined;
  }
}
