// Says which values of a search that found nothing no message has, and what was meant. Our service says it of cities and channels.
import type { App } from '../../app.ts';
import type { Client } from '../../client/index.ts';
import { nearest } from '../../contract/nearest.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { cutText } from '../../contract/search/cut-text.ts';
import type { SearchQuery } from '../../contract/search/expression.ts';
import { ALL_MESSAGES, parseQuery } from '../../contract/search/query.ts';
import type { SearchPage } from '../../contract/search/search.ts';
import { wordsOf } from '../../contract/search/words.ts';
import { IN_READABLE } from '../../contract/tier.ts';
import { Fault } from '../../faults.ts';
import { lowerCase, nearValue, typeOfWord } from '../lists/near-value.ts';

/** A value that is asked for, and the facet that counts the values which there are. */
type Asked = {
  facet: 'type' | 'source' | 'from';
  /** What it is, for people. */
  noun: string;
  value: string;
  /** Returns what was meant as it is written in a query: `near`, where there is something. Undefined where the value is among these. */
  meant(values: readonly string[]): { near: string | undefined } | undefined;
};

/**
 * Says of each part of the query that alone finds nothing whether its value is one that no message has, of those that the reader may
 * read. `page`: the empty answer.
 */
export async function noticeMissingValues(
  { parts }: SearchQuery,
  { alone = [], index }: SearchPage,
  client: Pick<Client, 'search'>,
  app: Pick<App, 'world' | 'notice' | 'log'>,
): Promise<void> {
  const found = new Map(alone.map(({ query, total }) => [query, total]));
  const empty = parts.filter((part) => parts.length === 1 || found.get(part) === 0);
  for (const part of empty) {
    const asked = askedIn(part, app.world.now());
    const values = asked && (await valuesOf(asked.facet, client, app));
    const meant = values && asked.meant(values);
    if (asked === undefined || meant === undefined) continue;
    const { facet, noun, value } = asked;
    const withheld = facet === 'type' ? index.withheld_files : index.withheld;
    const where = (withheld ?? 0) > 0 ? IN_READABLE : '';
    app.notice(({ arx }) => {
      const hint =
        meant.near === undefined
          ? `${arx} search --facet ${facet} lists them`
          : `did you mean ${facet}:${meant.near}?`;
      return `no ${noun} "${cutText(value)}"${where}; ${hint}`;
    });
  }
}

function askedIn(part: string, now: number): Asked | undefined {
  const { expression, filters } = parseQuery(part, now);
  const [filter] = filters;
  if (expression?.kind === 'term' && expression.field === 'from') return askedSender(expression.words);
  if (filter === undefined || filter.negated) return undefined;
  if (filter.kind === 'source') {
    const { name } = filter;
    const meant = (values: readonly string[]) =>
      values.includes(name) ? undefined : { near: nearValue(name, values, lowerCase) };
    return { facet: 'source', noun: 'source', value: name, meant };
  }
  if (filter.kind !== 'type') return undefined;
  const type = filter.type.replace(/\/$/, '');
  const isKnown = (value: string): boolean =>
    filter.type === type ? value === type : value.startsWith(filter.type);
  const meant = (values: readonly string[]) =>
    values.some(isKnown)
      ? undefined
      : { near: typeOfWord(type, values) ?? nearValue(type, values, lowerCase) };
  return { facet: 'type', noun: 'type', value: type, meant };
}

function askedSender(words: readonly string[]): Asked {
  const meant = (senders: readonly string[]) => {
    const known = new Set(senders.flatMap((sender) => wordsOf(sender)));
    // Each of them is in the name of a sender.
    if (words.every((word) => known.has(word))) return undefined;
    const near = words.map((word) => (known.has(word) ? word : nearest(word, [...known])));
    if (near.includes(undefined)) return { near: undefined };
    return { near: near.length === 1 ? near[0] : `"${near.join(' ')}"` };
  };
  return { facet: 'from', noun: 'sender', value: words.join(' '), meant };
}

/** Returns the values that most messages have. Undefined where they cannot be read: that nothing was found is known all the same. */
async function valuesOf(
  facet: Asked['facet'],
  client: Pick<Client, 'search'>,
  app: Pick<App, 'log'>,
): Promise<string[] | undefined> {
  try {
    const query = { q: ALL_MESSAGES, facet, limit: PAGE_LIMIT.maximum, snippets: false };
    const { counts = [] } = (await client.search(query)).body;
    return counts.flatMap(({ value }) => (typeof value === 'string' && value !== '' ? [value] : []));
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    app.log(`the values of ${facet} cannot be read: ${error.message}`);
    return undefined;
  }
}
