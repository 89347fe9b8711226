// The texts of `arx help TOPIC`. The build puts this file and the topics into a file of their own, loaded when one is shown.
import { HELP_TOPIC_NAMES, type HelpTopic } from '../command-list/help-topics.ts';
import { nearest } from '../contract/nearest.ts';
import { fillFacts } from './facts.ts';
import { parseMarkdown, type Block } from './markdown.ts';
import { indented, MAX_COLUMNS, plainText } from './plain-text.ts';
import commands from './topics/commands.md';
import deployment from './topics/deployment.md';
import drift from './topics/drift.md';
import driftTesting from './topics/drift-testing.md';
import environment from './topics/environment.md';
import events from './topics/events.md';
import evidence from './topics/evidence.md';
import exitCodes from './topics/exit-codes.md';
import files from './topics/files.md';
import firstLook from './topics/first-look.md';
import glossary from './topics/glossary.md';
import hosting from './topics/hosting.md';
import importing from './topics/import.md';
import maintenance from './topics/maintenance.md';
import options from './topics/options.md';
import output from './topics/output.md';
import postgresql from './topics/postgresql.md';
import queries from './topics/queries.md';
import start from './topics/start.md';

const SOURCES: Record<HelpTopic, string> = {
  start,
  commands,
  options,
  output,
  queries,
  'first-look': firstLook,
  'exit-codes': exitCodes,
  environment,
  drift,
  'drift-testing': driftTesting,
  events,
  files,
  evidence,
  import: importing,
  hosting,
  deployment,
  maintenance,
  postgresql,
  glossary,
};

/** Returns the parts of a topic, with the facts from the code in it. */
export function topicBlocks(topic: HelpTopic): Block[] {
  return parseMarkdown(fillFacts(SOURCES[topic]));
}

/** Returns a topic as plain text, `width` columns wide. */
export function topicText(topic: HelpTopic, width = MAX_COLUMNS): string {
  return plainText(topicBlocks(topic), width);
}

/** Topics that are lists, and explain no word. */
const LISTS: ReadonlySet<HelpTopic> = new Set<HelpTopic>(['glossary', 'commands', 'options']);
/** Topics that are named for a word of the glossary: those that use it most. */
const MAX_TOPICS_NAMED = 2;

/**
 * Returns what the glossary says of a word, or unless `isExact` of the terms that have it in them (`frozen`), and which topics use
 * it; undefined where it has none.
 */
export function glossaryEntry(
  typed: string,
  { isExact, width = MAX_COLUMNS }: { isExact: boolean; width?: number },
): string | undefined {
  const word = typed.toLowerCase();
  const entries = glossaryTerms();
  const found = [
    (term: string) => term === word,
    (term: string) => [`${term}s`, `${term}es`].includes(word),
    (term: string) => term.split(' ').includes(word),
  ]
    .slice(0, isExact ? 1 : undefined)
    .map((isMeant) => entries.filter(({ term }) => isMeant(term)))
    .find(({ length }) => length > 0);
  if (found === undefined) return undefined;
  const uses = HELP_TOPIC_NAMES.flatMap((topic) => {
    const count = topicText(topic).toLowerCase().split(found[0]!.term).length - 1;
    return count === 0 || LISTS.has(topic) ? [] : [{ topic, count }];
  });
  const most = uses.toSorted((a, b) => b.count - a.count).slice(0, MAX_TOPICS_NAMED);
  const more = [...most.map(({ topic }) => topic), 'glossary'].map((topic) => `arx help ${topic}`);
  const last = indented(`More: ${more.join(', ')}`, '', '  ', width);
  return `${plainText(found, width)}\n${last.join('\n')}\n`;
}

/** Returns the term of the glossary that is near to a word, undefined where none is. */
export function nearestTerm(word: string): string | undefined {
  return nearest(
    word.toLowerCase(),
    glossaryTerms().map(({ term }) => term),
  );
}

function glossaryTerms() {
  return topicBlocks('glossary').flatMap((block) =>
    block.kind === 'definition' ? [{ ...block, term: block.term.replaceAll('*', '') }] : [],
  );
}
