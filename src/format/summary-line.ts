// The last line of a list for people.
import type { Envelope } from './json-output.ts';
import { formatCount, plural } from './numbers.ts';
import { SEPARATOR } from './terminal/wrap.ts';

/** Returns the summary of a list as `20 of 1,685 rows · 3 withheld · not complete · status partial`. */
export function summaryLine<T>(list: Envelope<T>): string {
  const status = typeof list.status === 'function' ? list.status() : list.status;
  const { rows, total, ...others } = list.summary();
  // Either may stand alone.
  const isPart = typeof rows === 'number' && typeof total === 'number';
  const counted =
    isPart && rows !== total ? { [`of ${plural(total, 'row')}`]: rows } : isPart ? { rows } : { rows, total };
  const parts = Object.entries({ ...counted, ...others }).map(([key, value]) =>
    summaryPart(key.replaceAll('_', ' '), value),
  );
  return [...parts, status === undefined ? '' : `status ${status}`]
    .filter((part) => part !== '')
    .join(SEPARATOR);
}

/** Keys of summaries that are nouns in the plural. The others are adjectives, as in `3 withheld`. */
const COUNTED_NOUNS = new Set(
  'rows values files messages windows requests reads disagreements checks'.split(' '),
);

function summaryPart(name: string, value: unknown): string {
  if (name === 'has more')
    return value === true ? 'more rows follow' : value === null ? 'more rows may follow' : '';
  if (value === null || value === undefined || (name === 'absent' && value === 0)) return '';
  if (name === 'drift ratio') return value === 0 ? '' : `drift ratio ${JSON.stringify(value)}`;
  if (typeof value === 'boolean') return value ? name : `not ${name}`;
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return `${name} ${value}`;
    if (name === 'confidence') return `confidence ${value}`;
    return COUNTED_NOUNS.has(name) ? plural(value, name.slice(0, -1)) : `${formatCount(value)} ${name}`;
  }
  if (typeof value === 'string') return `${name} ${value}`;
  const inner = Object.entries(value).map(([key, each]) => summaryPart(key.replaceAll('_', ' '), each));
  return inner.every((part) => part === '')
    ? ''
    : `${name} ${inner.filter((part) => part !== '').join(', ')}`;
}
