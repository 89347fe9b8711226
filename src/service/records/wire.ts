// The wire records of the lists as SQL: the engine writes their JSON, with holes for what only the service can say.
import type { Tier } from '../../contract/token.ts';
import { MESSAGE } from '../rules/integrity.ts';
import { tiersUpTo } from '../rules/tiers.ts';

/** Stands before and after a hole: JSON has this character only as an escape. */
export const HOLE = '\u0001';

/**
 * What a hole says, by its first character: `u<n>|<sha256>` an address of that file, `d<ms>` an instant, `i<failed>` an
 * integrity. `w` is nothing, and tells that the row is withheld.
 */
export type Hole = 'u' | 'd' | 'i' | 'w';

/**
 * One catalogue row (interface 2.1) as a reader of this tier sees it. A row above that tier reads as redacted and is
 * named by its id. A row whose bytes the archive does not hold is not redacted, but has no address either.
 */
export function attachmentJson(reader: Tier): string {
  const readable = isReadable('tier', reader);
  const name = `CASE WHEN ${readable} THEN ${text('filename')} ELSE ${json`"att_${'n'}"`} END`;
  const url = `CASE stored WHEN 1 THEN ${hole('u', 'n', `'|'`, 'sha256')} ELSE 'null' END`;
  const layers = json`"decorative_layer":${flag('decorative_layer')},"first_visible":${flag('first_visible')}`;
  const place = json`"message_id":"msg_${'message'}","sequence":${'n'}`;
  const integrity = integrityOf('failed');
  const closed = json`{"id":"att_${'n'}","filename":${name},"file_url":null,"sha256":"${'sha256'}","redacted":true,${
    layers
  },${place},"integrity":${integrity}}${hole('w')}`;
  const open = json`{"id":"att_${'n'}","filename":${text('filename')},"file_url":${url},"sha256":"${'sha256'}",${json`"content_type":${text('declared_type')},"redacted":false`},${layers}${member('origin_city')},"source":${text('source')},${place},${json`"bytes":${'bytes'},"trailing_bytes":${'trailing_bytes'}`}${member('detected_type')},"integrity":${integrity}}`;
  return `CASE WHEN redacted = 1 OR NOT ${readable} THEN ${closed} ELSE ${open} END`;
}

/** One message `m`. Above the reader's tier its words and people are null and its status is `withheld`. */
export function messageJson(reader: Tier): string {
  const readable = isReadable('m.tier', reader);
  const doubtful = MESSAGE.decodable | MESSAGE.wellFormed | MESSAGE.storedBytes;
  const status = `CASE WHEN m.failed = 0 THEN 'stable' WHEN (m.failed & ${doubtful}) <> 0 THEN 'unverified'
    ELSE 'partial' END`;
  const parent = `CASE WHEN m.parent IS NULL THEN 'null' ELSE ${json`"msg_${'m.parent'}"`} END`;
  const shown = (from: string, subject: string, state: string) =>
    json`"from":${from},"subject":${subject},"source":${text('m.source')},"status":"${state}"`;
  const words = `CASE WHEN ${readable} THEN ${shown(textOrNull('m.sender'), textOrNull('m.subject'), status)}
    ELSE ${shown(`'null'`, `'null'`, `'withheld'`)} END`;
  return json`{"id":"msg_${'m.n'}","conversation_id":"conv_${'m.conversation'}","parent_id":${parent},${json`"entry":"entry_${'m.n'}","sequence":${'m.sequence'},"date":${instant('m.date_ms')}`},${words},"attachments":${'m.attachments'},"integrity":${integrityOf('m.failed')}}${`CASE WHEN ${readable} THEN '' ELSE ${hole('w')} END`}`;
}

/** One conversation `c`; its subject is its first message's (`f`), and withheld with it. Status is stable or partial otherwise. */
export function conversationJson(reader: Tier): string {
  const readable = `(f.tier IS NULL OR ${isReadable('f.tier', reader)})`;
  const status = `CASE WHEN NOT ${readable} THEN 'withheld' WHEN c.failed = 0 THEN 'stable' ELSE 'partial' END`;
  const subject = `CASE WHEN ${readable} THEN ${textOrNull('c.subject')} ELSE 'null' END`;
  return json`{"id":"conv_${'c.n'}","sequence":${'c.n'},"subject":${subject},"status":"${status}",${json`"source":${text('c.source')},"message_count":${'c.message_count'},"first_message_id":"msg_${'c.first_message'}"`},"started_at":${instant('c.started_ms')},"last_at":${instant('c.last_ms')},"integrity":${integrityOf(
    'c.failed',
  )}}${`CASE WHEN ${readable} THEN '' ELSE ${hole('w')} END`}`;
}

/** JSON text with SQL in its gaps, as an SQL expression. */
function json(texts: TemplateStringsArray, ...gaps: readonly string[]): string {
  const parts = texts.flatMap((literal, at) => [
    ...(literal === '' ? [] : [`'${literal}'`]),
    ...(at < gaps.length ? [gaps[at]!.replace(/^concat\((.*)\)$/s, '$1')] : []),
  ]);
  return `concat(${parts.join(', ')})`;
}

function text(column: string): string {
  return `json_quote(${column})`;
}

function textOrNull(column: string): string {
  return `COALESCE(json_quote(${column}), 'null')`;
}

/** A member that is absent where the column is null, as two gaps: a text within a text is copied once more. */
function member(column: string): string {
  const there = (value: string) => `CASE WHEN ${column} IS NOT NULL THEN ${value} END`;
  return `${there(`',"${column}":'`)}, ${there(text(column))}`;
}

function flag(column: string): string {
  return `CASE ${column} WHEN 1 THEN 'true' ELSE 'false' END`;
}

function instant(column: string): string {
  return `CASE WHEN ${column} IS NULL THEN 'null' ELSE ${hole('d', column)} END`;
}

function integrityOf(failed: string): string {
  return `CASE ${failed} WHEN 0 THEN '1' ELSE ${hole('i', failed)} END`;
}

function hole(kind: Hole, ...values: readonly string[]): string {
  return values.length === 0
    ? `'${HOLE}${kind}${HOLE}'`
    : `concat('${HOLE}${kind}', ${values.join(', ')}, '${HOLE}')`;
}

function isReadable(column: string, reader: Tier): string {
  return `${column} IN (${tiersUpTo(reader)
    .map((tier) => `'${tier}'`)
    .join(', ')})`;
}

/** The expression for each reader, put together once. */
export function forReaders(expression: (reader: Tier) => string): Record<Tier, string> {
  return { external: expression('external'), internal: expression('internal'), mirror: expression('mirror') };
}
