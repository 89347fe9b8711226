// How messages that were found are shown: a line for each, and below it the text that matches.
import type { SearchCount, SearchHit } from '../../contract/search/search.ts';
import { UTC_INSTANTS, zonedInstant } from '../instants.ts';
import { plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { textWidth, truncate } from '../terminal/escape.ts';
import {
  plainText,
  spansOf,
  truncateAroundMatch,
  type Line,
  type Span,
  type Style,
} from '../terminal/styled-line.ts';
import { messageView } from './conversation.ts';
import { NO_VALUE, type View } from './view.ts';

/** A message that was found. */
export const searchHitView: View<SearchHit> = {
  columns: [
    ...messageView.columns.filter(({ name }) => name !== 'channel'),
    { name: 'matched', of: ({ matched }) => matched?.join(',') },
    { name: 'snippet', of: ({ snippet }) => snippet },
    { name: 'conversation', of: (hit) => hit.conversation_id },
    { name: 'channel', of: (hit) => hit.channel },
  ],
  listLines: (hit, { instants, columns = Infinity }) => {
    const head = headLine(hit, { instants, columns });
    if (hit.snippet === '' || hit.snippet === undefined) return [head];
    const mark: Span[] = isOnlyQuoted(hit) ? [{ text: '(quoted) ', style: 'dim' }] : [];
    const room = columns - INDENT.length - textWidth(plainText(mark));
    return [head, [INDENT, ...mark, ...spansOf(truncateAroundMatch(snippetSpans(hit), room))]];
  },
};

/** A fact about a message that was found, in the order of the line. */
type Fact = 'date' | 'conversation' | 'channel' | 'subject' | 'files' | 'sender' | 'name';

/** The facts of a line, the most first. Narrower screens get fewer of them: `arx read` of the id shows the rest. */
const FACTS: readonly (readonly Fact[])[] = [
  ['date', 'conversation', 'channel', 'subject', 'files', 'sender'],
  ['date', 'conversation', 'channel', 'subject', 'files', 'name'],
  ['date', 'channel', 'subject', 'files', 'name'],
  ['date', 'subject', 'name'],
];
/** Those of which the subject may be cut. */
const FACTS_BESIDE_CUT: readonly (readonly Fact[])[] = [
  ['date', 'subject', 'name'],
  ['date', 'subject'],
  ['subject', 'name'],
];
/** A subject is cut to no less than this while there are facts that can give way. */
const MIN_SUBJECT_COLUMNS = 20;
const GAP = '  ';

/** Returns the facts about a message that a line has room for. */
function headLine(
  { id, date, conversation_id, from, subject, channel, attachments = 0 }: SearchHit,
  { instants = UTC_INSTANTS, columns = Infinity }: Pick<Canvas, 'instants' | 'columns'>,
): Line {
  const sender = from ?? '';
  const texts: Record<Fact, string> = {
    date: date == null ? '' : zonedInstant(date, instants),
    conversation: conversation_id ?? '',
    channel: typeof channel === 'string' && channel !== '' ? `#${channel}` : '',
    subject: subject ?? '',
    files: attachments > 0 ? plural(attachments, 'file') : '',
    sender,
    name: sender.replace(/<[^<>]*>$/, '').trimEnd() || sender,
  };
  const widthOf = (fact: Fact): number => (texts[fact] === '' ? 0 : GAP.length + textWidth(texts[fact]));
  const widthOfAll = (facts: readonly Fact[]): number =>
    facts.reduce((sum, fact) => sum + widthOf(fact), textWidth(id));
  const cuttable = Math.max(0, textWidth(texts.subject) - MIN_SUBJECT_COLUMNS);
  const facts =
    FACTS.find((each) => widthOfAll(each) <= columns) ??
    FACTS_BESIDE_CUT.find((each) => widthOfAll(each) - cuttable <= columns) ??
    (texts.subject === '' ? (['name'] as const) : (['subject'] as const));
  const room = columns - widthOfAll(facts) + textWidth(texts.subject);
  if (facts.includes('subject')) texts.subject = truncate(texts.subject, Math.max(1, room));
  return [
    { text: id, style: 'id' },
    ...facts.flatMap((fact) => (texts[fact] === '' ? [] : [GAP, { text: texts[fact], style: STYLES[fact] }])),
  ];
}

const STYLES: Readonly<Record<Fact, Style | undefined>> = {
  date: 'dim',
  conversation: 'dim',
  channel: 'dim',
  subject: 'head',
  files: 'good',
  sender: undefined,
  name: undefined,
};

const INDENT = '    ';

/** Returns whether the words of the text are in quoted lines only, which `arx read` folds. */
export function isOnlyQuoted({ matched = [] }: SearchHit): boolean {
  return matched.includes('quoted') && !matched.includes('body');
}

/** Returns the part of the text that was found, with its matches marked. */
export function snippetSpans({ snippet = '', marks = [] }: Pick<SearchHit, 'snippet' | 'marks'>): Span[] {
  if (snippet === null) return [{ text: 'the stored bytes are damaged', style: 'bad' }];
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    spans.push(snippet.slice(at, start), { text: snippet.slice(start, end), style: 'match' });
    at = end;
  }
  return [...spans, snippet.slice(at)];
}

/** The number of messages with one value. */
export const searchCountView: View<SearchCount> = {
  columns: [
    { name: 'messages', of: ({ messages }) => messages, align: 'right' },
    {
      name: 'value',
      of: ({ value }) => value,
      shown: ({ value }) => value ?? NO_VALUE,
      importance: 'essential',
    },
  ],
};

/** The number of messages of one conversation. */
export const conversationCountView: View<SearchCount> = {
  columns: [...searchCountView.columns, { name: 'subject', of: ({ subject }) => subject, minColumns: 20 }],
};
