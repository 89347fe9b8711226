// The columns of lists, and a row of a list in the width of the screen.
import { formatCount, plural } from '../../format/numbers.ts';
import { escapeText, textWidth, truncate } from '../../format/terminal/escape.ts';
import type { Line, Span, Style } from '../../format/terminal/styled-line.ts';
import { integrityStyle, NO_VALUE, statusStyle } from '../../format/views/index.ts';
import { zonedHeading } from '../../format/instants.ts';
import { sizeText, type Entry, type EntryInstant } from '../entry.ts';
import type { Check, Screen, State } from '../state.ts';
import { stateWord } from './file-state.ts';

/** What cells depend on. */
type Context = Pick<State, 'checks'> & Pick<Screen, 'order' | 'place' | 'entries'>;

/** A column. One of each kind has no width: it takes what is left. */
type Column<Of> = {
  name: string;
  /** Another name for some rows. */
  nameFor?(rows: readonly Of[]): string | undefined;
  width?: number;
  /** It is shown from this width of the screen on. Default: always. */
  from?: number;
  /** It is shown up to this width. */
  to?: number;
  /** Whether it says something in this list. Default: it does. */
  isUseful?(context: Context): boolean;
  align?: 'right';
  /** The instant that the column shows with its time. The heading names the zone. */
  instant?(entry: Of): EntryInstant;
  of(entry: Of, context: Context): Span;
};

type Of<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

const GAP = 2;
/** Widths of the screen from which on more columns have room. */
const NARROW = 36;
const SIZE_FROM = 50;
const MEDIUM = 60;
const WIDE = 80;
const WIDER = 100;
const VERY_WIDE = 110;
/** From here on the names of files and the subjects of messages have room beside ids and types. */
const ID_OF_FILE_FROM = 120;
const STATUS_OF_MESSAGE_FROM = 130;
const TYPE_FROM = 140;
/** Counts stand near what they count. */
const MAX_COUNT_COLUMNS = 90;

const CONVERSATION: Column<Of<'conversation'>>[] = [
  { name: 'msgs', width: 5, align: 'right', of: ({ messages }) => messages },
  {
    name: 'subject',
    of: ({ subject, status, id }) => (subject === '' ? nameless(status, ` ${id}`) : subject),
  },
  { name: 'source', width: 12, from: VERY_WIDE, of: ({ source }) => ({ text: source, style: 'dim' }) },
  {
    name: 'status',
    width: 10,
    from: VERY_WIDE,
    of: ({ status }) => ({ text: status, style: statusStyle(status) }),
  },
  { name: 'id', width: 12, from: VERY_WIDE, of: ({ id }) => ({ text: id, style: 'id' }) },
];

const MESSAGE: Column<Of<'message'>>[] = [
  ...instantColumns<Of<'message'>>('date', MEDIUM, ({ date }) => date),
  { name: 'from', width: 14, from: NARROW, to: WIDER - 1, of: fromCell },
  { name: 'from', width: 24, from: WIDER, of: fromCell },
  {
    name: 'subject',
    nameFor: (rows) =>
      rows.some(({ snippet }) => snippet !== undefined) ? 'text found (subject)' : undefined,
    of: subjectCell,
  },
  {
    name: 'files',
    width: 5,
    from: MEDIUM,
    align: 'right',
    of: ({ files }) => ({ text: files === '0' ? '' : files, style: 'good' }),
  },
  {
    name: 'status',
    width: 10,
    from: STATUS_OF_MESSAGE_FROM,
    of: ({ status }) => ({ text: status, style: statusStyle(status) }),
  },
  { name: 'id', width: 12, from: STATUS_OF_MESSAGE_FROM, of: ({ id }) => ({ text: id, style: 'id' }) },
];

