// What the explorer draws: every row fits the terminal, nothing of the archive reaches it unescaped, and doubts are seen.
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameText, painted, type Frame } from '../../../src/explore/frame.ts';
import type { Place } from '../../../src/explore/place.ts';
import type { State } from '../../../src/explore/state.ts';
import { draw } from '../../../src/explore/views/draw.ts';
import { escapeText, textWidth } from '../../../src/format/terminal/escape.ts';
import { colorPaint, NO_PAINT, plainText } from '../../../src/format/terminal/styled-line.ts';
import {
  after,
  conversation,
  file,
  message,
  press,
  readMessage,
  shownScreen,
  stateAt,
  type Size,
} from '../states.ts';

const HOSTILE = [
  '\x1b[2J\x1b]52;c;AAAA\x07\x9b31m',
  '漢字漢字漢字漢字漢字漢字漢字漢字',
  '👩‍👩‍👧‍👦 family ❤️',
  'שלום עולם \u202e evil \u2066',
  'مرحبا بالعالم',
  'e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301 marks',
  '\u0301 first',
  'tab\tand\nline\rend',
  '\ud800 lone',
  'ﷺ﷽ wide?',
];
const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ maxLength: 30 }),
);
const size = fc.record({ columns: fc.integer({ min: 20, max: 200 }), rows: fc.integer({ min: 5, max: 60 }) });
const number = fc.integer({ min: 1, max: 30 });
const screens: fc.Arbitrary<{ place: Place; chunk: Parameters<typeof stateAt>[1] }> = fc.oneof(
  fc.array(text, { maxLength: 40 }).map((subjects) => ({
    place: { kind: 'conversations' as const },
    chunk: { entries: subjects.map((subject, at) => conversation(at, subject)), next: 'more' },
  })),
  fc.array(fc.tuple(text, text, number), { maxLength: 40 }).map((rows) => ({
    place: { kind: 'thread' as const, id: 'conv_1' },
    chunk: {
      title: rows[0]?.[0] ?? '',
      entries: rows.map(([from, subject, depth], at) =>
        message(at, { from, subject, lead: '│ '.repeat(depth), integrity: 0.4 }),
      ),
      doubts: rows.map(([doubt]) => doubt).slice(0, 3),
    },
  })),
  fc.array(fc.tuple(text, text), { maxLength: 40 }).map((rows) => ({
    place: { kind: 'files' as const, city: rows[0]?.[0] ?? 'x' },
    chunk: {
      entries: rows.map(([name, reason], at) => file(at, { name, reason, state: 'withheld', city: name })),
    },
  })),
  fc.array(text, { maxLength: 20 }).map((lines) => ({
    place: { kind: 'message' as const, id: 'msg_1' },
    chunk: { document: { kind: 'message' as const, message: readMessage('msg_1', lines.join('\n')) } },
  })),
  text.map((name) => ({
    place: { kind: 'file' as const, id: 'att_1' },
    chunk: {
      document: {
        kind: 'file' as const,
        row: { ...file(1).row, filename: name, origin_city: name, reason: name, redacted: true },
      },
    },
  })),
  fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 90 }).map((offsets) => ({
    place: { kind: 'sequence' as const, name: 'arc' },
    chunk: {
      document: {
        kind: 'plot' as const,
        name: 'arc',
        rows: offsets.map((offset, at) => ({ checked: at + 1, offset })),
        unchecked: 3,
      },
    },
  })),
);
const keys = fc.array(
  fc.constantFrom(
    'j',
    'k',
    ' ',
    'G',
    'g',
    '/',
    'e',
    '漢',
    'enter',
    '?',
    'p',
    's',
    'Q',
    'v',
    'n',
    'q',
    'escape',
    'y',
    'J',
    '!',
    'P',
  ),
  { maxLength: 8 },
);

/** Whether a character of this text would do something to a terminal. */
const controls = (line: string): boolean => escapeText(line) !== line;

