// The texts of `arx help TOPIC`. The build puts this file and the topics into a file of their own, loaded when one is shown.
import type { HelpTopic } from '../command-list/help-topics.ts';
import { nearest } from '../contract/nearest.ts';
import { Fault } from '../faults.ts';
import { fillFacts } from './facts.ts';
import { parseMarkdown, type Block } from './markdown.ts';
import { plainText } from './plain-text.ts';
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

/** Returns a topic as plain text of at most 80 columns. */
export function topicText(topic: HelpTopic): string {
  return plainText(topicBlocks(topic));
}

/** Returns the entries of the glossary about a word. Throws Fault 'usage' with a suggestion where there is none. */
export function glossaryEntry(word: string): string {
  const entries = topicBlocks('glossary').flatMap((block) =>
    block.kind === 'definition' ? [{ ...block, term: block.term.replaceAll('*', '') }] : [],
  );
  const found = entries.filter(({ term }) => term === word.toLowerCase());
  if (found.length > 0) return plainText(found);
  const meant = nearest(
    word.toLowerCase(),
    entries.map(({ term }) => term),
  );
  throw new Fault('usage', `the glossary has no '${word}'`, {
    hint: meant === undefined ? 'arx help glossary' : `did you mean: arx help glossary ${meant}`,
  });
}
