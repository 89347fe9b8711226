// The cities and channels that a search names: those that the archive has in any spelling, and what is said of others.
import { nearest } from '../../contract/nearest.ts';
import type { LabelFilter, SearchQuery } from '../../contract/search/expression.ts';
import { wordsOf } from '../../contract/search/words.ts';
import { IN_READABLE, type Tier } from '../../contract/tier.ts';
import { isOpenFile, isReadable } from '../records/reader.ts';
import type { Reads } from '../store/sql/database.ts';

/** The cities and channels that the archive shows the reader. Only those are read that the query has a filter for. */
export type Labels = Record<LabelFilter['kind'], readonly string[]>;

/** Returns these cities and channels. */
export async function labelsFor(reads: Reads, { filters }: SearchQuery, reader: Tier): Promise<Labels> {
  const labels = async (kind: LabelFilter['kind'], sql: string): Promise<readonly string[]> => {
    if (!filters.some((filter) => filter.kind === kind)) return [];
    return (await reads.all<{ label: string }>(sql)).map(({ label }) => label).sort();
  };
  return {
    city: await labels(
      'city',
      `SELECT DISTINCT a.origin_city AS label FROM attachments a WHERE a.origin_city IS NOT NULL AND ${isOpenFile('a.', reader)}`,
    ),
    channel: await labels(
      'channel',
      `SELECT DISTINCT m.channel AS label FROM messages m WHERE m.channel IS NOT NULL AND ${isReadable('m.tier', reader)}`,
    ),
  };
}

/** Returns the labels that a filter means: the spellings of one name. */
export function meantLabels({ kind, label }: LabelFilter, labels: Labels): string[] {
  return labels[kind].filter((each) => plainLabel(each) === plainLabel(label));
}

/** Labels are compared without case, blanks, signs and accents. */
function plainLabel(label: string): string {
  return wordsOf(label).join('');
}

/** Names that are suggested in place of one that there is not. */
const MAX_NEAR_LABELS = 3;

/** Returns what is said of labels that there are not. `isPart`: the reader may not read all files, or messages, that have such a label. */
export function labelNotes(
  { filters }: SearchQuery,
  labels: Labels,
  isPart: Record<LabelFilter['kind'], boolean>,
): string[] {
  return filters.flatMap((filter) => {
    if (filter.kind !== 'city' && filter.kind !== 'channel') return [];
    const plain = new Map(labels[filter.kind].map((label) => [plainLabel(label), label]));
    if (plain.has(plainLabel(filter.label))) return [];
    const where = isPart[filter.kind] ? IN_READABLE : '';
    const asked = plainLabel(filter.label);
    const meant = nearest(asked, [...plain.keys()]);
    const near = meant === undefined ? [...plain.keys()].filter((each) => each.includes(asked)) : [meant];
    const names = near.slice(0, MAX_NEAR_LABELS).map((each) => plain.get(each));
    const words = names.length === 0 ? '' : `; did you mean ${names.join(' or ')}?`;
    return [`no ${filter.kind} "${filter.label}"${where}${words}`];
  });
}
