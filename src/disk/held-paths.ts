// The names of folders that are held open, for messages: `/proc/self/fd/3` says nothing to a user.

/** Path of a held folder → the name by which it was opened. */
const NAMES = new Map<string, string>();

/** Remembers by which name a folder that is held open was opened. Call what is returned when it is closed. */
export function nameHeldFolder(held: string, dir: string): () => void {
  NAMES.set(held, dir);
  return () => void NAMES.delete(held);
}

/** Returns a path as a user knows it. */
export function shownPath(path: string): string {
  const [held = ''] = /^\/proc\/self\/fd\/\d+/.exec(path) ?? [];
  const dir = NAMES.get(held);
  return dir === undefined ? path : `${dir}${path.slice(held.length)}`;
}
