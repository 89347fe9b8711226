// A page that was asked for with a cursor, at services which follow or ignore it.
import { describe, expect, test } from 'vitest';
import { checkCursors } from '../../../src/commands/lists/cursor-check.ts';
import { withoutUndefined, type Window } from '../../../src/commands/shared/input.ts';

const IDS = Array.from({ length: 30 }, (_, n) => `row_${n}`);
const DEFAULT_LIMIT = 5;

/** Returns the rows of a window, as the interface has it. */
function rowsOf({ after, before, limit = DEFAULT_LIMIT }: Window): string[] {
  const from = after === undefined ? 0 : IDS.indexOf(after) + 1;
  const inside = IDS.slice(from, before === undefined ? IDS.length : IDS.indexOf(before));
  return after === undefined && before !== undefined ? inside.slice(-limit) : inside.slice(0, limit);
}

/** Services by what they follow: the window that they answer. */
const SERVICES: Record<string, (window: Window) => Window> = {
  'both cursors': (window) => window,
  'no after': (window) => withoutUndefined({ ...window, after: undefined }),
  'no before': (window) => withoutUndefined({ ...window, before: undefined }),
  'no cursor': (window) => withoutUndefined({ ...window, after: undefined, before: undefined }),
  'no after beside a before': (window) =>
    window.before === undefined ? window : withoutUndefined({ ...window, after: undefined }),
};

describe.each(Object.entries(SERVICES))('a service that follows %s', (_, followed) => {
  test.each<Window>([
    { after: 'row_0' },
    { after: 'row_4' },
    { after: 'row_20' },
    { after: 'row_27' },
    { after: 'row_29' },
    { before: 'row_0' },
    { before: 'row_3' },
    { before: 'row_5' },
    { before: 'row_6' },
    { before: 'row_29' },
    { after: 'row_3', before: 'row_4' },
    { after: 'row_3', before: 'row_6' },
    { after: 'row_3', before: 'row_9' },
    { after: 'row_3', before: 'row_20' },
  ])('shows the page of %j, or is refused for what it ignores', async (window) => {
    let requests = 0;
    const read = async (asked: Window): Promise<string[]> => {
      requests += 1;
      return rowsOf(followed(asked));
    };
    const page = rowsOf(followed(window));
    const message = await checkCursors(read, window, page).then(
      () => undefined,
      (fault: Error) => fault.message,
    );
    const blamed = (['after', 'before'] as const).find((cursor) => message?.includes(`--${cursor}`));
    if (message === undefined) expect(page).toEqual(page.length === 0 ? [] : rowsOf(window));
    else expect(followed(window)).not.toHaveProperty(blamed!);
    expect(requests).toBeLessThanOrEqual(3);
  });
});
