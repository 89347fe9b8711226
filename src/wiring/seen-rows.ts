// Keeps what a run printed at a terminal, so that completion can propose it: ids, cities, types, sources, senders and names of files.
import type { CommandWords } from '../command-list/index.ts';
import {
  addSeenValues,
  archiveKey,
  type SeenKind,
  type SeenPlace,
  type SeenValue,
} from '../completion/seen-values.ts';
import type { Settings } from '../config/settings.ts';
import type { Printer } from '../format/printer.ts';
import { mapRows } from '../format/rows.ts';
import type { World } from '../world.ts';

/** The rows of a run that are looked at: more than completion keeps of one kind, since some fields repeat. */
const MAX_ROWS = 200;

/** What the id of a printed record is, and for the commands that count files what their values are. */
const KIND_OF_COMMAND: { [words in CommandWords]?: SeenKind } = {
  'attachments ls': 'attachments',
  'attachments show': 'attachments',
  'attachments cities': 'cities',
  'attachments types': 'types',
  'attachments sources': 'sources',
  'attachments senders': 'senders',
  'conversations ls': 'conversations',
  'conversations show': 'conversations',
  'conversations walk': 'conversations',
  'content get': 'messages',
  'messages ls': 'messages',
  'messages show': 'messages',
  search: 'messages',
  read: 'messages',
  'events ls': 'events',
};

/** Fields of any record whose values are proposed. */
const KIND_OF_FIELD: Readonly<Record<string, SeenKind>> = {
  origin_city: 'cities',
  content_type: 'types',
  message_id: 'messages',
  first_message_id: 'messages',
  conversation_id: 'conversations',
};

/** Fields that say what a record is. */
const LABELS = ['filename', 'subject', 'type'];

/** The rows that a run printed. */
export type SeenRows = {
  /** Returns the printer, which also remembers the rows that it prints. */
  watching(printer: Printer): Printer;
  /** Writes down what was printed. Never throws. */
  save(): void;
};

/** Returns the rows of a run of this command, none where nobody sits at a terminal: nobody completes what a script read. */
export function createSeenRows(
  words: CommandWords,
  world: Pick<World, 'stdout' | 'stderr' | 'uid' | 'pid'>,
  { settings, cache }: { settings: Settings; cache: string },
): SeenRows {
  const ownKind = KIND_OF_COMMAND[words];
  if (ownKind === undefined || !(world.stdout.isTTY || world.stderr.isTTY))
    return { watching: (printer) => printer, save: () => {} };
  const isCount = ['cities', 'types', 'sources', 'senders'].includes(ownKind);
  const seen = new Map<SeenKind, SeenValue[]>();
  const add = (kind: SeenKind, value: unknown, label: string): void => {
    if (typeof value !== 'string') return;
    const known = seen.get(kind) ?? [];
    known.push([value, label]);
    seen.set(kind, known);
  };
  const addSender = (value: unknown): void => {
    if (typeof value !== 'string') return;
    const [, name = '', address = ''] = /^([^<>]*)<([^<>]*)>$/.exec(value.trim()) ?? ['', value];
    const shown = name.replaceAll('"', '').trim();
    add('senders', shown === '' ? address : shown, shown === '' ? '' : address);
  };
  const see = (row: object): void => {
    const record = row as Readonly<Record<string, unknown>>;
    const label = LABELS.map((name) => record[name]).find((text) => typeof text === 'string');
    if (isCount) {
      if (ownKind === 'senders') addSender(record['value']);
      else add(ownKind, record['value'], '');
      return;
    }
    add(ownKind, record['id'], typeof label === 'string' ? label : '');
    addSender(record['from']);
    const { id, filename } = record;
    // A name that is withheld is its id; one with such signs would be a pattern.
    if (ownKind === 'attachments' && filename !== id && !/[*?[\]\\]/.test(String(filename)))
      add('names', filename, String(id));
    for (const [field, kind] of Object.entries(KIND_OF_FIELD)) add(kind, record[field], '');
    if (ownKind === 'attachments') add('sources', record['source'], '');
  };
  return {
    watching: (printer) => ({
      ...printer,
      list: (view, list) => {
        let left = MAX_ROWS;
        const rows = mapRows(list.rows, (row) => {
          if (left > 0) see(row);
          left -= 1;
          return row;
        });
        return printer.list(view, { ...list, rows });
      },
      record: (view, wire) => {
        see(wire);
        return printer.record(view, wire);
      },
    }),
    save: () => {
      const place: SeenPlace = { cache, archive: archiveKey(settings), uid: world.uid, pid: world.pid };
      addSeenValues(place, Object.fromEntries(seen));
    },
  };
}