const FILE: Column<Of<'file'>>[] = [
  {
    name: 'state',
    width: 9,
    of: ({ id, state }, { checks }) => stateWord(state, checks.get(id)),
  },
  { name: 'name', of: ({ name, state }) => (state === 'available' ? name : { text: name, style: 'dim' }) },
  {
    name: 'why',
    width: 16,
    from: WIDE,
    isUseful: hasWhy,
    of: ({ reason, id }, { checks }) => whyCell(reason, checks.get(id)),
  },
  { name: 'size', width: 9, from: SIZE_FROM, align: 'right', of: ({ bytes }) => bytes },
  {
    name: 'city',
    width: 14,
    from: WIDER,
    isUseful: ({ place }) => !('city' in place),
    of: ({ city }) => ({ text: city, style: 'dim' }),
  },
  {
    name: 'type',
    width: 22,
    from: TYPE_FROM,
    isUseful: ({ place }) => !('type' in place),
    of: ({ type }) => ({ text: type, style: 'dim' }),
  },
  { name: 'id', width: 12, from: ID_OF_FILE_FROM, of: ({ id }) => ({ text: id, style: 'id' }) },
];

const GROUP: Column<Of<'group'>>[] = [
  { name: 'value', of: ({ value }) => value ?? { text: NO_VALUE, style: 'dim' } },
  { name: 'files', width: 12, align: 'right', of: ({ files }) => plural(files, 'file') },
  { name: 'bytes', width: 9, align: 'right', from: 60, of: sizeText },
  {
    name: 'gone',
    width: 22,
    from: WIDE,
    of: ({ withheld, absent }) => ({
      text: [
        withheld > 0 ? `${formatCount(withheld)} withheld` : '',
        absent > 0 ? `${formatCount(absent)} absent` : '',
      ]
        .filter((text) => text !== '')
        .join(', '),
      style: 'warn',
    }),
  },
];

const SECTION: Column<Of<'section'>>[] = [
  { name: 'label', of: ({ label }) => label },
  {
    name: 'count',
    width: 12,
    align: 'right',
    of: ({ count }) => (count === undefined ? '' : formatCount(count)),
  },
  // As in the rows of groups, so that counts stand below each other.
  { name: '', width: 9, from: 60, of: () => '' },
  { name: '', width: 22, from: WIDE, of: () => '' },
];

/** The date that the archive orders conversations by, and the one of the order by their last message. */
const STARTED = instantColumns<Of<'conversation'>>('started', NARROW, ({ started }) => started);
const LAST = instantColumns<Of<'conversation'>>('last', NARROW, ({ last }) => last);

const COLUMNS: { [Kind in Exclude<Entry['kind'], 'heading'>]: readonly Column<Of<Kind>>[] } = {
  conversation: [...STARTED, ...CONVERSATION],
  message: MESSAGE,
  file: FILE,
  group: GROUP,
  section: SECTION,
};

/** Returns the spans of a row: its mark, then its cells. They fit `columns` columns. */
export function rowLine(entry: Entry, columns: number, isChosen: boolean, context: Context): Span[] {
  if (entry.kind === 'heading') return [{ text: truncate(escapeText(entry.label), columns), style: 'head' }];
  const mark = isChosen ? '>' : ' ';
  const cells = columnsOf(entry.kind, context);
  const isCount = entry.kind === 'group' || entry.kind === 'section';
  const room = isCount ? Math.min(columns, MAX_COUNT_COLUMNS) : columns;
  return [mark, doubtMark(entry), ...cellsOf(cells, room - 2, (column) => column.of(entry, context))];
}

function columnsOf(kind: Exclude<Entry['kind'], 'heading'>, context: Context): readonly Column<Entry>[] {
  const isByLast = kind === 'conversation' && context.order === 'newest';
  const all: readonly Column<Entry>[] = isByLast ? [...LAST, ...CONVERSATION] : COLUMNS[kind];
  return all.filter(({ isUseful }) => isUseful?.(context) ?? true);
}

const FOUND = new WeakMap<object, boolean>();

/** Returns whether the column has something to say. Each row of a frame asks for it, so it is counted once for each list of rows. */
function hasWhy({ entries, checks }: Context): boolean {
  const hasReason = (): boolean => entries.some((entry) => entry.kind === 'file' && entry.reason !== '');
  const hasFailure = (): boolean => [...checks.values()].some(({ state }) => state === 'failed');
  return remembered(entries, hasReason) || remembered(checks, hasFailure);
}

function remembered(of: object, find: () => boolean): boolean {
  const found = FOUND.get(of) ?? find();
  FOUND.set(of, found);
  return found;
}