test('at any size every row fits, and no character of the archive controls the terminal', () => {
  fc.assert(
    fc.property(screens, keys, size, size, text, ({ place, chunk }, names, first, second, failure) => {
      let { state } = press(stateAt(place, chunk, first), ...names);
      state = after(state, { kind: 'failed', screen: 1, text: failure }, { kind: 'resize', ...second });
      const { rows, caret } = draw(state, failure);
      expect(rows).toHaveLength(second.rows);
      for (const { line } of rows) {
        const shown = plainText(line);
        expect(textWidth(shown)).toBeLessThanOrEqual(second.columns);
        expect(controls(shown)).toBe(false);
      }
      if (caret !== undefined) expect(caret.column).toBeLessThan(second.columns);
    }),
    { numRuns: 300 },
  );
});

/** A terminal in memory. */
async function terminalOf({ columns, rows }: Size) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  return {
    write: (data: string) => new Promise<void>((resolve) => terminal.write(data, resolve)),
    lines: () =>
      Array.from(
        { length: rows },
        (_, at) => terminal.buffer.active.getLine(at)?.translateToString(true) ?? '',
      ),
  };
}

test('frame by frame a terminal shows the same as when it is drawn afresh', async () => {
  const paint = await colorPaint();
  await fc.assert(
    fc.asyncProperty(screens, keys, size, async ({ place, chunk }, names, at) => {
      const steps = await terminalOf(at);
      let before: Frame | undefined;
      let state: State = stateAt(place, chunk, at);
      for (const name of [undefined, ...names]) {
        if (name !== undefined) ({ state } = press(state, name));
        const drawing = draw(state, 'archive');
        const frame = painted(drawing, at.columns, paint);
        await steps.write(frameText(frame, before, drawing));
        before = frame;
      }
      const afresh = await terminalOf(at);
      const drawing = draw(state, 'archive');
      await afresh.write(frameText(painted(drawing, at.columns, NO_PAINT), undefined, drawing));
      expect(steps.lines()).toEqual(afresh.lines());
    }),
    { numRuns: 60 },
  );
});

