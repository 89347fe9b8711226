// Notices that a service ignores a cursor of one page: its answer is then the answer without that cursor.
import { Fault } from '../faults.ts';
import { withoutUndefined, type Window } from './input.ts';

/** Reads the ids of a page. */
type ReadIds = (window: Window) => Promise<string[]>;

/**
 * Checks the ids of a page against its exclusive cursors, by one to three more requests. Throws Fault `protocol` where the service
 * ignores `after` or `before`, or gives the row of the cursor too.
 */
export async function checkCursors(read: ReadIds, window: Window, ids: readonly string[]): Promise<void> {
  const { after, before, limit } = window;
  const [first] = ids;
  const last = ids.at(-1);
  if (first === undefined || last === undefined) return;
  for (const name of ['after', 'before'] as const) {
    const cursor = window[name];
    if (cursor !== undefined && ids.includes(cursor))
      throw notAsAsked(`the page of --${name} ${cursor} has that row itself`);
  }
  const isSameWithout = async (name: 'after' | 'before'): Promise<boolean> => {
    const others = await read(withoutUndefined({ limit, after, before, [name]: undefined }));
    return others.length === ids.length && others.every((id, index) => id === ids[index]);
  };
  if (after !== undefined) {
    if (!(await isSameWithout('after'))) return;
    // A range of one page is the same from either end.
    const isNextRow = before !== undefined && (await read({ after, limit: 1 }))[0] === first;
    if (!isNextRow) throw ignored('after', after);
  } else if (before !== undefined && (await isSameWithout('before'))) {
    // These are the first rows of the list, so the cursor must be the next one.
    const longer = await read({ limit: ids.length + 1 });
    const next = longer.length > ids.length ? longer[ids.length] : (await read({ after: last, limit: 1 }))[0];
    if (next !== before) throw ignored('before', before);
  }
}

function ignored(name: 'after' | 'before', cursor: string): Fault {
  return notAsAsked(`the service ignores --${name} ${cursor}, so its page is not what was asked for`);
}

function notAsAsked(message: string): Fault {
  return new Fault('protocol', message, { hint: 'list the rows without cursors' });
}
