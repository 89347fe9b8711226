import { expect, test } from 'vitest';
import { createProgress, frozenProgressText } from '../../../src/format/terminal/progress.ts';
import { fakeSink } from '../fake-sink.ts';

function started(options: { enabled?: boolean; unicode?: boolean; columns?: number } = {}) {
  const stderr = fakeSink({ isTTY: true });
  const clock = { now: 1000 };
  const progress = createProgress(stderr, () => clock.now, {
    enabled: true,
    unicode: true,
    columns: 100,
    ...options,
  });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const at = async (ms: number, state: Parameters<typeof progress.update>[0]): Promise<void> => {
    clock.now = 1000 + ms;
    progress.update(state);
    await settled();
  };
  return { stderr, progress, at };
}
const CLEAR = '\r\u001b[2K';

test('nothing for what is quick', async () => {
  const { stderr, progress, at } = started();
  await at(0, 'a');
  await at(499, 'b');
  await progress.end();
  expect(stderr.text).toBe('');
});

test('one line, at most ten times a second, cleared at the end', async () => {
  const { stderr, progress, at } = started();
  for (let ms = 0; ms <= 1000; ms += 10) await at(ms, `step ${ms}\u001b`);
  expect(stderr.writes).toStrictEqual(
    [500, 600, 700, 800, 900, 1000].map((ms) => `${CLEAR}step ${ms}\\u{1b}`),
  );
  await progress.end();
  expect(stderr.writes.at(-1)).toBe(CLEAR);
  await at(2000, 'late');
  expect(stderr.writes).toHaveLength(7);
});

test('with a total: bar, share, rate and time left', async () => {
  const { stderr, at } = started();
  await at(0, { label: 'photos', done: 500_000, total: 4_500_000, unit: 'bytes' });
  await at(2000, { label: 'photos', done: 2_500_000, total: 4_500_000, unit: 'bytes' });
  expect(stderr.text).toBe(
    `${CLEAR}photos  █████████████░░░░░░░░░░░   56 %  2.5 MB of 4.5 MB  1.0 MB/s  2.0 s left`,
  );
});

test('without a total, and in plain ASCII', async () => {
  const open = started();
  await open.at(0, { label: 'import', done: 0, unit: 'messages' });
  await open.at(1000, { label: 'import', done: 4061, unit: 'messages' });
  expect(open.stderr.text).toBe(`${CLEAR}import  4,061 messages  4,061/s`);
  const ascii = started({ unicode: false, columns: 40 });
  await ascii.at(1000, { label: 'x', done: 1, total: 2, unit: 'rows' });
  expect(ascii.stderr.text).toBe(`${CLEAR}x  [############............]   50 %  …`);
});

test('switched off it is silent; a stream that fails is no failure', async () => {
  const off = started({ enabled: false });
  await off.at(1000, 'x');
  await off.progress.end();
  expect(off.stderr.text).toBe('');
  const broken = createProgress(
    { isTTY: true, columns: 80, write: () => Promise.reject(new Error('EIO')) },
    () => Infinity,
    {
      enabled: true,
      unicode: true,
      columns: 80,
    },
  );
  broken.update('x');
  await broken.end();
});

test('other text wipes the line first; the next update draws it anew', async () => {
  const { stderr, progress, at } = started();
  expect(progress.wiped()).toBe('');
  await at(500, 'a');
  expect([progress.wiped(), progress.wiped()]).toEqual([CLEAR, '']);
  await progress.end();
  expect(stderr.text).toBe(`${CLEAR}a`);
});

test('a walk: what is frozen, what it cost, what drift is reported', () => {
  const walk = {
    noun: 'conversation',
    rows: 1200,
    windows: 12,
    last: 100,
    requests: 35,
    limit: 100,
    drift: 0.21,
  };
  expect(frozenProgressText(walk, { unicode: true })).toBe(
    'frozen 1,200 conversations in 12 windows, the last of 100 · 2.9× the minimum of requests · drift 0.21',
  );
  const begun = { ...walk, rows: 0, windows: 0, last: 0, requests: 1, drift: undefined };
  expect(frozenProgressText(begun, { unicode: false })).toBe('frozen no conversations yet, 1 request');
});
