// What the progress line of a pull says.
import { expect, test } from 'vitest';
import type { App } from '../../../src/app.ts';
import { showPullProgress } from '../../../src/commands/attachments/pull-progress.ts';
import type { Selection } from '../../../src/commands/attachments/selection.ts';

test.each([
  [true, '0 of 1,308 files'],
  [false, '0 files'],
])('counts of files have their digits in groups (all known: %s)', (isAll, label) => {
  const labels: string[] = [];
  const progress = { update: (state: { label: string }) => labels.push(state.label), end: async () => {} };
  const app = { progress: () => progress, onInterrupt: () => {} } as unknown as App;
  const known = { isAll, files: 1308, bytes: 5000, unsized: 0 };
  showPullProgress(app, { known } as unknown as Selection);
  expect(labels).toEqual([label]);
});
