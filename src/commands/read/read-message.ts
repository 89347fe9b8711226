// Makes of the content record of a message what a person reads: who, when, what, the parts in order and every doubt.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { fileNameOf, fileStateOf, reasonOf } from '../../contract/attachment-file.ts';
import type { LoreRecord, MailPart, RawRecord } from '../../contract/content.ts';
import type { ReadMessage, ReadPart, ReadWarning } from '../../contract/reports/reading.ts';
import { foldedName } from '../../contract/field-names.ts';
import { ownValue } from '../../contract/own-value.ts';
import type { Fault } from '../../faults.ts';
import { catalogueRows } from '../attachments/catalogue.ts';
import { readContent } from '../content/read-content.ts';
import { withoutUndefined } from '../shared/input.ts';
import { storedBytes } from '../content/stored-bytes.ts';
import type { PreferredForm } from '../../service/mail/readable-mail.ts';
import { isOfOneRecord } from '../lists/single-record.ts';
import { mailInFile } from './mail-in-file.ts';

/** What is read besides the text. */
export type ReadOptions = { headers: boolean; lore: boolean; preferHtml: boolean };

/** Returns a message that cannot be read, with the reason. */
export function unreadable(id: string, fault: Fault): ReadMessage {
  return {
    version: 1,
    id,
    conversation_id: null,
    parent_id: null,
    from: null,
    to: null,
    cc: null,
    date: null,
    subject: null,
    channel: null,
    parts: [],
    warnings: [],
    problem: { class: fault.kind, message: fault.message },
  };
}

