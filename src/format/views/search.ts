// How messages that were found are shown: a line for each, and below it the text that matches.
import type { SearchCount, SearchHit } from '../../contract/search/search.ts';
import { UTC_INSTANTS, zonedInstant } from '../instants.ts';
import { plural } from '../numbers.ts';
import type { Line, Span } from '../terminal/styled-line.ts';
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
  listLines: (hit, { instants = UTC_INSTANTS }) => {
    const { id, date, from, subject, channel, attachments = 0 } = hit;
    const head: Line = [
      { text: id, style: 'id' },
      { text: `  ${date == null ? '' : zonedInstant(date, instants)}`, style: 'dim' },
      typeof channel === 'string' && channel !== '' ? { text: `  #${channel}`, style: 'dim' } : '',
      `  ${from ?? ''}`,
      { text: `  ${subject ?? ''}`, style: 'head' },
      attachments > 0 ? { text: `  ${plural(attachments, 'file')}`, style: 'good' } : '',
    ];
    return hit.snippet === '' || hit.snippet === undefined
      ? [head]
      : [head, ['    ', ...quotedHint(hit), ...snippetSpans(hit.snippet, hit.marks)]];
  },
};

/** Says that the words are in quoted lines only, which `arx read` folds. */
function quotedHint({ matched = [] }: SearchHit): Span[] {
  const isQuoted = matched.includes('quoted') && !matched.includes('body');
  return isQuoted ? [{ text: '(quoted: arx read --quotes) ', style: 'dim' }] : [];
}

function snippetSpans(snippet: string | null, marks: SearchHit['marks'] = []): Span[] {
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
