// Progress as a person sees it: on the screen of a terminal emulator, by a clock that the test moves.
import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { ProgressRecord } from '../../../src/contract/reports/command.ts';
import { createProgressLine, type ProgressForm } from '../../../src/format/terminal/progress.ts';
import { countText, frozenProgressText } from '../../../src/format/terminal/progress-text.ts';

type Count = Parameters<ReturnType<ReturnType<typeof createProgressLine>['begin']>['update']>[0];

function started(given: { columns?: number; form?: ProgressForm; unicode?: boolean } = {}) {
  const { columns = 100, form = 'line', unicode = true } = given;
  const terminal = new xterm.Terminal({ cols: columns, rows: 10, allowProposedApi: true });
  const writes: string[] = [];
  const calls = new Set<() => void>();
  let now = 1000;
  const show = (text: string): Promise<void> => new Promise((resolve) => terminal.write(text, resolve));
  const stderr = {
    isTTY: true,
    get columns() {
      return terminal.cols;
    },
    write: (chunk: string | Uint8Array) => {
      writes.push(String(chunk));
      return show(String(chunk));
    },
  };
  const every = (_ms: number, call: () => void) => {
    calls.add(call);
    return () => calls.delete(call);
  };
  const line = createProgressLine({ stderr, monotonic: () => now, every }, { form, unicode });
  return {
    line,
    writes,
    show,
    resize: (to: number) => terminal.resize(to, 10),
    /** Lets time pass, with the ticks of the clock in it. */
    async pass(ms: number): Promise<void> {
      for (const end = now + ms; now < end;) {
        now = Math.min(end, now + 100);
        for (const call of calls) call();
        await show('');
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    /** The rows of the screen that are not empty. */
    screen(): string[] {
      const { active } = terminal.buffer;
      const rows = Array.from(
        { length: active.length },
        (_, at) => active.getLine(at)?.translateToString(true) ?? '',
      );
      return rows.filter((row) => row !== '');
    },
    ticks: calls,
  };
}

const bytes = (done: number, total?: number): Count => ({ label: 'photos', done, total, unit: 'bytes' });

test('nothing for what is quick', async () => {
  const { line, writes, pass } = started();
  const work = line.begin();
  work.update(bytes(1));
  await pass(400);
  work.update(bytes(2));
  await work.end();
  await line.close();
  expect(writes).toEqual([]);
});

test('from the first request on: connecting, waiting, and for how long', async () => {
  const { line, screen, pass, ticks } = started();
  const request = line.request('archive.example');
  await pass(400);
  expect(screen()).toEqual([]);
  await pass(200);
  expect(screen()).toEqual(['connecting to archive.example…']);
  await pass(1500);
  expect(screen()).toEqual(['connecting to archive.example… 2.0 s']);
  request.connected();
  await pass(2000);
  expect(screen()).toEqual(['waiting for the first answer from archive.example, 4.0 s']);
  request.answered();
  await pass(100);
  expect(screen()).toEqual([]);
  const second = line.request('archive.example');
  second.connected();
  await pass(1200);
  expect(screen()).toEqual(['waiting for an answer from archive.example, 1.0 s']);
  await line.close();
  expect(screen()).toEqual([]);
  expect(ticks.size).toBe(0);
});

test.each([
  [60, 'connecting to archive.example… 2.0 s', 'waiting for the first answer from archive.example, 4.0 s'],
  [40, 'connecting to archive.example… 2.0 s', 'waiting for the first answer, 4.0 s'],
  [24, 'connecting… 2.0 s', 'waiting, 4.0 s'],
  [10, 'connectin…', 'waiting, …'],
])('on %i columns the wait keeps its time longer than the host', async (columns, connecting, waiting) => {
  const { line, screen, pass, resize } = started();
  resize(columns + 1);
  const request = line.request('archive.example');
  await pass(2100);
  expect(screen()).toEqual([connecting]);
  request.connected();
  await pass(2000);
  expect(screen()).toEqual([waiting]);
  await line.close();
});

test('with a total: bar, share, amount, rate and time left', async () => {
  const { line, screen, pass } = started();
  const work = line.begin();
  work.update(bytes(500_000, 4_500_000));
  await pass(1900);
  work.update(bytes(2_500_000, 4_500_000));
  await pass(100);
  expect(screen()).toEqual([
    expect.stringMatching(
      /^photos {2}█{13}░{11} {3}56 % {2}2\.5 MB of 4\.5 MB {2}\d\.\d MB\/s {2}\d\.\d s left$/,
    ),
  ]);
  await work.end();
  expect(screen()).toEqual([]);
});

test('the rate decays when nothing comes, and the time left grows', async () => {
  const { line, screen, pass } = started();
  const work = line.begin();
  let done = 0;
  for (let step = 0; step < 100; step += 1) {
    work.update(bytes((done += 100_000), 100_000_000));
    await pass(100);
  }
  const figures = (): { rate: string; left: string } => {
    const [, rate = '', left = ''] =
      /of 100\.0 MB {2}(\S+ \S+)\/s {2}(.+) left$/.exec(screen()[0] ?? '') ?? [];
    return { rate, left };
  };
  expect(figures()).toEqual({
    rate: expect.stringMatching(/^(1\.0 MB|99\d\.\d kB)$/),
    left: expect.stringMatching(/^1 min 3\d s$/),
  });
  await pass(5000);
  // A third of it is left after five seconds.
  expect(figures().rate).toMatch(/^3[2-9]\d\.\d kB$/);
  await pass(30_000);
  expect(figures().rate).toMatch(/^\d+(\.\d)? (B|kB)$/);
  await work.end();
});

test('at several widths, parts give way from the least important one on', async () => {
  const at = async (columns: number, unicode = true): Promise<string> => {
    const { line, screen, pass } = started({ columns, unicode });
    const work = line.begin();
    work.update({ label: 'Mail/users-2019.mbox', done: 0, total: 4_500_000, unit: 'bytes' });
    await pass(1000);
    work.update({ label: 'Mail/users-2019.mbox', done: 1_000_000, total: 4_500_000, unit: 'bytes' });
    await pass(200);
    const [row = '', ...more] = screen();
    expect(more).toEqual([]);
    expect(row.length).toBeLessThan(columns);
    return row;
  };
  const shape = async (columns: number): Promise<string> =>
    (await at(columns))
      .replace(/[█░]+/, 'BAR')
      .replace(/\d+ %/, 'SHARE')
      .replace(/1\.0 MB of 4\.5 MB/, 'AMOUNT')
      .replace(/\S+ [kM]?B\/s/, 'RATE')
      .replace(/\S+ s left/, 'LEFT')
      .replaceAll(/ +/g, ' ');
  expect(await shape(200)).toBe('Mail/users-2019.mbox BAR SHARE AMOUNT RATE LEFT');
  expect(await shape(92)).toBe('Mail/users-2019.mbox BAR SHARE AMOUNT LEFT');
  expect(await shape(80)).toBe('…sers-2019.mbox BAR SHARE AMOUNT LEFT');
  expect(await shape(60)).toBe('Mail/users-2019.mbox SHARE AMOUNT LEFT');
  expect(await shape(50)).toBe('Mail/users-2019.mbox SHARE LEFT');
  expect(await shape(40)).toBe('Mail/users-2019.mbox SHARE LEFT');
  expect(await shape(36)).toBe('…ers-2019.mbox SHARE LEFT');
  expect(await shape(24)).toBe('…019.mbox SHARE');
  expect(await shape(20)).toMatch(/^…19\.mbox SHARE$/);
  expect(await shape(8)).toBe('Mail/u…');
  expect(await at(200, false)).toMatch(/\[#+\.+\]/);
});

test.each([
  ['/tmp/archive/data/mails/samba.mbox', 80, '…ails/samba.mbox  ████'],
  ['/tmp/archive/data/mails/samba.mbox', 50, '…ta/mails/samba.mbox   22 %  '],
  ['messages of this conversation and its files', 50, 'messages of this co…   22 %  '],
])('a long label is cut before the time left is: %s at %i columns', (label, columns, start) => {
  const state = { label, done: 1_000_000, total: 4_500_000, unit: 'bytes' };
  const shown = countText(state, 1_000_000, { columns, unicode: true });
  expect(shown).toContain(start);
  expect(shown).toMatch(/3\.5 s left$/);
});

// This emulator cuts the line of the cursor; tmux breaks it (test/acceptance/terminal.test.ts).
test.each([
  [100, 40],
  [100, 20],
  [40, 100],
  [60, 7],
])('a resize from %i to %i columns leaves no fragment', async (from, to) => {
  const { line, screen, pass, show, resize } = started({ columns: from });
  await show('$ arx attachments pull\r\n');
  const work = line.begin();
  work.update(bytes(1_000_000, 4_500_000));
  await pass(1000);
  work.update(bytes(2_000_000, 4_500_000));
  await pass(300);
  resize(to);
  await pass(200);
  const rows = screen();
  expect(rows.filter((row) => /photo|%|█|left/.test(row))).toHaveLength(1);
  await work.end();
  expect(screen().join('')).toBe('$ arx attachments pull');
  expect(screen().join('')).not.toMatch(/photo|%|█/);
});

test('other text wipes the line first; the next tick draws it again below', async () => {
  const { line, screen, pass, show } = started();
  expect(line.wiped()).toBe('');
  const work = line.begin();
  work.update({ label: 'frozen', done: 0, unit: 'rows' });
  await pass(700);
  await show(`${line.wiped()}a row that is longer than the line of progress\r\n`);
  expect(line.wiped()).toBe('');
  expect(screen()).toEqual(['a row that is longer than the line of progress']);
  await pass(100);
  expect(screen()).toEqual(['a row that is longer than the line of progress', 'frozen  0 rows']);
  line.hide(true);
  await show(line.wiped());
  await pass(1000);
  await work.end();
});

test('text of an archive cannot move the cursor', async () => {
  const { line, screen, pass, show } = started();
  await show('above\r\n');
  const work = line.begin();
  work.update({ label: '\u001b[1Aevil', done: 1, unit: 'rows' });
  await pass(700);
  expect(screen()).toEqual(['above', '\\u{1b}[1Aevil  1 rows']);
  await work.end();
});

test('JSON records: one a second with every key, and one at the end of each piece of work', async () => {
  const { line, writes, pass } = started({ form: 'json' });
  const request = line.request('archive.example');
  await pass(600);
  request.connected();
  await pass(1000);
  request.answered();
  const work = line.begin();
  work.update(bytes(0, 1000));
  await pass(3000);
  work.update(bytes(1000, 1000));
  await work.end();
  const quick = line.begin();
  quick.update({ label: 'quick', done: 1, unit: 'files' });
  await quick.end();
  await line.close();
  const records = writes.map((text) => {
    expect(text).toMatch(/^\{.*\}\n$/);
    return ProgressRecord.strict().parse(JSON.parse(text));
  });
  expect(records.map(({ phase }) => phase)).toEqual([
    'connecting',
    'waiting',
    ...Array.from({ length: 3 }, () => 'working'),
    'ended',
    'ended',
  ]);
  expect(records.at(-2)).toMatchObject({ label: 'photos', done: 1000, total: 1000, seconds_left: 0 });
  expect(records[0]).toEqual({
    type: 'progress',
    phase: 'connecting',
    label: 'archive.example',
    done: null,
    total: null,
    unit: null,
    per_second: null,
    seconds_left: null,
    elapsed: 0.5,
  });
});

test('switched off it is silent; a stream that fails is no failure', async () => {
  const off = started({ form: 'none' });
  const work = off.line.begin();
  off.line.request('a.example');
  work.update(bytes(1));
  await off.pass(2000);
  await work.end();
  expect([off.writes, off.ticks.size]).toEqual([[], 0]);
  let now = 0;
  const broken = createProgressLine(
    {
      stderr: { isTTY: true, columns: 80, write: () => Promise.reject(new Error('EIO')) },
      monotonic: () => (now += 1000),
      every: () => () => {},
    },
    { form: 'line', unicode: true },
  );
  const doomed = broken.begin();
  doomed.update(bytes(1));
  await doomed.end();
  await broken.close();
});

test('a walk: what is frozen, what it cost, what drift is reported', () => {
  const walk = { noun: 'conversation', rows: 1200, windows: 12, requests: 35, drift: 0.21 };
  expect(frozenProgressText(walk, { unicode: true })).toBe(
    '1,200 conversations frozen in 12 windows · 35 requests · drift 0.21',
  );
  const first = { ...walk, rows: 1, windows: 1 };
  expect(frozenProgressText(first, { unicode: true })).toBe(
    '1 conversation frozen in 1 window · 35 requests · drift 0.21',
  );
  const begun = { ...walk, rows: 0, windows: 0, requests: 1, drift: undefined };
  expect(frozenProgressText(begun, { unicode: false })).toBe('no conversations frozen yet, 1 request');
  const resumed = { ...begun, earlier: 4790 };
  expect(frozenProgressText(resumed, { unicode: false })).toBe(
    'no conversations frozen yet, 4,790 by earlier runs, 1 request',
  );
  expect(frozenProgressText({ ...walk, earlier: 4790 }, { unicode: true })).toBe(
    '1,200 conversations frozen in 12 windows, 4,790 by earlier runs · 35 requests · drift 0.21',
  );
});
