// Other names under which services keep the fields of a record, and which values of such a name are meant.
import type { Attachment } from '../../contract/attachment.ts';
import type { Conversation, Message } from '../../contract/conversation.ts';
import type { Acknowledgement, Envelope } from '../../contract/event.ts';
import type { Position } from '../../contract/sequence.ts';
import { instantOf } from '../../contract/instant-forms.ts';
import { idText } from './find-id.ts';
import { fieldNamed, isRecord, type JsonRecord } from './json-path.ts';
import { numberOf } from './page-facts.ts';
import { personOf, type Alias } from './record-fields.ts';

/** Other names of what conversations have. */
export const CONVERSATION_ALIASES: Alias<keyof typeof Conversation.shape>[] = [
  {
    field: 'started_at',
    names: ['createdat', 'created', 'firstat', 'firstmessageat', 'startdate'],
    fits: isInstant,
  },
  {
    field: 'last_at',
    names: ['lastmessageat', 'lastactivityat', 'updatedat', 'updated', 'modifiedat'],
    fits: isInstant,
  },
  {
    field: 'message_count',
    names: ['messagescount', 'totalmessages', 'nummessages', 'messages'],
    fits: isCount,
  },
  { field: 'subject', names: ['title', 'topic'], fits: isText },
];

/** Other names of what messages have, in lists and alone. */
export const MESSAGE_ALIASES: Alias<'date' | 'from' | 'subject'>[] = [
  {
    field: 'date',
    names: [
      'sentat',
      'sentdate',
      'datesent',
      'sent',
      'timestamp',
      'datetime',
      'receivedat',
      'internaldate',
      'postedat',
      'createdat',
      'created',
      'time',
      'ts',
    ],
    fits: isInstant,
  },
  {
    field: 'from',
    names: [
      'sender',
      'author',
      'fromaddress',
      'senderaddress',
      'senderemail',
      'fromemail',
      'fromname',
      'sendername',
      'authorname',
      'postedby',
    ],
    fits: isPerson,
  },
  { field: 'subject', names: ['title', 'topic'], fits: isText },
];

/** The same, and what only the rows of a list have. */
export const LISTED_MESSAGE_ALIASES: Alias<keyof typeof Message.shape>[] = [
  ...MESSAGE_ALIASES,
  { field: 'conversation_id', names: ['threadid', 'conversation', 'thread'], fits: isId },
  { field: 'parent_id', names: ['parentmessageid', 'parentmessage', 'parent'], fits: isId },
  { field: 'attachments', names: ['attachmentcount', 'attachmentscount', 'filecount'], fits: isCount },
];

/** Other names of what attachments have. */
export const ATTACHMENT_ALIASES: Alias<keyof typeof Attachment.shape>[] = [
  { field: 'file_url', names: ['downloadurl', 'url', 'href'], fits: isFileAddress },
  { field: 'filename', names: ['name', 'originalfilename', 'originalname'], fits: isText },
  { field: 'content_type', names: ['mimetype', 'mediatype', 'mime', 'type'], fits: isMediaType },
  // `size` alone names no unit: some services round it. A file is held to its bytes.
  { field: 'bytes', names: ['sizebytes', 'bytesize', 'sizeinbytes', 'contentlength'], fits: isCount },
  { field: 'origin_city', names: ['city'], fits: isText },
  // One that cannot be read counts as true (see list-kinds.ts), so any value is meant.
  { field: 'redacted', names: ['isredacted'], fits: () => true },
];

/** Words for what became of an event that our service uses. Other services use other words in fields of these names. */
const EFFECTS = new Set('queued applied recorded waiting superseded dead'.split(' '));

