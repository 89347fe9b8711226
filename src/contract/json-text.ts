// Checks of texts that may be JSON.

/** Returns whether a text is a JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
