// The lines of places that are read as a text: a message, a file, the drift of a sequence.
import { fileStateOf, reasonOf } from '../../contract/attachment-file.ts';
import { plural } from '../../format/numbers.ts';
import { driftPlot } from '../../format/plot/bar-chart.ts';
import type { Canvas } from '../../format/terminal/capabilities.ts';
import type { Line } from '../../format/terminal/styled-line.ts';
import { wrapLine } from '../../format/terminal/wrap-line.ts';
import { attachmentViewWithoutUrl, keyLines, readMessageLines } from '../../format/views/index.ts';
import type { Document } from '../archive.ts';
import type { Place } from '../place.ts';
import { reasonText } from './file-state.ts';
import type { Check, Screen, State } from '../state.ts';

/** What the lines of a document depend on. */
type Conditions = Pick<State, 'columns' | 'isFolded' | 'timeZone' | 'unicode'> & { check: Check | undefined };

/** The lines that were made last, with what they depend on: lines are asked for at each key. */
let last: { document: Document; conditions: Conditions; lines: readonly Line[] } | undefined;

/** Returns the lines of a document, none before it is read. */
export function documentLines({ document, place }: Screen, state: State): readonly Line[] {
  if (document === undefined) return [];
  const check = document.kind === 'file' ? state.checks.get(document.row.id) : undefined;
  const { columns, timeZone, unicode } = state;
  const isFolded = isFoldedAt(place, state);
  const conditions = { columns, isFolded, timeZone, unicode, check };
  if (
    last?.document !== document ||
    last.conditions.columns !== conditions.columns ||
    last.conditions.isFolded !== conditions.isFolded ||
    last.conditions.check !== check
  )
    last = { document, conditions, lines: linesOf(document, conditions) };
  return last.lines;
}

/** Whether long quotations are folded in a message. */
export function isFoldedAt(place: Place, { isFolded }: Pick<State, 'isFolded'>): boolean {
  return isFolded && !(place.kind === 'message' && place.quotes === true);
}

function linesOf(document: Document, { columns, isFolded, timeZone, unicode, check }: Conditions): Line[] {
  switch (document.kind) {
    case 'message': {
      const style = { columns, isFolded, timeZone, hints: KEY_HINTS };
      return [...readMessageLines(document.message, style)].flatMap((line) => wrapped(line, columns));
    }
    case 'file':
      return fileLines(document.row, check, columns);
    default:
      return plotLines(document, { columns, unicode });
  }
}

/** On the whole screen a line that is too wide would be cut. */
function wrapped(line: Line, columns: number): Line[] {
  return wrapLine(line, columns, { breaksWords: true });
}

/** What shows more, in place of the options of `arx read`. */
const KEY_HINTS = { quotes: 'Q shows them', html: 'arx read --prefer-html shows it' };

function fileLines(
  row: Extract<Document, { kind: 'file' }>['row'],
  check: Check | undefined,
  columns: number,
): Line[] {
  const state = fileStateOf(row);
  const reason = reasonOf(row);
  const lines: Line[] = [
    [
      { text: row.id, style: 'id' },
      {
        text: `  ${state}${reason === null ? '' : ` (${reason})`}`,
        style: state === 'available' ? 'good' : 'warn',
      },
    ],
    verificationLine(row, check),
    '',
    ...keyLines(attachmentViewWithoutUrl.columns, row),
  ];
  return lines.flatMap((line) => wrapped(line, columns));
}

function verificationLine(row: Extract<Document, { kind: 'file' }>['row'], check: Check | undefined): Line {
  if (check?.state === 'verified')
    return { text: 'verified: its bytes have the SHA-256 of the catalogue', style: 'good' };
  if (check?.state === 'checking') return { text: 'comparing its bytes with the hash …', style: 'dim' };
  if (check?.state === 'failed') return { text: `NOT verified: ${check.text}`, style: 'bad' };
  if (fileStateOf(row) !== 'available') return { text: reasonText(row), style: 'warn' };
  if (row.sha256 === undefined)
    return { text: 'cannot be verified: the service gives no SHA-256', style: 'warn' };
  return { text: 'not verified yet: v compares its bytes with the hash', style: 'dim' };
}

function plotLines({ name, rows, unchecked }: Extract<Document, { kind: 'plot' }>, canvas: Canvas): Line[] {
  const lines = driftPlot(name, rows, canvas);
  if (unchecked === 0) return lines;
  const text = `${plural(unchecked, 'entry').replace('entrys', 'entries')} without a checked position left out`;
  return [...lines, '', { text, style: 'warn' }];
}
