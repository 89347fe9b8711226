// The folders into which a pull sorts files: by city, by type, or by conversation.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { isPullable } from '../../contract/attachment-file.ts';
import { findRecords } from '../lists/find-record.ts';
import { messageSource } from './catalogue.ts';

/** What `--by` sorts files by. */
export const LAYOUTS = ['city', 'type', 'conversation'] as const;
/** One of {@link LAYOUTS}. */
export type LayoutName = (typeof LAYOUTS)[number];

/** Where files go inside the target folder. */
export type Layout = {
  /** Returns the folder of a row as the archive names it, which may not be safe. */
  folderOf(row: Attachment): string;
  /** Yields the rows when it is known where they go. */
  prepare(rows: AsyncIterable<Attachment>): AsyncIterable<Attachment>;
};

/** Returns the layout with this name; undefined for no name: all files are in the target folder. */
export function layoutOf(name: LayoutName | undefined, app: App): Layout | undefined {
  if (name === 'city')
    return { folderOf: (row) => textOr(row.origin_city, 'no-city'), prepare: (rows) => rows };
  if (name === 'type') return { folderOf: typeFolder, prepare: (rows) => rows };
  return name === 'conversation' ? byConversation(app) : undefined;
}

const textOr = (value: unknown, other: string): string =>
  typeof value === 'string' && value.trim() !== '' ? value : other;

/** `image/png` would be two folders. Parameters such as a charset are left out. */
function typeFolder({ content_type }: Attachment): string {
  const [type = ''] = (content_type ?? '').split(';');
  return textOr(type.trim().toLowerCase().replaceAll('/', '-'), 'no-type');
}

/** A row names its message, and the list of messages their conversations. */
function byConversation(app: App): Layout {
  const conversations = new Map<string, string>();
  return {
    folderOf: (row) =>
      textOr(row['conversation_id'] ?? conversations.get(row.message_id ?? ''), 'no-conversation'),
    async *prepare(rows) {
      const all: Attachment[] = [];
      for await (const row of rows) all.push(row);
      const messages = new Set(
        all.flatMap((row) =>
          isPullable(row) && row['conversation_id'] === undefined ? (row.message_id ?? []) : [],
        ),
      );
      if (messages.size > 0)
        for await (const found of findRecords(messages, await messageSource(app), app)) {
          if ('fault' in found) app.addFault(found.fault);
          else if (typeof found.row.conversation_id === 'string')
            conversations.set(found.id, found.row.conversation_id);
        }
      yield* all;
    },
  };
}
