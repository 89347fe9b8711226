// A message as a person reads it: the header in a few lines, then its parts in order, each doubt where it belongs.
import type { Carrier, LoreRecord } from '../../contract/content.ts';
import type { ReadMessage, ReadPart, ReadWarning } from '../../contract/reports/reading.ts';
import { ownValue } from '../../contract/own-value.ts';
import { formatBytes, formatLocal, plural } from '../numbers.ts';
import { foldQuotations, quotePrefix, textLines, type TextLine } from '../reading/quoted-lines.ts';
import { escapeBlock, escapeText, textWidth } from '../terminal/escape.ts';
import type { Line, Span, Style } from '../terminal/styled-line.ts';
import { wrapText } from '../terminal/wrap.ts';
import type { View } from './view.ts';

/** How messages are shown. */
export type ReadingStyle = {
  /** Lines are wrapped to this width; undefined: not at all. */
  columns: number | undefined;
  /** Long quotations are folded. */
  isFolded: boolean;
  /** The time zone of dates; undefined: that of this machine. */
  timeZone: string | undefined;
  /** How folded quotations, and another form of a text, are shown. Default: the options of `arx read`. */
  hints?: { quotes: string; html: string };
};

const OPTION_HINTS = { quotes: '--quotes shows them', html: '--prefer-html shows it' };

/** The message as one row. */
export const readMessageView: View<ReadMessage> = {
  columns: [
    { name: 'id', of: (row) => row.id, style: 'id' },
    { name: 'date', of: (row) => row.date },
    { name: 'from', of: (row) => row.from },
    { name: 'to', of: (row) => row.to },
    { name: 'subject', of: (row) => row.subject },
    { name: 'parent', of: (row) => row.parent_id },
    {
      name: 'files',
      of: (row) => row.parts.flatMap(({ kind, id }) => (kind === 'file' ? (id ?? []) : [])).join(','),
    },
    { name: 'warnings', of: (row) => row.warnings.map(({ text }) => text).join('; ') },
    { name: 'text', of: (row) => row.parts.flatMap(({ text }) => text ?? []).join('\n') },
    { name: 'problem', of: (row) => row.problem?.message },
  ],
};

/** Wider text is hard to read. */
const MAX_COLUMNS = 100;
/** Files named above the text. All of them are named at their place. */
const MAX_LISTED_FILES = 10;

/** Yields the lines of a message. `answered`: whom the message answers, where that is known. */
export function* readMessageLines(
  message: ReadMessage,
  style: ReadingStyle,
  answered?: string,
): Generator<Line> {
  const columns = style.columns === undefined ? undefined : Math.min(style.columns, MAX_COLUMNS);
  const { problem, parent_id: parent } = message;
  yield [
    { text: message.id, style: 'id' },
    parent === null
      ? ''
      : { text: `  answers ${parent}${answered === undefined ? '' : `, ${answered}`}`, style: 'dim' },
  ];
  if (problem !== undefined) {
    yield { text: `withheld or unreadable: ${problem.message} [${problem.class}]`, style: 'bad' };
    return;
  }
  yield* headLines(message, { ...style, columns });
  if (message.lore !== undefined) yield* loreLines(message.lore);
  for (const part of message.parts) {
    yield '';
    yield* partLines(part, { ...style, columns });
  }
  if (message.parts.length === 0) yield* ['', { text: 'no text and no files', style: 'dim' as const }];
}

