// `arx content diff A B`: two messages line by line. `arx content diff ID`: what the raw and the lore view of one say.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { LoreRecord, RawRecord } from '../../contract/content.ts';
import type { MessageDiff, ViewDiff } from '../../contract/reports/content-diff.ts';
import type { ReadMessage, ReadPart } from '../../contract/reports/reading.ts';
import { Fault } from '../../faults.ts';
import { compareLines } from '../../format/reading/line-diff.ts';
import type { Line } from '../../format/terminal/styled-line.ts';
import { messageDiffLines, viewDiffLines } from '../../format/views/index.ts';
import { readMessage } from '../read/read-message.ts';
import { readContent } from './read-content.ts';
import { compareViews } from './view-fields.ts';

export const Input = z.object({
  a: z.string().min(1),
  b: z.string().min(1).optional(),
  headers: z.boolean().default(false),
  preferHtml: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  if (input.b === undefined) return diffViews(input, app);
  const [a, b] = [await readOne(input.a, input, app), await readOne(input.b, input, app)];
  const header = await compareLines(headerLines(a), headerLines(b));
  const body = await compareLines(bodyLines(a), bodyLines(b));
  const report: MessageDiff = {
    version: 1,
    of: 'messages',
    a: input.a,
    b: input.b,
    equal: header.hunks.length === 0 && body.hunks.length === 0,
    header: header.hunks,
    body: body.hunks,
    is_minimal: header.isMinimal && body.isMinimal,
  };
  await print(report, () => messageDiffLines(report), `${input.a} and ${input.b} differ`, app);
}

async function diffViews({ a: id, headers, preferHtml }: Input, app: App): Promise<void> {
  if (headers || preferHtml)
    throw new Fault('usage', '--headers and --prefer-html go with two messages: arx content diff A B');
  const request = { message: id, pipeline: false, stego: false };
  const raw = (await readContent({ ...request, view: 'raw' }, app)).body.data as RawRecord;
  const lore = (await readContent({ ...request, view: 'lore' }, app)).body.data as LoreRecord;
  const fields = compareViews(raw, lore);
  const equal = fields.every(({ state }) => state !== 'different');
  const report: ViewDiff = { version: 1, of: 'views', id, equal, fields };
  await print(report, () => viewDiffLines(report), `the views of ${id} contradict each other`, app);
}

async function print(
  report: ViewDiff | MessageDiff,
  lines: () => Iterable<Line>,
  difference: string,
  app: App,
): Promise<void> {
  await app.printer.report(report, lines);
  if (app.strict && !report.equal) app.addFault(new Fault('partial', difference));
}

/** Warnings about a message would make a damaged one look different, so they are said beside the comparison. */
async function readOne(id: string, input: Input, app: App): Promise<ReadMessage> {
  const message = await readMessage(id, { ...input, lore: false }, app);
  for (const { about, text } of message.warnings)
    if (about === 'structure' || about === 'content') app.notice(`${id}: ${text}`);
  return message;
}

function headerLines({ headers, from, to, cc, date, subject }: ReadMessage): string[] {
  const fields = headers ?? [
    ['From', from],
    ['To', to],
    ['Cc', cc],
    ['Date', date],
    ['Subject', subject],
  ];
  return fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
}

function bodyLines({ parts }: ReadMessage): string[] {
  return parts.flatMap((part) => (part.kind === 'file' ? [fileLine(part)] : textLines(part)));
}

function fileLine({ filename, type, bytes, sha256, state }: ReadPart): string {
  const facts = [type, bytes === undefined ? undefined : `${bytes} bytes`, sha256, state];
  return `[file ${filename ?? 'without a name'}: ${facts.filter((fact) => fact != null).join(', ')}]`;
}

function textLines({ kind, type, text = '', links = [], forwarded = [] }: ReadPart): string[] {
  if (kind === 'alternative') return [`[another form: ${type}]`];
  return [
    ...forwarded.flatMap((fields) => [
      '[forwarded message]',
      ...fields.map(([name, value]) => `${name}: ${value}`),
    ]),
    ...text.replace(/\r?\n$/, '').split(/\r?\n/),
    ...links.map((link, index) => `[${index + 1}] ${link}`),
  ];
}
