// Says where the records of a kind are listed, or how to see a record whose id is of another kind.
import { hintText, type Hint } from '../faults.ts';

/** A kind of record that the interface gives one at a time. */
export type RecordNoun = 'attachment' | 'message' | 'sequence' | 'conversation';

/** The command that lists the records of a kind. */
const LISTED_BY: Record<RecordNoun, Hint> = {
  attachment: ({ arx }) => `${arx} attachments ls --all lists them`,
  message: ({ arx }) => `${arx} messages ls lists them`,
  sequence: 'their names: arx help sequence show',
  conversation: ({ arx }) => `${arx} conversations ls lists them`,
};

/** The ids of our service say what they are of (our choice, but for messages: interface 2.2). */
const PREFIXES = { att: 'attachment', msg: 'message', conv: 'conversation' } as const;
type Prefix = keyof typeof PREFIXES;
const OWN_ID = /^(att|msg|conv)_(\d+)$/;

/** Words that are typed in place of a prefix. */
const PREFIX_OF_WORD: Readonly<Record<string, Prefix>> = {
  att: 'att',
  attachment: 'att',
  msg: 'msg',
  message: 'msg',
  conv: 'conv',
  conversation: 'conv',
};

/** Returns what an id of our service says that it is of; undefined for another id. */
export function nounInId(id: string): (typeof PREFIXES)[Prefix] | undefined {
  const prefix = OWN_ID.exec(id)?.[1];
  return prefix === undefined ? undefined : PREFIXES[prefix as Prefix];
}

/** Returns what to do where another service than ours has no record of this kind: its ids follow no rule that is known. */
export function listHint(noun: RecordNoun): Hint {
  return LISTED_BY[noun];
}

/** Returns what to do where there is no record of this kind with this id. */
export function recordHint(noun: RecordNoun, id: string): Hint {
  const [, prefix] = OWN_ID.exec(id) ?? [];
  if (prefix === undefined) return meantId(noun, id) ?? LISTED_BY[noun];
  if (prefix === 'conv' && noun === 'conversation')
    return (names) =>
      `${hintText(LISTED_BY.conversation, names)}; the number of an id is that of its first message`;
  return PREFIXES[prefix as Prefix] === noun ? LISTED_BY[noun] : shownBy(prefix as Prefix, noun, id);
}

/** Returns the command for an id of another kind than was asked for. */
function shownBy(prefix: Prefix, noun: RecordNoun, id: string): Hint {
  if (prefix === 'att') return ({ arx }) => `${arx} attachments show ${id}`;
  if (prefix === 'conv') return ({ arx }) => `${arx} conversations show ${id}`;
  if (noun === 'conversation') return ({ arx }) => `${arx} messages show ${id} names its conversation`;
  return noun === 'attachment'
    ? ({ arx }) => `${arx} read ${id}; its files: ${arx} attachments ls --message ${id}`
    : ({ arx }) => `${arx} read ${id}`;
}

/** Returns the id of our service that was probably meant by another text. */
function meantId(noun: RecordNoun, id: string): Hint | undefined {
  if (/^<?[^\s@<>]{1,200}@[^\s@<>]{1,200}>?$/.test(id))
    return ({ arx }) => `ids are those of ${arx} messages ls, such as msg_1; a Message-ID is none`;
  const [, word = '', number] = /^([a-z]{0,12})[-_ .]?(\d{1,15})$/i.exec(id) ?? [];
  if (number === undefined) return undefined;
  if (word === '' && noun === 'message')
    return `did you mean: msg_${number} (a message) or conv_${number} (a conversation)`;
  const name = word === '' ? noun : word.toLowerCase();
  const prefix = Object.hasOwn(PREFIX_OF_WORD, name) ? PREFIX_OF_WORD[name] : undefined;
  return prefix === undefined ? undefined : `did you mean: ${prefix}_${number}`;
}
