// How messages that were found are shown: a line for each, and below it the text that matches.
import type { SearchCount, SearchHit } from '../../contract/search/search.ts';
import { UTC_INSTANTS, zonedInstant } from '../instants.ts';
import { plural } from '../numbers.ts';
import { textWidth } from '../terminal/escape.ts';
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
  listLines: (hit, { instants = UTC_INSTANTS, columns = Infinity }) => {
    const { id, date, conversation_id, from, subject, channel, attachments = 0 } = hit;
    const shownDate = date == null ? '' : zonedInstant(date, instants);
    const facts: [text: string, style?: Style][] = [
      // A part of a date is another date.
      [shownDate.length > columns - textWidth(id) - 2 ? '' : shownDate, 'dim'],
      [conversation_id ?? '', 'dim'],
      [typeof channel === 'string' && channel !== '' ? `#${channel}` : '', 'dim'],
      [subject ?? '', 'head'],
      [attachments > 0 ? plural(attachments, 'file') : '', 'good'],
      // A sender may be long, and is what a reader needs least.
      [from ?? ''],
    ];
    const head: Line = [
      { text: id, style: 'id' },
      ...facts.flatMap(([text, style]) => (text === '' ? [] : ['  ', { text, style }])),
    ];
    if (hit.snippet === '' || hit.snippet === undefined) return [head];
    const hint = quotedHint(hit);
    const room = columns - INDENT.length - textWidth(plainText(hint));
    return [head, [INDENT, ...hint, ...spansOf(truncateAroundMatch(snippetSpans(hit), room))]];
  },
};

const INDENT = '    ';

/** Says that the words are in quoted lines only, which `arx read` folds. */
function quotedHint({ matched = [] }: SearchHit): Span[] {
  const isQuoted = matched.includes('quoted') && !matched.includes('body');
  return isQuoted ? [{ text: '(quoted: arx read --quotes) ', style: 'dim' }] : [];
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
