// The words of a Zulip message, in the Markdown of Zulip.

/** Returns the words of a message as exported, or null when it has none. */
export function zulipText(message: unknown): string | null {
  const { content } = (typeof message === 'object' && message !== null ? message : {}) as Record<
    string,
    unknown
  >;
  return typeof content === 'string' && content !== '' ? content : null;
}
