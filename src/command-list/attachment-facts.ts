// Which facts of its message a row of `arx attachments ls` shows. Also the names that `--fields` knows follow from it.

/** The facts of a message that its attachments can show, each in a column of its own. */
export type AttachmentFacts = { date: boolean; from: boolean };

/** Returns the facts that are selected as fields (`isSelected`), or that an option in `given` is about. */
export function attachmentFacts(
  given: Readonly<Record<string, unknown>>,
  isSelected: (fact: keyof AttachmentFacts) => boolean,
): AttachmentFacts {
  const isShown = (fact: keyof AttachmentFacts, ...options: readonly string[]): boolean =>
    isSelected(fact) ||
    [fact, `-${fact}`].includes(String(given['sort'])) ||
    options.some((option) => given[option] !== undefined);
  return { date: isShown('date', 'since', 'until'), from: isShown('from', 'from') };
}
