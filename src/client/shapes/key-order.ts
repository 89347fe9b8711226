// Finds the order in which JSON text names the keys of an object. JavaScript moves keys that are whole numbers to the front.

/** Returns the keys of the object at a path of keys, in the order of the text. `text` must be valid JSON. */
export function keysInOrder(text: string, path: readonly string[]): string[] {
  const keys = new Set<string>();
  /** Keys that lead to the value that is being read. */
  const at: string[] = [];
  /** For each open bracket: whether it is an object. */
  const open: boolean[] = [];
  let isKey = false;
  for (let here = 0; here < text.length; here += 1) {
    switch (text[here]) {
      case '"': {
        const end = endOfString(text, here);
        if (isKey) {
          const key = JSON.parse(text.slice(here, end)) as string;
          at[open.length - 1] = key;
          at.length = open.length;
          const isInside = at.length === path.length + 1 && path.every((each, index) => at[index] === each);
          if (isInside) keys.add(key);
          isKey = false;
        }
        here = end - 1;
        break;
      }
      case '{':
        open.push(true);
        isKey = true;
        break;
      case '[':
        open.push(false);
        // Paths lead through objects only.
        at[open.length - 1] = '';
        at.length = open.length;
        isKey = false;
        break;
      case ',':
        isKey = open.at(-1) === true;
        break;
      case '}':
      case ']':
        open.pop();
        at.length = Math.min(at.length, open.length);
        isKey = false;
        break;
      default:
    }
  }
  return [...keys];
}

/** Returns the index after the closing quote of the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let here = from + 1;
  for (; text[here] !== '"'; here += 1) if (text[here] === '\\') here += 1;
  return here + 1;
}