/** Other names of what events have. */
export const EVENT_ALIASES: Alias<keyof typeof Envelope.shape>[] = [
  { field: 'type', names: ['eventtype', 'eventname', 'event', 'kind', 'topic', 'name'], fits: isText },
  { field: 'status', names: ['state'], fits: isText },
  { field: 'payload', names: ['data', 'body', 'eventdata', 'content', 'details'], fits: isRecord },
  { field: 'sequence', names: ['sequencenumber', 'seq', 'seqno', 'position'], fits: isCount },
  {
    field: 'received_at',
    names: ['received', 'arrivedat', 'ingestedat', 'createdat', 'created', 'timestamp', 'time', 'date', 'ts'],
    fits: isInstant,
  },
  {
    field: 'effect',
    names: ['outcome', 'result', 'processingstatus', 'processingstate'],
    fits: (value) => typeof value === 'string' && EFFECTS.has(value.toLowerCase()),
  },
  { field: 'deliveries', names: ['deliverycount', 'timesreceived', 'timesdelivered'], fits: isCount },
  { field: 'failures', names: ['failurecount', 'failedattempts', 'errorcount'], fits: isCount },
  { field: 'error', names: ['lasterror', 'errormessage', 'failurereason'], fits: isText },
];

/** Other names of what tokens have. `token` alone may be another one: it is meant where its type or its end is beside it. */
export const TOKEN_ALIASES: Alias<'access_token'>[] = [
  {
    field: 'access_token',
    names: ['token', 'bearertoken', 'jwt'],
    fits: (value, record) =>
      isText(value) &&
      ['tokentype', 'expiresin', 'expiresat'].some((name) => fieldNamed(record, name) !== undefined),
  },
];

/** Other names of what acknowledgements have. Whether one says that the event was accepted is not told by the names alone: see acceptance.ts. */
export const ACKNOWLEDGEMENT_ALIASES: Alias<keyof typeof Acknowledgement.shape>[] = [
  { field: 'event_id', names: ['id', 'event'], fits: isId },
  { field: 'type', names: ['eventtype', 'eventname'], fits: isText },
];

/** Other names of what entries of sequences have. A single position is the one that is reported: it is not said to be checked. */
export const POSITION_ALIASES: Alias<keyof typeof Position.shape>[] = [
  { field: 'entry', names: ['entryid', 'entryref', 'marker', 'markerid'], fits: isId },
  { field: 'message_id', names: ['message', 'msgid'], fits: isId },
  { field: 'source', names: ['origin'], fits: isText },
  { field: 'status', names: ['state'], fits: isText },
  {
    field: 'reported',
    names: [
      'reportedposition',
      'reportedsequence',
      'sequence',
      'sequencenumber',
      'seq',
      'position',
      'index',
      'order',
      'rank',
    ],
    fits: isWhole,
  },
  {
    field: 'checked',
    names: ['checkedposition', 'checkedsequence', 'verifiedposition', 'arrivalposition'],
    fits: isWhole,
  },
  { field: 'offset', names: ['drift', 'displacement', 'positionoffset'], fits: isWhole },
];

/** The first second that a number alone may mean, in 1973: smaller numbers are places and counts. */
const MIN_EPOCH_SECONDS = 1e8;

/** Returns whether a value is an instant in a form that is read. */
function isInstant(value: unknown): boolean {
  const number = typeof value === 'string' ? undefined : numberOf(value);
  return number === undefined ? instantOf(value) !== undefined : number >= MIN_EPOCH_SECONDS;
}

function isPerson(value: unknown): boolean {
  return isText(value) || personOf(value) !== undefined;
}

function isId(value: unknown): boolean {
  return idText(value) !== undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(numberOf(value));
}

function isCount(value: unknown): boolean {
  const number = numberOf(value);
  return Number.isSafeInteger(number) && number! >= 0;
}

/** Other services name kinds of records `type` too. */
function isMediaType(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z]+\/[\w.+-]+/i.test(value);
}

/** Returns whether a value is the address of a file, and not that of the row itself. */
function isFileAddress(value: unknown, { id }: JsonRecord): boolean {
  if (typeof value !== 'string' || !/^(https?:\/)?\//i.test(value)) return false;
  const [path = ''] = value.split(/[?#]/);
  return !path.endsWith(`/attachments/${encodeURIComponent(String(id))}`);
}