function* headLines(message: ReadMessage, style: ReadingStyle): Generator<Line> {
  const { headers, date, warnings } = message;
  const about = (...kinds: ReadWarning['about'][]): string[] =>
    warnings.flatMap((warning) => (kinds.includes(warning.about) ? [warning.text] : []));
  const field = (name: string, value: string | null, isMain = false): Line[] =>
    value === null || value === '' ? [] : wrapField(name, value, style, isMain ? 'head' : undefined);
  if (headers !== undefined) for (const [name, value] of headers) yield* wrapField(name, value, style);
  else {
    yield* field('From', message.from);
    yield* field('To', message.to);
    yield* field('Cc', message.cc);
    yield* field('Channel', message.channel);
  }
  const doubts = about('date');
  if (headers === undefined || doubts.length > 0) {
    const shown = date === null ? '' : formatLocal(date, style.timeZone);
    if (shown !== '' || doubts.length > 0)
      yield [
        { text: 'Date: ', style: 'dim' },
        shown,
        ...doubts.map((text): Span => ({ text: `${shown === '' ? '' : ' '}(${text})`, style: 'warn' })),
      ];
  }
  if (headers === undefined) yield* field('Subject', message.subject, true);
  yield* fileListLines(
    message.parts.filter(({ kind }) => kind === 'file'),
    about('files'),
  );
  for (const text of about('position')) yield { text: `! ${text}`, style: 'warn' };
  for (const text of about('structure', 'content')) yield { text: `! ${text}`, style: 'bad' };
}

function* fileListLines(files: readonly ReadPart[], doubts: readonly string[]): Generator<Line> {
  const lead = (index: number): Span => ({ text: index === 0 ? 'Files: ' : '       ', style: 'dim' });
  for (const [index, file] of files.slice(0, MAX_LISTED_FILES).entries())
    yield [lead(index), ...fileSpans(file)];
  if (files.length > MAX_LISTED_FILES)
    yield [
      lead(1),
      {
        text: `and ${plural(files.length - MAX_LISTED_FILES, 'more file')}, each at its place`,
        style: 'dim',
      },
    ];
  for (const text of doubts) yield { text: `! ${text}`, style: 'warn' };
}

function fileSpans({ id, filename, type, bytes, state, reason }: ReadPart): Span[] {
  const facts = [type, bytes === undefined ? undefined : formatBytes(bytes)].filter((fact) => fact != null);
  const isGone = state === 'withheld' || state === 'absent';
  return [
    id == null ? '' : { text: `${id} `, style: 'id' },
    filename == null ? 'without a name' : filename,
    { text: facts.length === 0 ? '' : `  ${facts.join(', ')}`, style: 'dim' },
    {
      text:
        state === 'unlisted' ? '  not in the catalogue' : `  ${state}${reason == null ? '' : ` (${reason})`}`,
      style: isGone ? 'warn' : state === 'unlisted' ? 'dim' : 'good',
    },
  ];
}

function* partLines(part: ReadPart, style: ReadingStyle): Generator<Line> {
  for (const heading of part.forwarded ?? []) {
    yield { text: 'Forwarded message', style: 'head' };
    for (const [name, value] of heading) yield* wrapField(name, value, style);
    yield '';
  }
  for (const text of part.warnings ?? []) yield { text: `! ${text}`, style: 'bad' };
  switch (part.kind) {
    case 'file': {
      const place = part.in_place === false ? '  (its place in the message is not known)' : '';
      yield ['[file ', ...fileSpans(part), { text: place, style: 'warn' }, ']'];
      break;
    }
    case 'alternative': {
      const { html } = style.hints ?? OPTION_HINTS;
      const hint = part.type === 'text/html' ? `; ${html}` : '';
      const size = part.bytes === undefined ? '' : `, ${formatBytes(part.bytes)}`;
      yield { text: `[${part.type}${size}: another form of this text${hint}]`, style: 'dim' };
      break;
    }
    case 'text': {
      if (part.type !== 'text/plain') yield { text: `[${part.type} as text]`, style: 'dim' };
      const lines = textLines(part.text ?? '');
      for (const line of style.isFolded ? foldQuotations(lines) : lines) yield* bodyLines(line, style);
      for (const [index, link] of (part.links ?? []).entries()) {
        if (index === 0) yield '';
        yield { text: `[${index + 1}] ${link}`, style: 'dim' };
      }
    }
  }
}

