// The single records of the interface as the client reads them.
import { instantOf } from '../../contract/instant-forms.ts';
import { Acknowledgement } from '../../contract/event.ts';
import { flagOf } from '../../contract/flag.ts';
import { Health } from '../../contract/health.ts';
import { Instant } from '../../contract/scalars.ts';
import { ReceivedToken } from '../../contract/access-token.ts';
import { acceptanceIn } from './acceptance.ts';
import { ACKNOWLEDGEMENT_ALIASES, TOKEN_ALIASES } from './field-aliases.ts';
import { fieldNamed, ownField, type JsonRecord } from './json-path.ts';
import { ATTACHMENTS, CONVERSATIONS } from './list-kinds.ts';
import { numberOf } from './page-facts.ts';
import { kindOf } from './record-body.ts';

/** One attachment. */
export const ATTACHMENT = kindOf({ name: 'attachment', ...ATTACHMENTS });

/** One conversation. */
export const CONVERSATION = kindOf({ name: 'conversation', ...CONVERSATIONS });

/** A token (interface 4.1). `givenAt`: when it was given, by the clock of the service, in milliseconds since the epoch. */
export const tokenKind = (givenAt: number) =>
  kindOf({
    name: 'token',
    schema: ReceivedToken,
    dates: ['expires_at'],
    aliases: TOKEN_ALIASES,
    prepare: (record) => withUsualFields(record, givenAt),
  });

/** Returns when a token ends and its scope as the interface writes them, also where a service writes them as OAuth does (RFC 6749 5.1). */
function withUsualFields(record: JsonRecord, givenAt: number): JsonRecord | undefined {
  const scope = ownField(record, 'scope');
  const until = isoExpiry(record, givenAt);
  if (typeof scope !== 'string' && until === undefined) return undefined;
  return {
    ...record,
    ...(until === undefined ? {} : { expires_at: until }),
    ...(typeof scope === 'string' ? { scope: scope.split(/[\s,]+/).filter((one) => one !== '') } : {}),
  };
}

/** Returns the end of a token where it is written in another form. The interface says that it is in UTC (interface 2.3). */
function isoExpiry(record: JsonRecord, givenAt: number): string | undefined {
  const at = ownField(record, 'expires_at') ?? undefined;
  if (at === undefined) {
    const seconds = numberOf(fieldNamed(record, 'expiresin'));
    const instant = new Date(givenAt + (seconds ?? NaN) * 1000);
    return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
  }
  if (typeof at !== 'string' || Instant.safeParse(at).success) return undefined;
  const instant = instantOf(at);
  return instant === undefined ? undefined : new Date(instant).toISOString();
}

/** Words for what an acknowledgement is, which are no type of an event. */
const KIND_OF_RECORD = /^(webhook[-_ ]?)?(event|ack(nowledge?ment)?|receipt)s?$/i;

/** Where an answer has the acknowledgement of an event (interface 4.6): services acknowledge a single one in lists too. Its payload may come back. */
export const ACKNOWLEDGEMENT_PLACES = {
  name: 'acknowledgement',
  wrappers: ['acknowledgements', 'results', 'items', 'events', 'event'],
  outside: 'payload',
};

/** The acknowledgement of a single event, which need not repeat the type. */
export const acknowledgementKind = () =>
  kindOf({
    ...ACKNOWLEDGEMENT_PLACES,
    schema: Acknowledgement.partial({ type: true }),
    aliases: ACKNOWLEDGEMENT_ALIASES,
    prepare: withAcceptance,
  });

/** Returns what a record that names its event says of it, where it says by other words that it was accepted. */
function withAcceptance(record: JsonRecord): JsonRecord | undefined {
  const inner = ownField(record, 'event');
  const event_id = ownField(record, 'event_id') ?? ownField(inner, 'id');
  const { isAccepted, status = 'accepted' } = acceptanceIn(record);
  if (event_id === undefined || !isAccepted) return undefined;
  const said = [ownField(record, 'type'), ownField(inner, 'type')].find(
    (each) => typeof each === 'string' && !KIND_OF_RECORD.test(each),
  );
  return {
    ...record,
    accepted: true,
    event_id,
    type: fieldNamed(record, 'eventtype') ?? said,
    status,
  };
}

/** The health reply (interface 4.5). */
export const HEALTH = kindOf({ name: 'health', schema: Health, dates: ['time'], prepare: withStatus });

/** Some services say by true or false whether they are well. */
function withStatus(record: JsonRecord): JsonRecord | undefined {
  if (fieldNamed(record, 'status') !== undefined) return undefined;
  const word = ['state', 'health']
    .map((name) => fieldNamed(record, name))
    .find((each) => typeof each === 'string');
  const flag = ['ok', 'ishealthy', 'healthy', 'alive', 'up'].map((name) => flagOf(fieldNamed(record, name)));
  const isWell = flag.find((each) => each !== undefined);
  const status = word ?? (isWell === undefined ? undefined : isWell ? 'ok' : 'not ok');
  return status === undefined ? undefined : { status, ...record };
}
