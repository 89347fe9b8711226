// Records as rows of the explorer's lists. Fields that another service calls differently are shown as in tables.
import type { Attachment } from '../../contract/attachment.ts';
import { fileNameOf, fileStateOf, reasonOf } from '../../contract/attachment-file.ts';
import type { Conversation, Message } from '../../contract/conversation.ts';
import type {
  ConversationEntry,
  Entry,
  EntryInstant,
  FileEntry,
  GroupEntry,
  MessageEntry,
} from '../../explore/entry.ts';
import { sumOfKnown } from '../../explore/overview.ts';
import type { App } from '../../app.ts';
import type { InstantStyle } from '../../format/instants.ts';
import { leadsOf } from '../../format/terminal/tree.ts';
import { attachmentView, conversationView, messageView, viewForRows } from '../../format/views/index.ts';
import { cellText, type View } from '../../format/views/view.ts';

/** Returns conversations as rows. */
export function conversationEntries(
  rows: readonly Conversation[],
  instants: InstantStyle,
): ConversationEntry[] {
  const cell = cellsOf(conversationView, rows);
  return rows.map((row) => ({
    kind: 'conversation',
    id: row.id,
    subject: cell(row, 'subject'),
    messages: cell(row, 'messages'),
    started: entryInstant(cell(row, 'started') || cell(row, 'last'), instants),
    last: entryInstant(cell(row, 'last') || cell(row, 'started'), instants),
    source: cell(row, 'source'),
    status: cell(row, 'status'),
    integrity: row.integrity,
  }));
}

/** Returns messages as rows. `placed`: messages with the number of messages above each. `found` returns what a search found in one. */
export function messageEntries<Row extends Message>(
  placed: readonly { row: Row; depth: number }[],
  { instants, screen }: Pick<App, 'instants' | 'screen'>,
  found?: (row: Row) => Pick<MessageEntry, 'conversation' | 'snippet' | 'isQuoted'>,
): MessageEntry[] {
  const cell = cellsOf(
    messageView,
    placed.map(({ row }) => row),
  );
  const leads = leadsOf(
    placed.map(({ row, depth }) => ({ depth, answers: row.parent_id ?? undefined })),
    screen,
  );
  const topics = new Map(placed.map(({ row }) => [row.id, topicOf(cell(row, 'subject'))]));
  return placed.map(({ row, depth }, at) => ({
    kind: 'message',
    id: row.id,
    lead: leads[at] ?? '',
    from: cell(row, 'from'),
    date: entryInstant(cell(row, 'date'), instants),
    subject: cell(row, 'subject'),
    isNewSubject: depth === 0 || topics.get(row.id) !== topics.get(row.parent_id ?? ''),
    files: cell(row, 'files'),
    status: cell(row, 'status'),
    integrity: row.integrity,
    ...found?.(row),
  }));
}

/** Returns attachments as rows. */
export function fileEntries(rows: readonly Attachment[]): FileEntry[] {
  const cell = cellsOf(attachmentView, rows);
  return rows.map((row) => ({
    kind: 'file',
    id: row.id,
    name: fileNameOf(row),
    state: fileStateOf(row),
    reason: reasonOf(row) ?? '',
    type: cell(row, 'type'),
    bytes: cell(row, 'bytes'),
    city: cell(row, 'city'),
    row,
  }));
}

/** Returns how many of these rows are of each city and of each type. */
export function groupEntries(rows: readonly Attachment[]): Entry[] {
  const groups = new Map<string, GroupEntry>();
  for (const row of rows) {
    const state = fileStateOf(row);
    for (const by of ['city', 'type'] as const) {
      const value = (by === 'city' ? row.origin_city : row.content_type) ?? null;
      const id = `${by} ${value ?? ''}`;
      const group = groups.get(id) ?? {
        kind: 'group',
        by,
        id,
        value,
        files: 0,
        withheld: 0,
        absent: 0,
        bytes: undefined,
      };
      group.files += 1;
      if (state !== 'available') group[state] += 1;
      group.bytes = sumOfKnown(group.bytes, row.bytes ?? undefined);
      groups.set(id, group);
    }
  }
  return [...groups.values()];
}

/** Returns a function that gives the text of a column as a table shows it. */
function cellsOf<Row extends object>(
  view: View<Row>,
  rows: readonly Row[],
): (row: Row, name: string) => string {
  const { columns } = viewForRows(view, rows);
  // A column that shows another field has the name of that field, and the place of the column.
  const places = new Map(view.columns.map(({ name }, index) => [name, columns[index]!]));
  return (row, name) => {
    const column = places.get(name)!;
    return column.shown?.(row) ?? cellText(column.of(row));
  };
}

function entryInstant(instant: string, instants: InstantStyle): EntryInstant {
  return { instant, ...instants.show(instant) };
}

/** A subject without the prefixes of answers. */
function topicOf(subject: string): string {
  return subject.replace(/^(?:(?:re|aw|fwd?|sv|antw)(?:\[\d+\])?:\s*)+/i, '');
}
