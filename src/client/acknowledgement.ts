// What an answer to an event says: accepted, accepted before, refused, or that it is not known.
import type { Acknowledgement } from '../contract/event.ts';
import type { BatchAcknowledgement, IngestRequest } from '../contract/ingest.ts';
import { Fault, type Hint } from '../faults.ts';
import { errorFieldsOf, faultOfItem, REFUSED_EVENT_STATUS } from './error-response.ts';
import { isWebPage, parseResponse, type ApiResponse, type Reply } from './response.ts';
import { safeText } from './safe-text.ts';
import { acceptanceIn } from './shapes/acceptance.ts';
import { checkNoError } from './shapes/body-error.ts';
import { isRecord } from './shapes/json-path.ts';
import { recordsIn } from './shapes/record-body.ts';
import { ACKNOWLEDGEMENT_PLACES } from './shapes/record-kinds.ts';
import { parseJson } from './strict-json.ts';

/**
 * Returns what `read` makes of a success that answers an event. One that cannot be read leaves it open whether the event was
 * accepted: Fault 'unconfirmed'. A web page does not come from an archive service. Of a batch a part may have been accepted, whatever
 * else the answer says.
 */
export function acknowledged<T>(
  id: string,
  answer: ApiResponse,
  read: () => T,
  { isBatch = false }: { isBatch?: boolean } = {},
): T {
  try {
    if (answer.bytes.length === 0)
      throw new Fault('protocol', `the answer (status ${answer.status}) has no body`);
    return read();
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'protocol' || isWebPage(answer)) throw error;
    const refusal = isBatch ? undefined : refusalIn(id, answer);
    if (refusal !== undefined) throw refusal;
    const words = saysNoAcceptance(answer)
      ? `the answer (status ${answer.status}) does not say that it was accepted`
      : error.message;
    // The service would answer in the same way again.
    throw new Fault('unconfirmed', `event ${id} may have been accepted: ${words}`, {
      ...error.detail,
      status: answer.status,
      hint: reconcileHint,
    });
  }
}

/** Returns whether a body is an object without the words of an acknowledgement or an error (interface 4.6). */
function saysNoAcceptance({ bytes }: ApiResponse): boolean {
  try {
    const { value } = parseJson(bytes);
    return (
      isRecord(value) && ['accepted', 'error', 'success', 'data'].every((name) => !Object.hasOwn(value, name))
    );
  } catch {
    return false;
  }
}

/**
 * Returns the Fault of a success whose body says that the event was refused; undefined where it says nothing of that, or that it may be
 * accepted later.
 */
function refusalIn(id: string, answer: ApiResponse): Fault | undefined {
  try {
    const { value } = parseJson(answer.bytes);
    checkNoError(value, answer.status);
    const { denial, hasFlag } = acceptanceIn(value);
    // What says both leaves it open.
    return denial === undefined || hasFlag ? undefined : notAccepted(id, denial);
  } catch (error) {
    const { code, message } = errorFieldsOf(answer);
    const words = code ?? message;
    if (!(error instanceof Fault) || error.kind !== 'protocol' || words === undefined) return undefined;
    const { kind, message: text, detail } = faultOfItem(code ?? '', message ?? '');
    if (kind === 'busy' || PASSING.test(words)) return undefined;
    const shown = code === undefined ? { code: NOT_ACCEPTED } : { ...error.detail, code };
    return new Fault(kind, text, { ...detail, ...shown, status: answer.status });
  }
}

function notAccepted(id: string, words: string): Fault {
  return new Fault('conflict', `the service did not accept ${id}: ${words}`, { code: NOT_ACCEPTED });
}

/**
 * Returns Fault 'unconfirmed' where an answer says that an event was accepted, and in another place that it was not; undefined where it
 * does not contradict itself.
 */
export function contradictionOf(event: IngestRequest, body: unknown, status: number): Fault | undefined {
  for (const { record } of recordsIn(body, ACKNOWLEDGEMENT_PLACES)) {
    const { denial } = acceptanceIn(record);
    if (denial === undefined) continue;
    const message = `event ${event.id} may have been accepted: the answer says so, and also ${denial}`;
    return new Fault('unconfirmed', message, { status, hint: reconcileHint });
  }
  return undefined;
}

const reconcileHint: Hint = ({ arx }) => `${arx} events reconcile tells whether the service lists it`;

/** Words for a failure that passes, after which the event may be accepted. */
const PASSING = /slow|busy|rate.?limit|throttl|retry|time.?out|unavailable|internal/i;

/**
 * Returns the outcome of each event of a batch. `schema` is that of the answer, which is loaded for batches alone. Throws as
 * {@link acknowledged}.
 */
export function parseBatch(
  answer: ApiResponse,
  id: string,
  events: readonly { event: IngestRequest }[],
  schema: typeof BatchAcknowledgement,
  redact: (text: string) => string,
): (Acknowledgement | Fault)[] {
  const read = () => {
    const { data } = parseResponse(answer, schema).body;
    if (data.length === events.length) return data;
    throw new Fault('protocol', `${events.length} events were sent and ${data.length} answered`);
  };
  const outcomes = acknowledged(id, answer, read, { isBatch: true });
  return outcomes.map((outcome, index) => {
    if (!outcome.accepted) return faultOfItem(redact(outcome.error.code), redact(outcome.error.message));
    const { event } = events[index]!;
    checkEcho(outcome, event);
    return contradictionOf(event, outcome, answer.status) ?? outcome;
  });
}

/** Codes and words of a service that has an event already, and of one that has another event of this id. */
const DUPLICATE = /duplicate|already (accepted|received|processed|queued)/i;
const OTHER_EVENT = /event_conflict|differ|other/i;

/** Returns the acknowledgement of an event that the service says it accepted before: its acknowledgement was lost. Throws any other error. */
export function duplicateOf({ id, type }: IngestRequest, error: unknown): Reply<Acknowledgement> {
  // The id says nothing of that.
  const words =
    error instanceof Fault ? `${error.detail.code ?? ''} ${error.message.replaceAll(id, '')}` : '';
  const isDuplicate =
    error instanceof Fault &&
    error.kind === 'conflict' &&
    !REFUSED_EVENT_STATUS.has(error.detail.status ?? 0) &&
    DUPLICATE.test(words);
  if (!isDuplicate || OTHER_EVENT.test(words)) throw error;
  const body = { accepted: true, event_id: id, type, status: 'duplicate' };
  return { status: error.detail.status ?? 409, headers: {}, body, text: JSON.stringify(body) };
}

/** Throws where an acknowledgement is not of this event (interface 4.6). */
export function checkEcho({ accepted, event_id, type, status }: Acknowledgement, event: IngestRequest): void {
  const wrong =
    (event_id !== event.id && 'event_id is not the id sent') ||
    (type !== event.type && 'type is not the type sent');
  if (wrong !== false) {
    throw new Fault('unconfirmed', `acknowledgement of another event than ${event.id}: ${wrong}`, {
      kept: `${event.id} may have been accepted`,
      hint: 'send it again with the same id',
    });
  }
  if (!accepted) throw notAccepted(event.id, `accepted is false, status ${safeText(status, 40)}`);
}

/** Our code for an event that the service answered with `accepted: false` and no error. */
const NOT_ACCEPTED = 'not_accepted';
