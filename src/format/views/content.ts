// How the content of a message is shown: the lore view as fields and assets, the raw view as headers and text (interface 2.2, 4.3).
import type { Content, RawRecord } from '../../contract/content.ts';
import { ExactNumber, exactJsonText } from '../../contract/exact-json.ts';
import { plural } from '../numbers.ts';
import { alignColumns, type Line, type Span } from '../terminal/styled-line.ts';
import { escapeBlock } from '../terminal/escape.ts';
import { keyLines, type Cell, type Column, type View } from './view.ts';
import { integrityColumn } from './shared-columns.ts';

type AnyRecord = RawRecord & {
  [Name in 'glyph_trigger' | 'classification' | 'sequence_status' | 'origin']?: string;
};

const FIELDS: readonly Column<AnyRecord>[] = [
  { name: 'id', of: (row) => row.id, style: 'id' },
  { name: 'glyph_trigger', of: (row) => row.glyph_trigger },
  { name: 'classification', of: (row) => row.classification },
  { name: 'sequence_status', of: (row) => row.sequence_status },
  { name: 'entry', of: (row) => row.entry },
  { name: 'conversation_id', of: (row) => row.conversation_id },
  { name: 'parent_id', of: (row) => row.parent_id },
  { name: 'sequence', of: (row) => row.sequence },
  { name: 'date', of: (row) => row.date, instant: (row) => row.date },
  { name: 'from', of: (row) => row.from },
  { name: 'subject', of: (row) => row.subject },
  { name: 'format', of: (row) => row.format },
  { name: 'origin', of: (row) => row.origin },
  { name: 'source', of: (row) => row.source },
  { name: 'channel', of: (row) => row.channel },
  { name: 'bytes', of: (row) => row.bytes },
  { name: 'sha256', of: (row) => row.sha256 },
  { name: 'attachments', of: (row) => row.attachments?.join(', ') },
  integrityColumn,
];

const PARTS = 'headers text html raw_base64 parts unavailable pipeline stego'.split(' ');
const KNOWN = new Set([...FIELDS.map(({ name }) => name), ...PARTS]);

/** The content of a message. */
export const contentView: View<Content> = {
  columns: [
    ...FIELDS.map((field): Column<Content> => ({
      name: field.name,
      of: ({ data }) => field.of(data),
    })),
    { name: 'provider', of: ({ data }) => data.pipeline?.provider },
    { name: 'assets', of: ({ data }) => data.pipeline?.assets.map((asset) => asset.asset_id).join(',') },
    { name: 'text', of: ({ data }) => ('text' in data ? (data.text as Cell) : undefined) },
  ],
  lines({ view, data }, canvas) {
    const record = data as AnyRecord;
    return [
      ...keyLines([...FIELDS, ...otherColumns(data)], record, canvas),
      ...unavailableLines(record),
      ...pipelineLines(record),
      ...carrierLines(record),
      ...(view === 'raw' ? messageLines(record) : []),
    ];
  },
};

/** Fields of another service that the contract does not know. */
function otherColumns(record: Record<string, unknown>): Column<AnyRecord>[] {
  const others = Object.entries(record).filter(([name]) => !KNOWN.has(name));
  return others.map(([name, value]) => ({
    name,
    of: () => cellOf(value),
  }));
}

function cellOf(value: unknown): Cell {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'object' ? exactJsonText(value) : (value as Cell);
}

/** The files of the message that cannot be had, with the reasons. */
function unavailableLines({ unavailable }: AnyRecord): Line[] {
  const files = (Array.isArray(unavailable) ? unavailable : []).map(({ id, state, reason }): Span[] => [
    { text: id, style: 'id' },
    { text: state, style: 'warn' },
    reason ?? '',
  ]);
  return files.length === 0 ? [] : ['', ...alignColumns(files)];
}

function pipelineLines({ pipeline }: AnyRecord): Line[] {
  if (pipeline === undefined) return [];
  const assets = pipeline.assets.map((asset): Span[] => [
    { text: asset.asset_id, style: 'id' },
    asset.asset_type,
    asset.filename,
    `variant ${asset.render_variant}`,
    { text: `job ${asset.generation_job_id}`, style: 'dim' },
  ]);
  return [
    '',
    [{ text: 'pipeline', style: 'head' }, ` by ${pipeline.provider}, ${plural(assets.length, 'asset')}`],
    ...alignColumns(assets),
  ];
}

/** What the count of a carrier counts, by its kind. */
const CARRIER_UNITS = new Map([
  ['zero_width', 'character'],
  ['trailing_bytes', 'byte'],
]);

function carrierLines({ stego }: AnyRecord): Line[] {
  if (stego === undefined) return [];
  const carriers = stego.carriers.map((carrier): Span[] => [
    { text: carrier.kind, style: 'warn' },
    carrier.where,
    plural(carrier.count, CARRIER_UNITS.get(carrier.kind) ?? 'place'),
  ]);
  const found = carriers.length === 0 ? 'none' : plural(carriers.length, 'place');
  const head: Line = [{ text: 'hidden data', style: 'head' }, `: ${found}`];
  return ['', head, ...alignColumns(carriers)];
}

function messageLines({ headers, text, html }: AnyRecord): Line[] {
  const head = (headers ?? []).map(([name = '', value = '']): Line => [
    { text: `${name}: `, style: 'dim' },
    value,
  ]);
  const lead: Line[] = head.length > 0 ? ['', ...head] : [];
  if (typeof text === 'string')
    return [...lead, '', ...withoutFinalEmptyLines(escapeBlock(text).split('\n'))];
  return typeof html === 'string'
    ? [
        ...lead,
        '',
        { text: `no plain text; ${plural(html.length, 'character')} of HTML, whole in --json`, style: 'dim' },
      ]
    : lead;
}

function withoutFinalEmptyLines(lines: readonly string[]): readonly string[] {
  return lines.slice(0, Math.max(lines.findLastIndex((line) => line !== '') + 1, 1));
}
