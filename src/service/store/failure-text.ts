// What a failure means, for the log of a service.
import { Fault, hintText, type Hint } from '../../faults.ts';
import { ArchiveUnreadable, OtherFilesLocation } from './opening-error.ts';
import { NewerSchema, OlderSchema } from './schema/migrate.ts';
import { accessErrorOf, DatabaseAccessError, errorName } from './sql/database-error.ts';

/** Errors whose message is ours and contains no data. */
const WITH_OWN_WORDS = [DatabaseAccessError, OlderSchema];

/** Returns class and code of a thrown value, and for the errors that an operator can repair what is wrong and what to do. */
export function failureText(error: unknown): string {
  const text = ownWords(error);
  return text === undefined ? errorName(error) : `${errorName(error)}: ${text}`;
}

function ownWords(error: unknown): string | undefined {
  if (error instanceof Fault) return withHint(error.message, error.detail.hint);
  if (error instanceof OtherFilesLocation || error instanceof NewerSchema)
    return withHint(error.message, error.hint);
  if (error instanceof ArchiveUnreadable) return `${error.message}: ${error.why}`;
  // Of SQLite and of the system there is a number: a full disk is ERR_SQLITE_ERROR 13.
  const meant = accessErrorOf(error);
  return WITH_OWN_WORDS.some((kind) => meant instanceof kind) ? (meant as Error).message : undefined;
}

function withHint(message: string, hint: Hint | undefined): string {
  return hint === undefined ? message : `${message}; ${hintText(hint)}`;
}
