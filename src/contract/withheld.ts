// Which rows of a list say that something is withheld from the reader.

/** Returns whether a row says that it is withheld from the reader. */
export function isWithheld(row: object): boolean {
  const { status, redacted, withheld } = row as Record<string, unknown>;
  return status === 'withheld' || redacted === true || withheld === true;
}
