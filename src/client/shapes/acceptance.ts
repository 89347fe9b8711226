// What a record says of an event: that it was accepted, or that it was not, in any spelling and by flags or by a status.
import { foldedName } from '../../contract/field-names.ts';
import { flagOf } from '../../contract/flag.ts';
import { safeText } from '../safe-text.ts';
import { reportedError } from './body-error.ts';
import { isRecord, type JsonRecord } from './json-path.ts';

/** Flags that say by true that an event was accepted, and by false that it was not, in one spelling (see foldedName). */
const ACCEPTED_NAMES = new Set(['accepted', 'isaccepted', 'acknowledged']);
/** Flags that say the first by true. By false they do not say the second: an event may be applied at once. */
const OTHER_NAMES = new Set(['queued', 'enqueued', 'success', 'ok']);
/** Fields with a word for what became of an event. */
const STATUS_NAMES = ['status', 'state', 'result', 'outcome'];

/** `received` is no such word: what was received may be refused. */
const ACCEPTED = new Set('accepted acknowledged queued enqueued stored ok success 200 201 202'.split(' '));
const REFUSED = new Set(
  'rejected refused denied declined dropped discarded invalid failed error dead'.split(' '),
);

/** `isUnreadable`: `accepted` has a value that is neither true nor false. */
type Said = {
  flags: [name: string, flag: boolean][];
  statuses: [name: string, word: string][];
  isUnreadable: boolean;
};

/** Returns whether a record says that an event was accepted. A word that is not known is no such word, and outweighs the flags of other names than `accepted`. */
export function saysAccepted(record: unknown): boolean {
  const { flags, statuses, isUnreadable } = saidIn(record);
  if (isUnreadable) return false;
  if (flags.some(([name, flag]) => flag && name === 'accepted')) return true;
  const isSaid = flags.some(([, flag]) => flag) || statuses.length > 0;
  return isSaid && denialIn(record) === undefined && statuses.every(([, word]) => isOneOf(ACCEPTED, word));
}

/** Returns the words by which a record says that an event was not accepted; undefined where it has none. */
export function denialIn(record: unknown): string | undefined {
  const { flags, statuses } = saidIn(record);
  const flag = flags.find(([name, value]) => !value && ACCEPTED_NAMES.has(name));
  if (flag !== undefined) return `${flag[0]} false`;
  const status = statuses.find(([, word]) => isRefusedStatus(word));
  if (status !== undefined) return `${status[0]} ${safeText(status[1], 40)}`;
  return reportedError(record)?.words;
}

/** Returns whether a flag of a record says that an event was accepted, whatever else it says. */
export function hasAcceptedFlag(record: unknown): boolean {
  return saidIn(record).flags.some(([name, flag]) => flag && ACCEPTED_NAMES.has(name));
}

/** Returns whether the status of an event says that it was not accepted. */
export function isRefusedStatus(status: string): boolean {
  return isOneOf(REFUSED, status);
}

/** Returns the word of a record for what became of an event; undefined where it has none. */
export function statusIn(record: JsonRecord): string | undefined {
  return saidIn(record).statuses[0]?.[1];
}

function isOneOf(words: ReadonlySet<string>, word: string): boolean {
  return words.has(foldedName(word));
}

function saidIn(record: unknown): Said {
  const said: Said = { flags: [], statuses: [], isUnreadable: false };
  if (!isRecord(record)) return said;
  for (const [key, value] of Object.entries(record)) {
    const name = foldedName(key);
    const isFlag = ACCEPTED_NAMES.has(name) || OTHER_NAMES.has(name);
    const flag = isFlag ? flagOf(value) : undefined;
    if (flag !== undefined) said.flags.push([name, flag]);
    else if (name === 'accepted') said.isUnreadable = true;
    const isWord = typeof value === 'string' || typeof value === 'number';
    if (isWord && STATUS_NAMES.includes(name)) said.statuses.push([name, String(value)]);
  }
  said.statuses.sort(([a], [b]) => STATUS_NAMES.indexOf(a) - STATUS_NAMES.indexOf(b));
  return said;
}
