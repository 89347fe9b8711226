// What a record says of an event: that it was accepted, or that it was not, in any spelling and by flags or by a status.
import { foldedName } from '../../contract/field-names.ts';
import { flagOf } from '../../contract/flag.ts';
import { safeText } from '../safe-text.ts';
import { reportedError } from './body-error.ts';
import { isRecord } from './json-path.ts';

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

/** What a record says of the acceptance of an event. */
export type Acceptance = {
  /** The event was accepted. A word that is not known does not say so, and outweighs the flags of other names than `accepted`. */
  isAccepted: boolean;
  /** A flag says that it was accepted, whatever else the record says. */
  hasFlag: boolean;
  /** The words by which the record says that it was not accepted; undefined where it has none. */
  denial: string | undefined;
  /** The word for what became of it; undefined where there is none. */
  status: string | undefined;
};

/** Reads what a record says of the acceptance of an event. */
export function acceptanceIn(record: unknown): Acceptance {
  const flags: [name: string, flag: boolean][] = [];
  const statuses: [name: string, word: string][] = [];
  let isUnreadable = false;
  for (const [key, value] of isRecord(record) ? Object.entries(record) : []) {
    const name = foldedName(key);
    const isFlag = ACCEPTED_NAMES.has(name) || OTHER_NAMES.has(name);
    const flag = isFlag ? flagOf(value) : undefined;
    if (flag !== undefined) flags.push([name, flag]);
    else if (name === 'accepted') isUnreadable = true;
    const isWord = typeof value === 'string' || typeof value === 'number';
    if (isWord && STATUS_NAMES.includes(name)) statuses.push([name, String(value)]);
  }
  statuses.sort(([a], [b]) => STATUS_NAMES.indexOf(a) - STATUS_NAMES.indexOf(b));
  const refusing = flags.find(([name, flag]) => !flag && ACCEPTED_NAMES.has(name));
  const refused = statuses.find(([, word]) => isRefusedStatus(word));
  const denial =
    refusing !== undefined
      ? `${refusing[0]} false`
      : refused !== undefined
        ? `${refused[0]} ${safeText(refused[1], 40)}`
        : reportedError(record)?.words;
  const isSaid = flags.some(([, flag]) => flag) || statuses.length > 0;
  const isKnown = statuses.every(([, word]) => ACCEPTED.has(foldedName(word)));
  const isFlagged = flags.some(([name, flag]) => flag && name === 'accepted');
  return {
    isAccepted: !isUnreadable && (isFlagged || (isSaid && isKnown && denial === undefined)),
    hasFlag: flags.some(([name, flag]) => flag && ACCEPTED_NAMES.has(name)),
    denial,
    status: statuses[0]?.[1],
  };
}

/** Returns whether the status of an event says that it was not accepted. */
export function isRefusedStatus(status: string): boolean {
  return REFUSED.has(foldedName(status));
}
