// Compares names of fields that services spell in different ways.

/** Returns a field name in one spelling: `firstMessageId`, `First-Message-ID` and `first_message_id` are the same. */
export function foldedName(name: string): string {
  // Most names are in that spelling, and each row of a list may be asked for several.
  return /[^a-z0-9]/.test(name) ? name.replaceAll(/[_\-\s]/g, '').toLowerCase() : name;
}