test('only rows that changed are sent', () => {
  const state = stateAt(
    { kind: 'conversations' },
    { entries: Array.from({ length: 50 }, (_, at) => conversation(at)) },
  );
  const [one, other] = [state, press(state, 'j').state].map((each) => {
    const drawing = draw(each, 'archive');
    return { drawing, frame: painted(drawing, 80, NO_PAINT) };
  });
  const sent = frameText(other!.frame, one!.frame, other!.drawing);
  // The row that was left, the row that is chosen, and the line that counts.
  // oxlint-disable-next-line no-control-regex
  expect(sent.match(/\u001b\[\d+;1H/g)).toEqual(['\u001b[3;1H', '\u001b[4;1H', '\u001b[23;1H']);
});

describe('what is seen', () => {
  const shown = (state: State): string =>
    draw(state, 'archive')
      .rows.map(({ line }) => plainText(line))
      .join('\n');

  test('a list that is not read to its end', () => {
    const entries = [conversation(1), conversation(2)];
    expect(shown(stateAt({ kind: 'conversations' }, { entries, next: 'conv_2' }))).toContain(' 1 of 2+ ');
    expect(shown(stateAt({ kind: 'conversations' }, { entries, next: 'conv_2', total: 900 }))).toMatch(
      /1 of 900, 2 read/,
    );
    expect(shown(stateAt({ kind: 'conversations' }, { entries }))).toMatch(/ 1 of 2\n/);
  });

  test('how far a filter has looked', () => {
    const state = stateAt({ kind: 'conversations' }, { entries: [conversation(1)], next: 'conv_1' });
    expect(shown(press(state, '/', 'x').state)).toContain('reading … none of 1 row has "x" so far');
  });

  test('withheld rows that a filter hides may match it', () => {
    const rows = [
      { ...conversation(1), subject: '', status: 'withheld' },
      { ...conversation(2), status: 'withheld' },
      conversation(3, 'harbour'),
    ];
    const conversations = stateAt({ kind: 'conversations' }, { entries: rows });
    expect(shown(conversations)).not.toContain('may have this text');
    expect(shown(press(conversations, '/', 'h', 'a', 'r', 'enter').state)).toContain(
      '! 2 withheld rows may have this text, not shown',
    );
    // A row that shows the text is no such row.
    const found = press(conversations, '/', 's', 'u', 'enter').state;
    expect(shown(found)).toContain('! 1 withheld row may have this text, not shown');
    expect(shown(press(found, '!').state)).toContain('1 withheld row may have this text');
    const files = [file(1), file(2, { state: 'withheld', city: '' })];
    expect(
      shown(press(stateAt({ kind: 'files' }, { entries: files }), '/', 'l', 'i', 's', 'enter').state),
    ).toContain('! 1 withheld row');
  });

  test('a list that could not be read has no position', () => {
    const state = stateAt({ kind: 'conversations' }, { entries: [], next: 'x' });
    const failed = after(state, { kind: 'failed', screen: 1, text: 'no token [auth]' });
    expect(shown(failed)).not.toContain('0 of 0');
  });

  test('the keys of a list without rows are those that do something there', () => {
    const keysOf = (state: State) => shown(state).split('\n').at(-1);
    const search = stateAt({ kind: 'search', query: 'x' }, { entries: [], next: 'x' });
    const failed = after(search, { kind: 'failed', screen: 1, text: 'no answer [network]' });
    expect(keysOf(failed)).toMatch(
      /^ s search {2}r read again {2}f files {2}y copy command {2}\? help {2}q back/,
    );
    expect(keysOf(stateAt({ kind: 'search', query: 'x' }, { entries: [] }))).not.toContain('Enter');
    expect(keysOf(stateAt({ kind: 'search', query: 'x' }, { entries: [message(1)] }))).toMatch(
      /^ Enter open/,
    );
  });

  test('how much of a place is read', () => {
    const state = stateAt({ kind: 'thread', id: 'conv_1' }, { total: 240, next: '' });
    expect(shown(state)).toContain('  reading … 240 messages');
    const event = { kind: 'progress', screen: 1, text: '100 of 240 messages' } as const;
    expect(shown(after(state, event))).toContain('  reading … 100 of 240 messages');
    const read = after(state, event, { kind: 'chunk', screen: 1, chunk: { entries: [message(1)] } });
    expect(shown(read)).not.toContain('reading');
  });

  test('why rows may be missing', () => {
    const doubts = ['the service listed 3 rows twice', 'and another'];
    const state = stateAt({ kind: 'conversations' }, { entries: [conversation(1)], doubts });
    expect(shown(state)).toContain('! the service listed 3 rows twice (! shows 1 more)');
    const failed = after(state, { kind: 'failed', screen: 1, text: 'no answer [network]' });
    expect(shown(failed)).toContain('INCOMPLETE: no answer [network]');
    expect(shown(failed)).toMatch(/\n r read again {2}Enter open/);
    const none = stateAt(
      { kind: 'thread', id: 'c' },
      { entries: [], doubts: ['its messages cannot be listed'] },
    );
    expect(shown(none)).toContain('no row is known');
    expect(shown(none)).not.toContain('nothing here');
  });

  test.each([[[]], [['2 files are withheld from you, not searched']]])(
    'a search that finds nothing says so as the command does: %j',
    (doubts) => {
      const none = stateAt({ kind: 'search', query: 'x' }, { entries: [], doubts });
      expect(shown(none)).toContain('no message matches');
    },
  );

  test('withheld, absent, verified and failed files, and records that failed checks', () => {
    const state = stateAt(
      { kind: 'files' },
      {
        entries: [
          file(1, { state: 'withheld', reason: 'a person' }),
          file(2, { state: 'absent' }),
          file(3),
          file(4),
        ],
      },
      { columns: 120, rows: 20 },
    );
    const checks = new Map([
      ['att_3', { state: 'verified' as const }],
      ['att_4', { state: 'failed' as const, text: 'its hash differs' }],
    ]);
    expect(shown({ ...state, checks })).toMatch(
      /withheld .*a person[^]*absent [^]*verified [^]*FAILED .*its hash dif/,
    );
    const doubtful = stateAt(
      { kind: 'thread', id: 'conv_1' },
      { entries: [message(1), message(2, { integrity: 0.4 })] },
    );
    expect(shown(doubtful)).toMatch(/^ !2019/m);
  });

  test('what is being read, an empty list, and a filter without rows are different', () => {
    const empty = stateAt({ kind: 'conversations' }, { entries: [] });
    expect(shown(empty)).toContain('nothing here');
    expect(
      shown(press(stateAt({ kind: 'conversations' }, { entries: [conversation(1)] }), 'enter').state),
    ).toContain('reading …');
    expect(
      shown(press(stateAt({ kind: 'conversations' }, { entries: [conversation(1)] }), '/', 'x').state),
    ).toContain('no row has "x"');
    const withheld = { ...conversation(1), status: 'withheld' };
    expect(
      shown(press(stateAt({ kind: 'conversations' }, { entries: [withheld] }), '/', 'x').state),
    ).toContain('no row has "x"; 1 withheld row may have it');
  });

  test('why a place is empty is read in full, and why rows may be missing at !', () => {
    const at = { columns: 40, rows: 30 };
    const reason =
      'this service has no search; arx messages ls --walk | grep -i WORD finds subjects at the end';
    const empty = stateAt({ kind: 'conversations' }, { entries: [] }, at);
    const failed = after(empty, { kind: 'failed', screen: shownScreen(empty).number, text: reason });
    expect(shown(failed).replaceAll(/\s+/g, ' ')).toContain(reason);
    const doubts = ['the list may be cut: the service follows no cursors and says nothing', 'another doubt'];
    const cut = stateAt({ kind: 'conversations' }, { entries: [conversation(1)], doubts }, at);
    expect(shown(press(cut, '!').state).replaceAll(/\s+/g, ' ')).toContain(doubts.join(' '));
    expect(shown(cut)).toMatch(/^ 1 of 1 {2}! the list may be ?….*! shows all$/m);
  });

  test('files without a known size have none', () => {
    const group = { kind: 'group', by: 'city', files: 2, withheld: 0, absent: 0 } as const;
    const entries = [
      { ...group, id: 'city oslo', value: 'oslo', bytes: undefined },
      { ...group, id: 'city cork', value: 'cork', bytes: 0 },
    ];
    const text = shown(stateAt({ kind: 'overview' }, { entries }));
    expect(text).toMatch(/oslo +2 files *$/m);
    expect(text).toMatch(/cork +2 files +0 B *$/m);
  });

  test.each([
    [20, 7],
    [40, 16],
    [80, 20],
    [200, 60],
  ])('at %i columns at least %i of a subject or name', (columns, least) => {
    const long = 'abcdefghijklmnopqrstuvwxyz'.repeat(8);
    const at = { columns, rows: 12 };
    const lists = [
      stateAt({ kind: 'conversations' }, { entries: [conversation(1, long)] }, at),
      stateAt({ kind: 'thread', id: 'c' }, { title: 'c', entries: [message(1, { subject: long })] }, at),
      stateAt({ kind: 'files' }, { entries: [file(1, { name: long })] }, at),
    ];
    for (const each of lists) expect(shown(each)).toContain(long.slice(0, least - 2));
  });

  test.each([20, 40, 80, 200])('at %i columns the keys for help and back', (columns) => {
    const state = stateAt({ kind: 'conversations' }, { entries: [conversation(1)] }, { columns, rows: 24 });
    expect(shown(state).split('\n').at(-1)).toMatch(/\? help {2}q back/);
  });
});

const textOf = (state: State): string[] =>
  draw(state, 'archive').rows.map(({ line }) => plainText(line).trimEnd());

test('the date of a conversation is the one that the list is ordered by, and the heading says which', () => {
  const state = stateAt({ kind: 'conversations' }, { entries: [conversation(1)] });
  expect(textOf(state).slice(1, 3)).toEqual([
    expect.stringMatching(/^ {2}STARTED \(UTC\) .*SUBJECT$/),
    expect.stringMatching(/^> 2019-03-01 23:11 .*subject 1$/),
  ]);
  const newest = press(state, 'S').state;
  expect(textOf(newest).slice(1, 3)).toEqual([
    expect.stringMatching(/^ {2}LAST \(UTC\) .*SUBJECT$/),
    expect.stringMatching(/^> 2019-03-08 07:33 .*subject 1$/),
  ]);
});

test('a hit shows what was found, and opens with its quotations where the words are in one', () => {
  const subject = 'a subject that is wider than its column';
  const found = message(1, { subject, snippet: 'the glass plate', isQuoted: true });
  const state = stateAt({ kind: 'search', query: 'glass' }, { entries: [found] });
  expect(textOf(state)[2]).toContain('the glass plate');
  const [effect] = press(state, 'enter').effects;
  expect(effect).toMatchObject({ kind: 'read', place: { kind: 'message', id: 'msg_1', quotes: true } });
  const quoted = Array.from({ length: 9 }, (_, n) => `> line ${n}`).join('\n');
  const read = { document: { kind: 'message' as const, message: readMessage('msg_1', quoted) } };
  const opened = (quotes: boolean) =>
    textOf(stateAt({ kind: 'message', id: 'msg_1', quotes }, read)).join('\n');
  expect(opened(true)).toContain('> line 8');
  expect(opened(false)).not.toContain('> line 8');
});

describe('how far a command is', () => {
  const record = {
    type: 'progress' as const,
    phase: 'working' as const,
    label: '1200 of 4061 files',
    done: 1_200_000,
    total: 3_000_000,
    unit: 'bytes',
    per_second: 150_000,
    seconds_left: 12,
    elapsed: 8,
  };
  const pulling = (columns: number, progress: object, doubts: string[] = []): string => {
    const list = stateAt({ kind: 'files' }, { entries: [file(1), file(2)], doubts }, { columns, rows: 12 });
    const { state, effects } = press(list, 'P', 'enter');
    const run = effects.find((effect) => effect.kind === 'run')!;
    const event = { kind: 'jobProgress' as const, job: run.job, progress: { ...record, ...progress } };
    return textOf(after(state, event)).at(-2)!;
  };

  test.each([
    [20, ' 1200 of 4061 files'],
    [30, ' 1200 of 4061 files   40 %'],
    [32, ' 1200 of 4061 files   40 %'],
    [40, ' 1 of 2  1200 of 4061 files   40 %'],
    [80, ' 1 of 2  1200 of 4061 files   40 %  1.2 MB of 3.0 MB  12 s left'],
    [90, ' 1 of 2  1200 of 4061 files  █████████░░░░░░░░░░░░░░░   40 %  1.2 MB of 3.0 MB  12 s left'],
  ])('at %i columns no part of it is cut', (columns, line) => {
    expect(pulling(columns, {})).toBe(line);
  });

  test('where the total is not known it is what was downloaded', () => {
    expect(pulling(80, { label: '12 files', total: null })).toBe(' 1 of 2  12 files  1.2 MB  150.0 kB/s');
  });

  test('doubts are told of behind it', () => {
    expect(pulling(40, {}, ['rows may be missing'])).toBe(' 1200 of 4061 files   40 % ! shows all');
  });

  test('a wait for an answer has nothing to count', () => {
    const waiting = { phase: 'waiting', done: null, total: null, unit: null, per_second: null };
    expect(pulling(80, waiting)).toBe(' arx attachments pull --all --to files …');
  });
});
