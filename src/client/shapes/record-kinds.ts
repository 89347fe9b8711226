// The single records of the interface as the client reads them.
import type * as z from 'zod';
import { LoreRecord, RawRecord } from '../../contract/content.ts';
import { Acknowledgement } from '../../contract/event.ts';
import { Health } from '../../contract/health.ts';
import { Token } from '../../contract/token.ts';
import { idNames } from './find-id.ts';
import { isRecord, ownField, type JsonRecord } from './json-path.ts';
import { ATTACHMENTS, CONVERSATIONS } from './list-kinds.ts';
import { flagOf } from './page-facts.ts';
import type { BodyKind } from './record-body.ts';

/** Returns the kind with the types of its fields. */
function kindOf<Fields extends z.ZodRawShape>(kind: BodyKind<Fields>): BodyKind<Fields> {
  return kind;
}

/** One attachment. */
export const ATTACHMENT = kindOf({ name: 'attachment', ...ATTACHMENTS });

/** One conversation. */
export const CONVERSATION = kindOf({ name: 'conversation', ...CONVERSATIONS });

/** A token (interface 4.1). */
export const TOKEN = kindOf({ name: 'token', schema: Token, dates: ['expires_at'] });

/** The acknowledgement of an event (interface 4.6). */
export const ACKNOWLEDGEMENT = kindOf({ name: 'acknowledgement', schema: Acknowledgement });

/** The health reply (interface 4.5). */
export const HEALTH = kindOf({ name: 'health', schema: Health, dates: ['time'], prepare: withStatus });

/** The lore view of a message (interface 4.3). */
export const LORE = kindOf({ name: 'message', schema: LoreRecord, ids: idNames('message') });

/** The raw view of a message (interface 4.3). */
export const RAW = kindOf({
  name: 'message',
  schema: RawRecord,
  ids: idNames('message'),
  dates: ['date'],
  people: ['from'],
  prepare: withHeaderPairs,
});

/** Some services say by true or false whether they are well. */
function withStatus(record: JsonRecord): JsonRecord | undefined {
  if (ownField(record, 'status') !== undefined) return undefined;
  const word = ['state', 'health']
    .map((name) => ownField(record, name))
    .find((each) => typeof each === 'string');
  const flag = ['ok', 'healthy', 'alive', 'up'].map((name) => flagOf(ownField(record, name)));
  const isWell = flag.find((each) => each !== undefined);
  const status = word ?? (isWell === undefined ? undefined : isWell ? 'ok' : 'not ok');
  return status === undefined ? undefined : { status, ...record };
}

/** Headers may be pairs, an object, or objects with a name and a value. */
function withHeaderPairs(record: JsonRecord): JsonRecord | undefined {
  const headers = ownField(record, 'headers');
  const pairs = isRecord(headers)
    ? Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
    : Array.isArray(headers) && headers.every(isRecord)
      ? headers.map((each) => [ownField(each, 'name'), ownField(each, 'value')])
      : undefined;
  return pairs === undefined ? undefined : { ...record, headers: pairs };
}
