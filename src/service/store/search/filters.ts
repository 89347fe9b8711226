// The filters of a search as SQL conditions on a message `m`.
import type { Filter } from '../../../contract/search/expression.ts';
import { isOpenFile } from '../../records/reader.ts';
import { numberOf } from '../../rules/identifier.ts';
import type { Value } from '../sql/database.ts';
import { hasCity, hasType, type Search } from './search.ts';
import { dayOf, keyParameter } from './search-tables.ts';
import type { Source } from './sources.ts';

const DAY_MS = 86_400_000;

/** The conditions of all filters. `needsMessage`: they name columns of the message. */
export type Conditions = { sql: string[]; needsMessage: boolean };

/** Returns the conditions of the filters, and appends their values. */
export function filterConditions(
  { filters, labelsOf, reader }: Search,
  source: Source,
  values: Value[],
): Conditions {
  let needsMessage = false;
  const parameter = (value: Value): string => `$${values.push(value)}`;
  const file = (condition: string): string =>
    `EXISTS (SELECT 1 FROM attachments a WHERE a.message = m.n AND ${isOpenFile('a.', reader)} AND ${condition})`;
  const conditionOf = (filter: Filter): string => {
    if (filter.kind === 'date') {
      if (isWholeDays(filter)) return dayCondition(filter, source, parameter);
      needsMessage = true;
      const { start, end } = filter;
      const bounds = [
        ...(start === undefined ? [] : [`m.date_ms >= ${parameter(start)}`]),
        ...(end === undefined ? [] : [`m.date_ms < ${parameter(end)}`]),
      ];
      return `(m.date_ms IS NOT NULL AND ${bounds.join(' AND ')})`;
    }
    needsMessage = true;
    switch (filter.kind) {
      case 'conversation':
        return `m.conversation = ${parameter(numberOf('conv', filter.id) ?? 0)}`;
      case 'channel': {
        const labels = labelsOf(filter);
        return labels.length === 0
          ? '1 = 0'
          : `(m.channel IS NOT NULL AND m.channel IN (${labels.map(parameter).join(', ')}))`;
      }
      case 'source':
        return `m.source = ${parameter(filter.name)}`;
      case 'attachment':
        return 'm.attachments > 0';
      case 'city': {
        const labels = labelsOf(filter);
        return labels.length === 0 ? '1 = 0' : file(hasCity('a.', labels, parameter));
      }
      case 'type':
        return file(hasType('a.', filter.type, parameter));
      default:
        return filter satisfies never;
    }
  };
  const sql = filters.map((filter) =>
    filter.negated ? `NOT (${conditionOf(filter)})` : conditionOf(filter),
  );
  return { sql, needsMessage };
}

type Dates = Filter & { kind: 'date' };

function isWholeDays({ start, end }: Dates): boolean {
  return [start, end].every((ms) => ms === undefined || (ms % DAY_MS === 0 && ms > 0));
}

/** A message without a date has day 0, and is in no period. */
function dayCondition(
  { start, end }: Dates,
  { key, keyOf }: Source,
  parameter: (value: Value) => string,
): string {
  const [column] = key;
  const bound = (ms: number): string => keyParameter(parameter(keyOf({ n: 0, day: dayOf(ms) })[0]!));
  const first = `${column} >= ${bound(Math.max(DAY_MS, start ?? 0))}`;
  return end === undefined ? first : `(${first} AND ${column} < ${bound(end)})`;
}
