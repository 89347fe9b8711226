// Columns follow the rows: what a service calls otherwise is shown under its name, and only where the known column is empty.
import { describe, expect, test } from 'vitest';
import { UTC_INSTANTS } from '../../../src/format/instants.ts';
import { isDecided, viewForRows, viewOfPresentFields } from '../../../src/format/views/columns-for-rows.ts';
import {
  attachmentView,
  conversationView,
  messageView,
  positionView,
} from '../../../src/format/views/index.ts';
import { cellText, type Column, type View } from '../../../src/format/views/view.ts';

/** Returns the cells of the columns that have one, by name. */
function cellsOf(view: View<never>, rows: object[], at = 0): Record<string, string> {
  const followed = viewForRows(view as unknown as View<object>, rows);
  const row = rows[at]!;
  return Object.fromEntries(
    followed.columns
      .map(
        (column) =>
          [column.name, instantOf(column, row) ?? column.shown?.(row) ?? cellText(column.of(row))] as const,
      )
      .filter(([, text]) => text !== ''),
  );
}

function instantOf(column: Column<object>, row: object): string | undefined {
  const instant = column.instant?.(row) ?? undefined;
  return instant === undefined ? undefined : UTC_INSTANTS.show(instant).text;
}

test.each<[string, View<never>, object, Record<string, string>]>([
  ['a label', conversationView, { id: '1', label: 'T' }, { id: '1', label: 'T' }],
  ['a summary in another spelling', conversationView, { id: '1', Summary: 'T' }, { id: '1', Summary: 'T' }],
  [
    'the subject before a label',
    conversationView,
    { id: '1', subject: 'S', label: 'T' },
    { id: '1', subject: 'S' },
  ],
  ['an empty name is none', conversationView, { id: '1', label: '', name: 'N' }, { id: '1', name: 'N' }],
  [
    'instants of any form',
    conversationView,
    { id: '1', Start: 1_700_000_000, last_at: '2024-01-02T03:04:05Z' },
    { id: '1', Start: '2023-11-14 22:13', last: '2024-01-02 03:04' },
  ],
  ['an author', messageView, { id: '1', author: { name: 'Ana' } }, { id: '1', author: 'Ana' }],
  [
    'a file',
    attachmentView,
    { id: '1', Title: 'a.txt', content_type: 'text/plain', size: '2048', file_url: 'u' },
    { id: '1', state: 'available', Title: 'a.txt', type: 'text/plain', size: '2.0 kB', url: 'u' },
  ],
  [
    'the kind of a record is no media type',
    attachmentView,
    { id: '1', type: 'attachments' },
    { id: '1', state: 'withheld' },
  ],
])('%s', (_, view, row, expected) => {
  expect(cellsOf(view, [row])).toMatchObject(expected);
  expect(Object.keys(cellsOf(view, [row]))).toHaveLength(Object.keys(expected).length);
});

test('one row with a subject keeps the column, so that no two fields share one', () => {
  const rows = [
    { id: '1', label: 'T' },
    { id: '2', subject: 'S', label: 'U' },
  ];
  expect(cellsOf(conversationView as never, rows)).toEqual({ id: '1' });
  expect(cellsOf(conversationView as never, rows, 1)).toEqual({ id: '2', subject: 'S' });
});

test('reading ahead ends as soon as the columns are decided', () => {
  const view = conversationView as unknown as View<object>;
  const full = { subject: 's', message_count: 1, started_at: 'x', last_at: 'x', source: 's', status: 's' };
  expect(isDecided(view, [full])).toBe(true);
  expect(isDecided(view, [{ id: '1' }])).toBe(true);
  expect(isDecided(view, [{ id: '1', label: null }])).toBe(false);
  expect(isDecided(view, [{ id: '1', label: 'T' }, full])).toBe(true);
});

describe('entries of a sequence', () => {
  const names = (rows: Record<string, unknown>[]) => positionView(rows).columns.map(({ name }) => name);

  test('ours have all columns', () => {
    expect(names([{ entry: 'entry_1', reported: 1, checked: 1, offset: 0 }])).toEqual([
      'entry',
      'message',
      'reported',
      'checked',
      'offset',
      'source',
      'status',
    ]);
  });

  test('a field in another spelling is shown once', () => {
    const row = { id: 'e1', entry: 'e1', Entry: 'e1', reported: 1, Reported: '1', Colour: 'red' };
    expect(names([row])).toEqual(['entry', 'reported', 'id', 'Colour']);
  });

  test('others have the fields that exist', () => {
    expect(
      names([{ id: 'entry_1', reported: 4, source: 'gateway', status: 'stable', note: 'x', deep: {} }]),
    ).toEqual(['id', 'reported', 'source', 'status', 'note']);
  });

  test('many fields do not fill more than a screen', () => {
    const row = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`field_${n}`, n]));
    expect(viewOfPresentFields<object>({ columns: [] }, [row]).columns).toHaveLength(6);
  });
});

test('the fields of a row are listed once for all columns: a row may have a million', () => {
  let listed = 0;
  const fields = { id: 'att_1', x: 1, Title: 'a' };
  const row = new Proxy(fields, { ownKeys: (own) => ((listed += 1), Reflect.ownKeys(own)) });
  const view = attachmentView as unknown as View<object>;
  isDecided(view, [row]);
  expect(viewForRows(view, [row]).columns.map(({ name }) => name)).toContain('Title');
  expect(listed).toBe(1);
});
