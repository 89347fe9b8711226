// Which facts a row of `arx attachments ls` shows beside its own fields. Also the names that `--fields` knows follow from it.

/** `date`, `from`: those of the message, each in a column of its own. `state`: whether the file can be had, which every table shows. */
export type AttachmentFacts = { date: boolean; from: boolean; state: boolean };

/** Returns the facts that are selected as fields (`isSelected`), or that an option in `given` is about. */
export function attachmentFacts(
  given: Readonly<Record<string, unknown>>,
  isSelected: (fact: keyof AttachmentFacts) => boolean,
): AttachmentFacts {
  const isShown = (fact: keyof AttachmentFacts, ...options: readonly string[]): boolean =>
    isSelected(fact) ||
    [fact, `-${fact}`].includes(String(given['sort'])) ||
    options.some((option) => given[option] !== undefined);
  return {
    date: isShown('date', 'since', 'until', 'on'),
    from: isShown('from', 'from'),
    state: isSelected('state'),
  };
}