/** Returns the names of the columns of a list in this order, of which these rows are on the screen. */
export function columnNames(rows: readonly Entry[], columns: number, context: Context): Line {
  const kind = rows.find((row) => row.kind !== 'heading')?.kind;
  if (kind === undefined) return '';
  const cells = columnsOf(kind, context);
  const spans = cellsOf(cells, columns - 2, (column) => headingOf(column, rows));
  return ['  ', ...spans].map((span) => ({
    text: typeof span === 'string' ? span : span.text,
    style: 'dim',
  }));
}

function headingOf({ name, nameFor, instant }: Column<Entry>, rows: readonly Entry[]): string {
  const shown = rows.filter((row) => row.kind !== 'heading');
  const zones = new Set<number>();
  for (const row of shown) {
    const { offset } = instant?.(row) ?? {};
    if (offset !== undefined) zones.add(offset);
  }
  return zonedHeading((nameFor?.(shown) ?? name).toUpperCase(), zones);
}

function cellsOf(
  list: readonly Column<Entry>[],
  columns: number,
  cellOf: (column: Column<Entry>) => Span,
): Span[] {
  const shown = list.filter(({ from = 0, to = Infinity }) => columns + 2 >= from && columns + 2 <= to);
  const fixed = shown.reduce((sum, { width = 0 }) => sum + width, GAP * (shown.length - 1));
  const rest = Math.max(4, columns - fixed);
  return shown.flatMap((column, index): Span[] => {
    const width = column.width ?? rest;
    const span = cellOf(column);
    const text = truncate(escapeText(typeof span === 'string' ? span : span.text), width);
    const blanks = ' '.repeat(width - textWidth(text));
    const cell = typeof span === 'string' ? text : { text, style: span.style };
    const gap = index === shown.length - 1 ? '' : ' '.repeat(GAP);
    return column.align === 'right' ? [blanks, cell, gap] : [cell, blanks + gap];
  });
}

/** A record that failed checks, or whose place is doubtful. */
function doubtMark(entry: Entry): Span {
  const integrity = 'integrity' in entry ? entry.integrity : undefined;
  const style = integrityStyle(integrity);
  return style === undefined ? ' ' : { text: '!', style };
}

/** Returns the columns of an instant: on screens from a width on its day, on wide ones also its time. */
function instantColumns<Row>(
  name: string,
  from: number,
  instant: (entry: Row) => EntryInstant,
): Column<Row>[] {
  const day = (entry: Row): Span => {
    const { text, offset } = instant(entry);
    // How long ago it was has no zone, and no day.
    return { text: offset === undefined ? text : text.slice(0, 10), style: 'dim' };
  };
  const time = (entry: Row): Span => ({ text: instant(entry).text, style: 'dim' });
  return [
    { name, width: 10, from, to: WIDE - 1, of: day },
    { name, width: 16, from: WIDE, instant, of: time },
  ];
}

function fromCell({ from }: Of<'message'>): Span {
  const address = from.endsWith('>') ? from.lastIndexOf('<') : -1;
  const name = (address < 0 ? from : from.slice(0, address)).replaceAll('"', '').trim();
  return name === '' ? from : name;
}

/** What stands in place of a subject. That of a withheld record is hidden; another one has none. */
function nameless(status: string, after: string): { text: string; style: Style } {
  const isWithheld = status === 'withheld';
  return { text: `(${isWithheld ? 'withheld' : 'no subject'})${after}`, style: isWithheld ? 'warn' : 'dim' };
}

/** Answers stand behind the branches of the thread; their subject is shown where it is a new one. */
function subjectCell({ lead, subject, isNewSubject, snippet, status }: Of<'message'>): Span {
  if (subject === '' && (snippet ?? '') === '') {
    const { text, style } = nameless(status, '');
    return { text: `${lead}${text}`, style };
  }
  // What was found comes first: a subject in front of it would take the room.
  if (snippet !== undefined) return snippet === '' ? subject : `${snippet} (${subject})`;
  return isNewSubject ? lead + subject : { text: `${lead}${subject}`, style: 'dim' };
}

function whyCell(reason: string, check: Check | undefined): Span {
  return check?.state === 'failed' ? { text: check.text, style: 'bad' } : { text: reason, style: 'warn' };
}
