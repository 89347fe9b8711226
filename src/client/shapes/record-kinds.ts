// The single records of the interface as the client reads them.
import { instantOf } from '../../contract/epoch.ts';
import { Acknowledgement } from '../../contract/event.ts';
import { Health } from '../../contract/health.ts';
import { Instant } from '../../contract/scalars.ts';
import { Token } from '../../contract/token.ts';
import { ownField, type JsonRecord } from './json-path.ts';
import { ATTACHMENTS, CONVERSATIONS } from './list-kinds.ts';
import { flagOf } from './page-facts.ts';
import { kindOf } from './record-body.ts';

/** One attachment. */
export const ATTACHMENT = kindOf({ name: 'attachment', ...ATTACHMENTS });

/** One conversation. */
export const CONVERSATION = kindOf({ name: 'conversation', ...CONVERSATIONS });

/** A token (interface 4.1). */
export const TOKEN = kindOf({ name: 'token', schema: Token, dates: ['expires_at'], prepare: withIsoExpiry });

/** Some services write another form of date. The interface says that it is in UTC (interface 2.3). */
function withIsoExpiry(record: JsonRecord): JsonRecord | undefined {
  const at = ownField(record, 'expires_at');
  if (typeof at !== 'string' || Instant.safeParse(at).success) return undefined;
  const instant = instantOf(at);
  return instant === undefined ? undefined : { ...record, expires_at: new Date(instant).toISOString() };
}

/** The acknowledgement of an event (interface 4.6). */
export const ACKNOWLEDGEMENT = kindOf({ name: 'acknowledgement', schema: Acknowledgement });

/** The health reply (interface 4.5). */
export const HEALTH = kindOf({ name: 'health', schema: Health, dates: ['time'], prepare: withStatus });

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
