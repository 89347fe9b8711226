// Tells faults of one record from those of the run, for commands that read several records.
import { nounInId, recordHint, type RecordNoun } from '../../client/record-hint.ts';
import { Fault, type FaultDetail } from '../../faults.ts';

/** An id of another kind than the command takes. Other ids of the command may fit. */
class WrongKindOfId extends Fault {
  constructor(id: string, is: RecordNoun, noun: RecordNoun, detail: FaultDetail) {
    const article = (word: RecordNoun): string => `${word === 'attachment' ? 'an' : 'a'} ${word}`;
    super('usage', `${id} is ${article(is)}, not ${article(noun)}`, {
      ...detail,
      hint: recordHint(noun, id),
    });
  }
}

/**
 * Returns why there is no record with this id: Fault 'usage' where the id says that it is of another kind, else `error`. It is asked only about what
 * was not found, because the ids of another service may be named in another way.
 */
export function withKindOfId<E>(error: E, noun: RecordNoun, id: string): E | Fault {
  const is = nounInId(id);
  if (!(error instanceof Fault) || error.kind !== 'not_found' || is === undefined || is === noun)
    return error;
  return new WrongKindOfId(id, is, noun, error.detail);
}

/** Faults that end the run: the next record would have them too. */
const ENDING = new Set(['interrupted', 'network', 'auth', 'busy', 'disk', 'store', 'usage', 'internal']);

/** Returns whether a Fault concerns one record, so that others can still be read. */
export function isOfOneRecord(error: unknown): error is Fault {
  return error instanceof WrongKindOfId || (error instanceof Fault && !ENDING.has(error.kind));
}
