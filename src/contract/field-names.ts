// Compares names of fields that services spell in different ways.

/** Returns a field name in one spelling: `firstMessageId`, `First-Message-ID` and `first_message_id` are the same. */
export function foldedName(name: string): string {
  return name.replaceAll(/[_\-\s]/g, '').toLowerCase();
}
