// Says where the records of a kind are listed, or how to see a record whose id is of another kind.

/** A kind of record that the interface gives one at a time. */
export type RecordNoun = 'attachment' | 'message' | 'sequence' | 'conversation';

/** The command that lists the records of a kind. */
const LISTED_BY: Record<RecordNoun, string> = {
  attachment: 'arx attachments ls --all lists them',
  message: 'arx messages ls lists them',
  sequence: 'arx help sequence show names them',
  conversation: 'arx conversations ls lists them',
};

/** The ids of our service say what they are of (our choice, but for messages: interface 2.2). */
const SHOWN_BY: readonly [pattern: RegExp, noun: RecordNoun, command: string][] = [
  [/^att_\d+$/, 'attachment', 'arx attachments show'],
  [/^msg_\d+$/, 'message', 'arx read'],
  [/^conv_\d+$/, 'conversation', 'arx conversations show'],
];

/** Returns what to do where there is no record of this kind with this id. */
export function recordHint(noun: RecordNoun, id: string): string {
  const other = SHOWN_BY.find(([pattern, of]) => of !== noun && pattern.test(id));
  return other === undefined ? LISTED_BY[noun] : `${other[2]} ${id}`;
}
