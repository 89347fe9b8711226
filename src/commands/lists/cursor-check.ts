// Checks the cursors that the user gives: whether the service follows them, and whether the list has such rows.
import { UNSUPPORTED_STATUS } from '../../capabilities/unsupported-status.ts';
import { Fault } from '../../faults.ts';
import { withoutUndefined, type Window } from '../shared/input.ts';

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

/**
 * Checks that the list has the rows that `after` and `before` name, by asking for each of them alone: an answer about both does
 * not say which one is missing. Throws Fault `not_found` that names the one that the list does not have. Some services answer an
 * unknown cursor with an empty page. Nothing is thrown where it cannot be told.
 */
export async function checkEnds(read: ReadIds, { after, before }: Window): Promise<void> {
  if (after !== undefined) await checkEnd(read, 'after', after);
  if (before !== undefined) await checkEnd(read, 'before', before);
}

async function checkEnd(read: ReadIds, name: 'after' | 'before', id: string): Promise<void> {
  const missing = (detail = {}): Fault =>
    new Fault('not_found', `--${name} ${id}: the list has no such row`, detail);
  const asked = await idsOrRefusal(read, { [name]: id, limit: 1 });
  if (asked instanceof Fault) {
    if (asked.detail.isFromOurService === true) throw asked;
    // The service may refuse each cursor, or know it under another name.
    const control = await rowBeside(read, id);
    if (control === undefined) return;
    if ((await idsOrRefusal(read, { [name]: control, limit: 1 })) instanceof Fault) return;
    const { code, request_id, integrity, status } = asked.detail;
    throw missing(withoutUndefined({ code, request_id, integrity, status }));
  }
  if (asked.length > 0) return;
  // It is the last row in this direction, or an answer is empty by a fault.
  const opposite = name === 'after' ? 'before' : 'after';
  for (const window of [{ [opposite]: id }, { [name]: id }, { [opposite]: id }]) {
    const ids = await idsOrRefusal(read, { ...window, limit: 1 });
    if (ids instanceof Fault || ids.length > 0) return;
  }
  if ((await rowBeside(read, id)) !== undefined) throw missing();
}

/** Returns the id of another row. */
async function rowBeside(read: ReadIds, id: string): Promise<string | undefined> {
  const ids = await idsOrRefusal(read, { limit: 2 });
  return ids instanceof Fault ? undefined : ids.find((each) => each !== id);
}

async function idsOrRefusal(read: ReadIds, window: Window): Promise<string[] | Fault> {
  try {
    return await read(window);
  } catch (error) {
    if (error instanceof Fault && UNSUPPORTED_STATUS.has(error.detail.status ?? 0)) return error;
    throw error;
  }
}

function ignored(name: 'after' | 'before', cursor: string): Fault {
  return notAsAsked(`the service ignores --${name} ${cursor}, so its page is not what was asked for`);
}

function notAsAsked(message: string): Fault {
  return new Fault('protocol', message, { hint: 'list the rows without cursors' });
}
