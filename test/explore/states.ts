// States of the explorer for tests: screens with rows, and keys pressed one after another.
import type { Chunk } from '../../src/explore/archive.ts';
import type { ConversationEntry, EntryInstant, FileEntry, MessageEntry } from '../../src/explore/entry.ts';
import type { Place } from '../../src/explore/place.ts';
import { shownScreen, type Effect, type Event, type State, type Step } from '../../src/explore/state.ts';
import { begin, update } from '../../src/explore/update.ts';
import type { ReadMessage } from '../../src/contract/reports/reading.ts';

/** An instant as the explorer shows it with `--utc`. */
export const instant = (text: string): EntryInstant => ({
  instant: text.replace(' ', 'T'),
  text,
  offset: 0,
});
export const conversation = (number: number, subject = `subject ${number}`): ConversationEntry => ({
  kind: 'conversation',
  id: `conv_${number}`,
  subject,
  messages: '3',
  started: instant('2019-03-01 23:11'),
  last: instant('2019-03-08 07:33'),
  source: 'gateway',
  status: 'stable',
  integrity: 1,
});
export const message = (number: number, more: Partial<MessageEntry> = {}): MessageEntry => ({
  kind: 'message',
  id: `msg_${number}`,
  lead: number === 1 ? '' : '└ ',
  from: '"A B" <a@b.example>',
  date: instant('2019-03-08 07:33'),
  subject: `subject ${number}`,
  isNewSubject: number === 1,
  files: '0',
  status: 'stable',
  integrity: 1,
  ...more,
});
export const file = (number: number, more: Partial<FileEntry> = {}): FileEntry => ({
  kind: 'file',
  id: `att_${number}`,
  name: `photo ${number}.jpg`,
  state: 'available',
  reason: '',
  type: 'image/jpeg',
  bytes: '1.2 kB',
  city: 'lisbon',
  row: {
    id: `att_${number}`,
    filename: `photo ${number}.jpg`,
    file_url: 'https://x/y',
    sha256: '0'.repeat(64),
    redacted: false,
  },
  ...more,
});
export const readMessage = (id: string, text: string): ReadMessage => ({
  version: 1,
  id,
  conversation_id: 'conv_1',
  parent_id: null,
  from: 'A <a@b.example>',
  to: null,
  cc: null,
  date: '2019-03-08T07:33:00Z',
  channel: null,
  subject: 'A subject',
  parts: [{ kind: 'text', type: 'text/plain', text }],
  warnings: [],
});

export type Size = { columns: number; rows: number };

/** Returns the first state with this place above the overview, and a chunk read into it. */
export function stateAt(
  place: Place,
  chunk: Chunk,
  { columns, rows }: Size = { columns: 80, rows: 24 },
): State {
  const { state } = begin({
    columns,
    rows,
    timeZone: 'UTC',
    unicode: true,
    folder: '/home/me',
    home: '/home/me',
    places: [{ kind: 'overview' }, place],
  });
  return update(state, { kind: 'chunk', screen: 1, chunk }).state;
}

/** Returns the state after these keys, and all effects of them. A key of more than one letter is a name, others are typed. */
export function press(state: State, ...names: string[]): Step {
  let now = state;
  const effects: Effect[] = [];
  for (const name of names) {
    const key = Array.from(name).length === 1 ? { name, text: name } : { name };
    const step = update(now, { kind: 'key', key });
    now = step.state;
    effects.push(...step.effects);
  }
  return { state: now, effects };
}

export function after(state: State, ...events: Event[]): State {
  return events.reduce((now, event) => update(now, event).state, state);
}

export { shownScreen };