function* bodyLines(line: TextLine, { columns, hints }: ReadingStyle): Generator<Line> {
  if (line.folded !== undefined) {
    const { quotes } = hints ?? OPTION_HINTS;
    yield {
      text: `${'>'.repeat(Math.min(line.depth, 8))} [${plural(line.folded, 'more quoted line')}; ${quotes}]`,
      style: 'dim',
    };
    return;
  }
  const style = styleOf(line);
  // Without its tabs and control characters, so that its width is known.
  const shown = escapeBlock(line.text);
  if (columns === undefined) {
    yield { text: shown, style };
    return;
  }
  const prefix = quotePrefix(shown);
  const lead = textWidth(prefix) <= columns / 2 ? prefix : '';
  for (const piece of wrapText(shown.slice(lead.length), columns - textWidth(lead)))
    yield { text: lead + piece, style };
}

function styleOf({ depth, isSignature }: TextLine): Style | undefined {
  if (depth > 0) return (['quote1', 'quote2', 'quote3'] as const)[(depth - 1) % 3];
  return isSignature ? 'dim' : undefined;
}

function wrapField(name: string, value: string, { columns }: ReadingStyle, style?: Style): Line[] {
  const label = `${name}: `;
  // A header is often folded with a tab, which is a blank (RFC 5322, 2.2.3).
  const shown = escapeText(value.replaceAll('\t', ' '));
  if (columns === undefined)
    return [
      [
        { text: label, style: 'dim' },
        { text: shown, style },
      ],
    ];
  const pieces = wrapText(shown, columns - label.length);
  return pieces.map((piece, index) => [
    index === 0 ? { text: label, style: 'dim' } : ' '.repeat(Math.min(label.length, columns)),
    { text: piece, style },
  ]);
}

const SEQUENCE_WORDS: Record<string, string> = {
  linear: 'in its place',
  non_linear: 'moved, or before what it answers',
  gap: 'what it answers is missing',
};

/** The record of a message in words (interface 2.2). */
function* loreLines(lore: LoreRecord): Generator<Line> {
  const line = (text: string): Line => ({ text, style: 'dim' });
  yield '';
  yield { text: 'What the archive says about it', style: 'head' };
  yield line(
    `arrived as ${lore.glyph_trigger} (its glyph), from the source ${lore.source}; the record is ${lore.origin}`,
  );
  yield line(`classified as ${lore.classification}`);
  const words = ownValue(SEQUENCE_WORDS, lore.sequence_status);
  yield line(`sequence: ${lore.sequence_status}${words === undefined ? '' : `, ${words}`}`);
  yield {
    text: `integrity ${lore.integrity}: ${lore.integrity === 1 ? 'it passed every check' : 'it failed some checks'}`,
    style: lore.integrity === 1 ? 'dim' : 'warn',
  };
  const { pipeline, stego } = lore;
  if (pipeline !== undefined) {
    yield line(`pipeline: ${plural(pipeline.assets.length, 'asset')} made by ${pipeline.provider}`);
    for (const asset of pipeline.assets)
      yield line(
        `  ${asset.asset_id} ${asset.filename}: ${asset.asset_type}, variant ${asset.render_variant}, by ${asset.generation_job_id}`,
      );
  }
  if (stego === undefined) return;
  if (stego.carriers.length === 0) yield line('hidden data (stego): none found');
  for (const carrier of stego.carriers)
    yield { text: `hidden data (stego): ${carrierWords(carrier)}`, style: 'warn' };
}

function carrierWords({ kind, count, where }: Carrier): string {
  if (kind === 'zero_width') return `${plural(count, 'character')} without width in the ${where}`;
  if (kind === 'trailing_bytes') return `${plural(count, 'byte')} after the end of the file ${where}`;
  return `${kind} in ${where}, ${plural(count, 'place')}`;
}