/** Returns a message. Throws the Faults of requests, and as {@link readContent}. */
export async function readMessage(id: string, options: ReadOptions, app: App): Promise<ReadMessage> {
  const request = { message: id, pipeline: false, stego: false };
  const { body } = await readContent({ ...request, view: 'raw' }, app);
  const stored = body.data as RawRecord;
  const warnings: ReadWarning[] = [];
  const rows = await fileRows(stored, warnings, app);
  const mail = stored.format === 'file' ? await mailInFile(stored, rows, warnings, app) : undefined;
  const record = mail?.record ?? stored;
  const files = filesOf(record, rows);
  const { parts, isWhole } =
    mail === undefined
      ? await partsOf(record, id, files, options, warnings, app)
      : await mailParts(mail.bytes, [], options, warnings);
  // The file of the message is the mail itself.
  if (mail !== undefined) for (const file of files) parts.push(file);
  const headers = (record.headers ?? []).map(([name = '', value = '']): [string, string] => [name, value]);
  const isDoubtful = record.integrity !== undefined && record.integrity < 1;
  const lore = options.lore
    ? ((await readContent({ message: id, view: 'lore', pipeline: true, stego: true }, app)).body
        .data as LoreRecord)
    : isDoubtful
      ? await loreOf(id, app)
      : undefined;
  warnings.push(...positionWarnings(lore), ...dateWarnings(record, headers, app));
  for (const name of record.truncated ?? [])
    if (name === 'headers' || !isWhole)
      warnings.push({ about: 'content', text: `its ${name} is cut: it is too long` });
  const of = (name: string): string | null =>
    headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? null;
  const { decodedHeader } = await import('../../service/mail/readable-mail.ts');
  const decoded = async (value: string | null): Promise<string | null> =>
    value === null ? null : decodedHeader(value);
  return {
    version: 1,
    id: record.id ?? id,
    conversation_id: textOf(record.conversation_id),
    parent_id: textOf(record.parent_id),
    from: textOf(record.from) ?? (await decoded(of('from'))),
    to: await decoded(of('to')),
    cc: await decoded(of('cc')),
    date: textOf(record.date),
    subject: textOf(record.subject) ?? (await decoded(of('subject'))),
    channel: textOf(record.channel),
    ...(options.headers ? { headers } : {}),
    parts,
    warnings,
    ...(options.lore && lore !== undefined ? { lore } : {}),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Where other services than ours have the text of a message: folded names (see foldedName), the likeliest first. */
const TEXT_FIELDS = ['body', 'content', 'message', 'plain', 'bodytext', 'textbody', 'plaintext'] as const;

/** Returns the text of a record that is not from our service, which always names the format. */
function otherTextOf(record: RawRecord): string | null {
  if (record.format !== undefined) return null;
  const texts = new Map(
    Object.entries(record)
      .filter(([, value]) => typeof value === 'string' && value !== '')
      .map(([name, value]) => [foldedName(name), String(value)]),
  );
  return TEXT_FIELDS.map((name) => texts.get(name)).find((text) => text !== undefined) ?? null;
}

/** `isWhole`: whether the parts are from the stored bytes, so that nothing of them is cut. */
async function partsOf(
  record: RawRecord,
  id: string,
  files: readonly ReadPart[],
  options: ReadOptions,
  warnings: ReadWarning[],
  app: App,
): Promise<{ parts: ReadPart[]; isWhole: boolean }> {
  const stored = await mailBytes(record, id, warnings, app);
  // Only our service has such parts.
  if (stored === undefined && record.format === 'rfc822' && record.parts !== undefined && !options.preferHtml)
    return { parts: inPlace(record.parts.map(readPartOf), files), isWhole: true };
  if (stored === undefined) {
    const { readableText } = await import('../../service/mail/readable-mail.ts');
    const contentType = record.headers?.find(([name]) => name?.toLowerCase() === 'content-type')?.[1];
    const page = textOf(record.html);
    const text = textOf(record.text) ?? (page === null ? otherTextOf(record) : null);
    const parts = readableText({ text, html: page, contentType }, preferred(options));
    if (parts.length === 0 && record.format === undefined)
      warnings.push({ about: 'content', text: 'no text: the service names none, or under another name' });
    // Only a mail contains its files.
    const place = record.format === undefined || record.format === 'rfc822' ? { in_place: false } : {};
    return { parts: [...parts, ...files.map((file) => ({ ...file, ...place }))], isWhole: false };
  }
  return mailParts(stored, files, options, warnings);
}

const preferred = ({ preferHtml }: ReadOptions): PreferredForm => (preferHtml ? 'text/html' : 'text/plain');

async function mailParts(
  bytes: Buffer,
  files: readonly ReadPart[],
  options: ReadOptions,
  warnings: ReadWarning[],
): Promise<{ parts: ReadPart[]; isWhole: boolean }> {
  const { readableMail } = await import('../../service/mail/readable-mail.ts');
  const { parts, wellFormed } = await readableMail(bytes, preferred(options));
  if (!wellFormed)
    warnings.push({
      about: 'structure',
      text: 'its structure is damaged: parts may be missing or in the wrong place',
    });
  return { parts: inPlace(parts, files), isWhole: true };
}

/** Returns the stored bytes of a mail; undefined where there are none, or other bytes than their hash says. */
async function mailBytes(
  record: RawRecord,
  id: string,
  warnings: ReadWarning[],
  app: App,
): Promise<Buffer | undefined> {
  const isSent = typeof record.raw_base64 === 'string' || typeof record.raw_url === 'string';
  if (record.format !== 'rfc822' || !isSent) return undefined;
  try {
    return await storedBytes(record, id, app);
  } catch (error) {
    if (!isOfOneRecord(error)) throw error;
    warnings.push({ about: 'content', text: error.message });
    return undefined;
  }
}

/** Returns the rows of the files of a message, by id. What cannot be found out is a warning. */
async function fileRows(
  { attachments = [] }: RawRecord,
  warnings: ReadWarning[],
  app: App,
): Promise<ReadonlyMap<string, Attachment>> {
  if (attachments.length === 0) return new Map();
  try {
    return await catalogueRows(new Set(attachments), app);
  } catch (error) {
    if (!isOfOneRecord(error)) throw error;
    warnings.push({ about: 'files', text: error.message });
    return new Map();
  }
}

/** Returns the files of a message with their rows of the catalogue. */
function filesOf(
  { attachments = [], unavailable = [] }: RawRecord,
  rows: ReadonlyMap<string, Attachment>,
): ReadPart[] {
  const states = new Map(unavailable.map((each) => [each.id, each]));
  return attachments.map((id): ReadPart => {
    const row = rows.get(id);
    const known = states.get(id);
    if (row === undefined)
      return {
        kind: 'file',
        type: null,
        id,
        state: known?.state ?? 'unlisted',
        reason: known?.reason ?? null,
      };
    return {
      kind: 'file',
      type: row.content_type ?? null,
      id,
      filename: fileNameOf(row),
      ...(row.sha256 === undefined ? {} : { sha256: row.sha256.toLowerCase() }),
      ...(row.bytes === undefined ? {} : { bytes: row.bytes }),
      state: fileStateOf(row),
      reason: known?.reason ?? reasonOf(row),
    };
  });
}

/** Returns a part of a mail whose bytes are not sent. */
function readPartOf({ kind, type, text, links, id, bytes, forwarded, warnings }: MailPart): ReadPart {
  const headings = forwarded?.map((fields) =>
    fields.map(([name = '', value = '']): [string, string] => [name, value]),
  );
  return { kind, type, ...withoutUndefined({ text, links, id, bytes, forwarded: headings, warnings }) };
}

/** Returns the parts with each file of the catalogue at its place: found by its id, else by its bytes and the order. */
function inPlace(parts: readonly ReadPart[], files: readonly ReadPart[]): ReadPart[] {
  const byId = new Map(files.map((file) => [file.id, file]));
  const byHash = new Map<string, ReadPart[]>();
  for (const file of files) {
    const same = byHash.get(file.sha256 ?? '');
    if (same === undefined) byHash.set(file.sha256 ?? '', [file]);
    else same.push(file);
  }
  for (const same of byHash.values()) same.reverse();
  const placed = new Set<ReadPart>();
  const found = parts.map((part): ReadPart => {
    if (part.kind !== 'file') return part;
    const file = part.id == null ? byHash.get(part.sha256 ?? '')?.pop() : byId.get(part.id);
    if (file === undefined) return { id: null, state: 'unlisted', reason: null, ...part };
    placed.add(file);
    return { ...part, ...file, type: file.type ?? part.type };
  });
  return [
    ...found,
    ...files.filter((file) => !placed.has(file)).map((file) => ({ ...file, in_place: false })),
  ];
}

/** The lore view says more about a doubtful message; a service without it only leaves that out. */
async function loreOf(id: string, app: App): Promise<LoreRecord | undefined> {
  try {
    const { body } = await readContent({ message: id, view: 'lore', pipeline: false, stego: false }, app);
    return body.data as LoreRecord;
  } catch (error) {
    if (!isOfOneRecord(error)) throw error;
    app.log(`${id}: no lore view: ${error.message}`);
    return undefined;
  }
}

const POSITIONS: Record<string, string> = {
  non_linear: 'its position in the archive is displaced: it was moved, or stands before what it answers',
  gap: 'it answers a message that this archive does not have',
};

function positionWarnings(lore: LoreRecord | undefined): ReadWarning[] {
  const text = ownValue(POSITIONS, lore?.sequence_status ?? '');
  return text === undefined ? [] : [{ about: 'position', text }];
}

const FIRST_MAIL = '1971-01-01';

function dateWarnings(
  { date, format }: RawRecord,
  headers: readonly [string, string][],
  app: App,
): ReadWarning[] {
  const written = headers.find(([name]) => name.toLowerCase() === 'date')?.[1];
  if (typeof date !== 'string') {
    if (format !== 'rfc822' && written === undefined) return [];
    const text = written === undefined ? 'the message has no date' : `no such date: ${written}`;
    return [{ about: 'date', text }];
  }
  if (Date.parse(date) > app.world.now() + 24 * 60 * 60 * 1000)
    return [{ about: 'date', text: 'in the future' }];
  return date < FIRST_MAIL ? [{ about: 'date', text: 'impossible: before there was electronic mail' }] : [];
}
