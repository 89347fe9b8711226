// The state machine of the explorer: which key leads where, what is read when, and what is cancelled.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BINDINGS } from '../../src/explore/bindings.ts';
import type { Chunk } from '../../src/explore/archive.ts';
import type { Place } from '../../src/explore/place.ts';
import { documentLines } from '../../src/explore/views/document.ts';
import { begin, update } from '../../src/explore/update.ts';
import { chosenEntry, entryAt, matchesOf, shownCount, type State } from '../../src/explore/state.ts';
import {
  after,
  conversation,
  file,
  instant,
  message,
  press,
  readMessage,
  shownScreen,
  stateAt,
} from './states.ts';

const many = (count: number) => Array.from({ length: count }, (_, at) => conversation(at + 1));
const list = (count = 50, next?: string): State =>
  stateAt({ kind: 'conversations' }, { entries: many(count), ...(next === undefined ? {} : { next }) });
const thread = (): State =>
  stateAt({ kind: 'thread', id: 'conv_1' }, { entries: [message(1), message(2), message(3)] });
const WITHHELD = { state: 'withheld', row: { id: 'att_2', redacted: true } } as const;
const files = (): State => stateAt({ kind: 'files' }, { entries: [file(1), file(2, WITHHELD), file(3)] });
const cursor = (state: State): number => shownScreen(state).cursor;
const placeOf = (state: State) => shownScreen(state).place;

test('no key has two meanings', () => {
  const keys = Object.values(BINDINGS).flatMap((bindings) => bindings.flatMap((each) => each.keys));
  expect(keys).toEqual([...new Set(keys)]);
});

test('a search takes the place of one that was refused, so that q leaves both', () => {
  const refused = after(press(list(), 's', 'b', 'a', 'd', 'enter').state, {
    kind: 'failed',
    screen: 2,
    text: 'query, character 1: this quotation mark is not closed [usage]',
  });
  const { state, effects } = press(refused, 's', 'o', 'k', 'enter');
  expect(state.screens.map(({ place }) => place.kind)).toEqual(['overview', 'conversations', 'search']);
  expect(effects).toMatchObject([
    { kind: 'cancel', screen: 2, isForGood: true },
    { kind: 'read', place: { kind: 'search', query: 'ok' } },
  ]);
  expect(placeOf(press(state, 'q').state)).toEqual({ kind: 'conversations' });
  expect(placeOf(press(refused, 's', 'escape', 'q').state)).toEqual({ kind: 'conversations' });
});

test('the conversation of a message begins at that message, also of one that a search found', () => {
  const document = { kind: 'message' as const, message: readMessage('msg_2', 'a text') };
  const found = {
    entries: [message(1, { snippet: 'x' }), message(2, { snippet: 'x', conversation: 'conv_1' })],
  };
  for (const asked of [
    press(stateAt({ kind: 'message', id: 'msg_2' }, { document }), 't'),
    press(stateAt({ kind: 'search', query: 'x' }, found), 'j', 't'),
  ]) {
    expect(placeOf(asked.state)).toMatchObject({ kind: 'thread', id: 'conv_1' });
    const chunk = { entries: [message(1), message(2), message(3)] };
    const read = update(asked.state, { kind: 'chunk', screen: 2, chunk }).state;
    expect(chosenEntry(shownScreen(read))).toMatchObject({ id: 'msg_2' });
    expect(press(read, 'y').effects).toEqual([{ kind: 'copy', words: ['read', 'msg_2'] }]);
    expect(press(read, 'Y').effects).toEqual([{ kind: 'copy', words: ['read', 'conv_1'] }]);
  }
  const without = press(stateAt({ kind: 'search', query: 'x' }, found), 't').state;
  expect(without.notice?.text).toContain('does not say of which conversation');
});

describe('moving', () => {
  test.each<[string[], number]>([
    [['j'], 1],
    [['down', 'down', 'up'], 1],
    [['k'], 0],
    [['G'], 49],
    [['end', 'j'], 49],
    [['G', 'g'], 0],
    [[' '], 19],
    [['pagedown', 'pageup'], 0],
    [['ctrl-d'], 10],
    [['ctrl-d', 'ctrl-u'], 0],
    [['wheel-down'], 1],
  ])('%j leads to row %i', (keys, row) => {
    const { state } = press(list(), ...keys);
    expect(cursor(state)).toBe(row);
    const { top } = shownScreen(state);
    expect(top <= row && row < top + 20).toBe(true);
  });

  test('skips headings', () => {
    const group = {
      kind: 'group',
      by: 'city',
      value: 'oslo',
      files: 1,
      withheld: 0,
      absent: 0,
      bytes: 1,
    } as const;
    const first = begin({
      columns: 80,
      rows: 24,
      timeZone: 'UTC',
      unicode: true,
      folder: '/home/me',
      home: '/home/me',
      places: [{ kind: 'overview' }],
    });
    const section = { kind: 'section', id: 's', label: 'S', count: 1, opens: { kind: 'files' } } as const;
    const chunk = { entries: [section, { ...group, id: 'city oslo' }], next: 'att_1' };
    const state = after(first.state, { kind: 'chunk', screen: 0, chunk });
    expect(chosenEntry(shownScreen(press(state, 'j').state))?.id).toBe('city oslo');
    expect(chosenEntry(shownScreen(press(state, 'j', 'k').state))?.id).toBe('s');
    // The next page of the catalogue adds to the counts, and the choice stays with its row.
    const more = {
      entries: [
        { ...group, value: 'bergen', id: 'city bergen', files: 5 },
        { ...group, id: 'city oslo' },
      ],
    };
    const later = after(press(state, 'j').state, { kind: 'chunk', screen: 0, chunk: more });
    expect(chosenEntry(shownScreen(later))).toMatchObject({ id: 'city oslo', files: 2 });
    expect(shownScreen(later).entries.map(({ id }) => id)).toEqual([
      's',
      'heading city',
      'city bergen',
      'city oslo',
    ]);
  });

  test('a smaller terminal keeps the choice visible', () => {
    const { state } = press(list(), 'G');
    const small = after(state, { kind: 'resize', columns: 40, rows: 6 });
    expect(shownScreen(small)).toMatchObject({ cursor: 49, top: 46 });
  });
});

describe('places', () => {
  test.each<{ from: () => State; keys: string[]; place: object }>([
    { from: list, keys: ['j', 'enter'], place: { kind: 'thread', id: 'conv_2' } },
    { from: list, keys: ['right'], place: { kind: 'thread', id: 'conv_1' } },
    { from: thread, keys: ['j', 'l'], place: { kind: 'message', id: 'msg_2' } },
    { from: thread, keys: ['f'], place: { kind: 'files', message: 'msg_1' } },
    { from: thread, keys: ['l', 'f'], place: { kind: 'files', message: 'msg_1' } },
    { from: thread, keys: ['l', 'J'], place: { kind: 'message', id: 'msg_2' } },
    { from: thread, keys: ['l', 'J', 'tab', 'K'], place: { kind: 'message', id: 'msg_2' } },
    { from: thread, keys: ['l', 'H'], place: { kind: 'message', id: 'msg_1', headers: true } },
    { from: thread, keys: ['l', 'J', 'q'], place: { kind: 'thread', id: 'conv_1' } },
    { from: files, keys: ['enter'], place: { kind: 'file', id: 'att_1' } },
    { from: list, keys: ['f'], place: { kind: 'files' } },
    { from: list, keys: ['s', 'a', ' ', 'b', 'enter'], place: { kind: 'search', query: 'a b' } },
    { from: list, keys: ['escape'], place: { kind: 'overview' } },
  ])('$keys lead to $place', ({ from, keys, place }) => {
    expect(placeOf(press(from(), ...keys).state)).toEqual(place);
  });

  test('the list goes along while its messages are read one after another', () => {
    const { state } = press(thread(), 'l', 'J', 'J', 'J');
    expect(placeOf(state)).toEqual({ kind: 'message', id: 'msg_3' });
    expect(state.notice?.text).toBe('this is the last one of the list');
    expect(cursor(press(state, 'q').state)).toBe(2);
  });

  test.each(['escape', 'h', 'left', 'backspace'])('%s does not quit at the first screen', (key) => {
    const { state, effects } = press(list(), 'q', key, key);
    expect(effects).not.toContainEqual({ kind: 'quit' });
    expect(state.notice?.text).toBe('this is the first screen: q quits');
  });

  test('q quits at the first screen, and ends a filter first', () => {
    expect(press(list(), 'q', 'q').effects).toContainEqual({ kind: 'quit' });
    expect(press(list(), 'q', '/', 'x', 'enter', 'q').effects).not.toContainEqual({ kind: 'quit' });
    expect(press(list(), 'ctrl-c').effects).toEqual([{ kind: 'quit' }]);
  });

  test('the row of a file is shown without a request', () => {
    const { state, effects } = press(files(), 'enter');
    expect(effects).toEqual([]);
    expect(shownScreen(state)).toMatchObject({ reading: 'whole', document: { row: { id: 'att_1' } } });
  });
});

describe('reading', () => {
  test('goes on when the end of what is read comes near', () => {
    const state = list(100, 'conv_100');
    expect(press(state, 'j').effects).toEqual([]);
    const steps = Array.from({ length: 4 }, () => ' ');
    expect(press(state, ...steps).effects).toEqual([
      { kind: 'read', screen: 1, place: { kind: 'conversations' }, from: 'conv_100' },
    ]);
  });

  test('G reads to the end, another key stops that', () => {
    const chunk = { entries: [conversation(101)], next: 'conv_101' };
    const first = press(list(100, 'conv_100'), 'G');
    expect(first.effects).toHaveLength(1);
    const second = update(first.state, { kind: 'chunk', screen: 1, chunk });
    expect(second.effects).toMatchObject([{ kind: 'read', from: 'conv_101' }]);
    expect(
      cursor(after(first.state, { kind: 'chunk', screen: 1, chunk: { entries: [conversation(101)] } })),
    ).toBe(100);
    const stopped = press(first.state, 'g').state;
    expect(update(stopped, { kind: 'chunk', screen: 1, chunk }).effects).toEqual([]);
  });

  test('a filter reads to the end and takes new rows as they come', () => {
    const filtered = press(list(100, 'conv_100'), '/', '9', '9');
    expect(filtered.effects).toHaveLength(1);
    expect(shownCount(shownScreen(filtered.state))).toBe(1);
    const chunk = { entries: [conversation(199), conversation(200)] };
    const later = after(filtered.state, { kind: 'chunk', screen: 1, chunk });
    expect(shownCount(shownScreen(later))).toBe(2);
  });

  test('what is left is cancelled, and goes on when it is shown again', () => {
    const busy = press(list(100, 'conv_100'), 'G').state;
    const left = press(busy, 'g', 'enter');
    expect(left.effects).toEqual([
      { kind: 'cancel', screen: 1, isForGood: false },
      { kind: 'read', screen: 2, place: { kind: 'thread', id: 'conv_1' }, from: undefined },
    ]);
    const back = press(left.state, 'q');
    expect(back.effects).toEqual([{ kind: 'cancel', screen: 2, isForGood: true }]);
    expect(shownScreen(back.state)).toMatchObject({ reading: 'paused', next: 'conv_100' });
  });

  test('a screen that was left before its first answer is read when it is shown again', () => {
    const { state } = press(list(), 'enter', 'f', 'q');
    expect(shownScreen(state)).toMatchObject({ place: { kind: 'thread' }, reading: 'reading' });
    expect(press(list(), 'enter', 'f', 'q').effects.at(-1)).toMatchObject({ kind: 'read', screen: 2 });
  });

  test('an answer for a screen that is gone changes nothing', () => {
    const { state } = press(list(), 'enter', 'q');
    expect(after(state, { kind: 'chunk', screen: 2, chunk: { entries: [message(1)] } })).toEqual(state);
    expect(after(state, { kind: 'failed', screen: 2, text: 'gone' })).toEqual(state);
  });

  test('a failure keeps the rows and says why', () => {
    const state = after(list(100, 'conv_100'), { kind: 'failed', screen: 1, text: 'no answer [network]' });
    expect(shownScreen(state)).toMatchObject({ reading: 'failed', failure: 'no answer [network]' });
    expect(shownCount(shownScreen(state))).toBe(100);
    expect(press(state, 'r').effects.at(-1)).toMatchObject({ kind: 'read', from: undefined });
  });
});

test('a part of the archive has the number of rows that the overview gives, until it is read', () => {
  const section = {
    kind: 'section',
    id: 's',
    label: 'S',
    count: 900,
    opens: { kind: 'conversations' },
  } as const;
  const first = begin({
    columns: 80,
    rows: 24,
    timeZone: 'UTC',
    unicode: true,
    folder: '/',
    home: '/',
    places: [{ kind: 'overview' }],
  });
  const overview = after(first.state, { kind: 'chunk', screen: 0, chunk: { entries: [section] } });
  const opened = press(overview, 'enter').state;
  const read = after(opened, { kind: 'chunk', screen: 1, chunk: { entries: many(100), next: 'conv_100' } });
  expect(shownScreen(read).total).toBe(900);
});

describe('a thread that is being read', () => {
  const place = { kind: 'thread', id: 'conv_1', message: 'msg_3' } as const;
  const begun = stateAt(place, { title: 'conv_1', total: 3, next: '' });
  const told = (state: State, ...numbers: number[]) =>
    after(state, { kind: 'progress', screen: 1, text: 'x', entries: numbers.map((each) => message(each)) });
  const whole = { entries: [message(1), message(2), message(3)], replaces: true };

  test('shows the messages that are there, and takes the whole in their place', () => {
    const some = told(begun, 1, 2);
    expect(shownScreen(some)).toMatchObject({ reading: 'reading', progress: 'x', entries: { length: 2 } });
    const all = after(some, { kind: 'chunk', screen: 1, chunk: whole });
    expect(shownScreen(all)).toMatchObject({ reading: 'whole', progress: undefined, entries: { length: 3 } });
    expect(chosenEntry(shownScreen(all))).toMatchObject({ id: 'msg_3' });
  });

  test('keeps the message that was chosen meanwhile, and a filter', () => {
    const moved = press(told(begun, 2, 4), 'j').state;
    const chunk = { entries: [1, 2, 3, 4].map((each) => message(each)), replaces: true };
    const all = after(moved, { kind: 'chunk', screen: 1, chunk });
    expect(chosenEntry(shownScreen(all))).toMatchObject({ id: 'msg_4' });
    const filtered = after(press(told(begun, 1, 2), '/', '_', '2').state, {
      kind: 'chunk',
      screen: 1,
      chunk,
    });
    expect(shownCount(shownScreen(filtered))).toBe(1);
  });

  test('is read to its end when it is shown again', () => {
    const long = Array.from({ length: 400 }, (_, at) => at + 1);
    const left = press(told(begun, ...long), 'enter', 'q');
    expect(left.effects.at(-1)).toMatchObject({ kind: 'read', screen: 1, from: '' });
  });
});

describe('finding', () => {
  test('a filter keeps the chosen row where it matches; Escape shows all rows again', () => {
    const { state } = press(list(), 'j', 'j', '/', '3', 'enter');
    expect(chosenEntry(shownScreen(state))?.id).toBe('conv_3');
    const { state: all } = press(state, 'escape');
    expect(shownCount(shownScreen(all))).toBe(50);
    expect(chosenEntry(shownScreen(all))?.id).toBe('conv_3');
  });

  test('Escape while typing brings back the filter that was there', () => {
    const { state } = press(list(), '/', '4', 'enter', '/', '9', 'escape');
    expect(shownScreen(state).filter).toBe('4');
    expect(shownCount(shownScreen(state))).toBe(14);
  });

  test('Backspace removes what a person sees as one character', () => {
    const typed = update(press(list(), '/').state, {
      kind: 'key',
      key: { name: 'paste', text: 'a👩‍👧' },
    }).state;
    expect(press(typed, 'backspace').state.prompt?.text).toBe('a');
    expect(press(typed, 'backspace', 'backspace', 'backspace').state.prompt).toBeUndefined();
  });

  test('in a message / goes to the text, n and N to the next places', () => {
    const lines = Array.from({ length: 130 }, (_, at) =>
      at % 30 === 20 && at < 100 ? 'a needle' : `line ${at}`,
    );
    const chunk = { document: { kind: 'message', message: readMessage('msg_1', lines.join('\n')) } } as const;
    const state = stateAt({ kind: 'message', id: 'msg_1' }, chunk);
    const found = press(state, '/', ...'needle'.split(''), 'enter').state;
    const tops = [found, press(found, 'n').state, press(found, 'n', 'n').state].map(
      (each) => shownScreen(each).top,
    );
    expect(tops[1]! - tops[0]!).toBe(30);
    expect(tops[2]! - tops[1]!).toBe(30);
    expect(shownScreen(press(found, 'n', 'N').state).top).toBe(tops[0]);
    expect(press(found, 'N').state.notice?.text).toBe('no place further up');
  });
});

describe('how a message is shown', () => {
  const long = ['> a quoted line'].concat(Array.from({ length: 40 }, (_, at) => `> line ${at}`)).join('\n');
  const shownAs = (place: Place, text: string): State =>
    stateAt(place, { document: { kind: 'message', message: readMessage('msg_1', `one\n${long}\n${text}`) } });

  test.each([
    ['H', 'headers'],
    ['L', 'lore'],
  ])('%s of a chosen message shows it with them', (key, option) => {
    const { state, effects } = press(thread(), 'j', key);
    expect(placeOf(state)).toEqual({ kind: 'message', id: 'msg_2', [option]: true });
    expect(effects.at(-1)).toMatchObject({ kind: 'read', place: { id: 'msg_2', [option]: true } });
    expect(placeOf(press(state, 'q').state)).toMatchObject({ kind: 'thread' });
    expect(press(files(), key).state.notice?.text).toContain('message');
  });

  test.each<[Place]>([[{ kind: 'message', id: 'msg_1' }], [{ kind: 'message', id: 'msg_1', quotes: true }]])(
    'Q folds and shows its quotations, and Y copies the command for that: %j',
    (place) => {
      const lines = (state: State) => documentLines(shownScreen(state), state).length;
      const isShown = 'quotes' in place;
      const state = shownAs(place, 'two');
      const once = press(state, 'Q').state;
      expect(lines(once) > lines(state)).toBe(!isShown);
      expect(once.notice?.text).toBe(`long quotations are ${isShown ? 'folded' : 'shown'}`);
      expect(lines(press(once, 'Q').state)).toBe(lines(state));
      const copied = (each: State) => press(each, 'Y').effects.at(-1);
      const [folded, unfolded] = isShown ? [once, state] : [state, once];
      expect(copied(folded)).toEqual({ kind: 'copy', words: ['read', 'msg_1'] });
      expect(copied(unfolded)).toEqual({ kind: 'copy', words: ['read', '--quotes', 'msg_1'] });
    },
  );

  test('Q says where nothing is to be folded', () => {
    const document = { kind: 'message', message: readMessage('msg_1', 'a text') } as const;
    const { state } = press(stateAt({ kind: 'message', id: 'msg_1' }, { document }), 'Q');
    expect(state.notice?.text).toBe('this message has no long quotations');
    expect(press(thread(), 'Q').state.notice?.text).toBe('long quotations of messages are shown');
  });
});

describe('a search whose query is wrong', () => {
  const typedSearch = press(list(), 's', ...'"abc'.split(''), 'enter').state;
  const failed = { kind: 'failed', screen: 2, text: 'query: no closing quote [usage]' } as const;

  test('can be edited at once', () => {
    const state = after(typedSearch, { ...failed, class: 'usage' });
    expect(state.prompt).toEqual({ kind: 'search', text: '"abc' });
    const mended = press(state, '"', 'enter').state;
    expect(placeOf(mended)).toEqual({ kind: 'search', query: '"abc"' });
    expect(mended.screens).toHaveLength(3);
    const left = press(state, 'escape').state;
    expect(left.prompt).toBeUndefined();
    expect(placeOf(press(left, 'q').state)).toEqual({ kind: 'conversations' });
  });

  test('only where it is on the screen, and only for its query', () => {
    expect(after(typedSearch, { ...failed, class: 'network' }).prompt).toBeUndefined();
    expect(after(press(typedSearch, '?').state, { ...failed, class: 'usage' }).prompt).toBeUndefined();
    expect(after(press(typedSearch, 'escape').state, { ...failed, class: 'usage' }).prompt).toBeUndefined();
    const more = stateAt({ kind: 'search', query: 'x' }, { entries: [message(1)], next: 'msg_1' });
    expect(after(more, { ...failed, screen: 1, class: 'usage' }).prompt).toBeUndefined();
    expect(press(more, 's').state.prompt).toEqual({ kind: 'search', text: '' });
  });
});

test.each<[Place, Chunk, string[]]>([
  [
    { kind: 'conversations' },
    { entries: [conversation(1), conversation(2)] },
    ['conversations', 'ls', '--all'],
  ],
  [{ kind: 'search', query: 'subject' }, { entries: [message(1)] }, ['search', '--all', 'subject']],
  [{ kind: 'thread', id: 'conv_1' }, { entries: [message(1)] }, ['read', 'conv_1']],
])('the command that Y copies says that it lacks the filter: %j', (place, chunk, words) => {
  const { state } = press(stateAt(place, chunk), '/', ...'subject 1'.split(''), 'enter');
  expect(press(state, 'Y').effects).toEqual([{ kind: 'copy', words, filter: 'subject 1' }]);
  expect(press(state, 'y').effects).toMatchObject([{ kind: 'copy' }]);
  expect(press(press(state, 'escape').state, 'Y').effects).toEqual([{ kind: 'copy', words }]);
});

describe('the order of conversations', () => {
  const ids = (state: State): string[] => {
    const screen = shownScreen(state);
    return Array.from({ length: shownCount(screen) }, (_, at) => entryAt(screen, at)!.id);
  };
  const entries = [
    { ...conversation(1), last: instant('2019-01-02 00:00'), messages: '10' },
    { ...conversation(2), last: instant('2020-01-01 00:00'), messages: '9' },
    { ...conversation(3), last: instant('2018-01-01 00:00'), messages: '9' },
  ];
  const state = stateAt({ kind: 'conversations' }, { entries, next: 'conv_3' });

  test.each<[string[], string[]]>([
    [['S'], ['conv_2', 'conv_1', 'conv_3']],
    [
      ['S', 'S'],
      ['conv_1', 'conv_2', 'conv_3'],
    ],
    [
      ['S', 'S', 'S'],
      ['conv_1', 'conv_2', 'conv_3'],
    ],
    [['S', '/', '1', '8', '-', 'enter'], ['conv_3']],
    [
      ['S', '/', '2', 'backspace'],
      ['conv_2', 'conv_1', 'conv_3'],
    ],
  ])('%j shows %j', (keys, shown) => {
    expect(ids(press(state, ...keys).state)).toEqual(shown);
  });

  test('needs the whole list, and new rows take their place in it', () => {
    const ordered = press(state, 'S');
    const page = { entries: many(100), next: 'conv_100' };
    const event = { kind: 'chunk', screen: 1, chunk: page } as const;
    expect(update(state, event).effects).toEqual([]);
    expect(update(ordered.state, event).effects).toMatchObject([{ kind: 'read', from: 'conv_100' }]);
    const chunk = { entries: [{ ...conversation(4), last: instant('2021-01-01 00:00') }] };
    const later = after(ordered.state, { kind: 'chunk', screen: 1, chunk });
    expect(ids(later)).toEqual(['conv_4', 'conv_2', 'conv_1', 'conv_3']);
    expect(cursor(later)).toBe(0);
    const chosen = after(press(ordered.state, 'j').state, { kind: 'chunk', screen: 1, chunk });
    expect(chosenEntry(shownScreen(chosen))?.id).toBe('conv_1');
  });

  test('is part of the command that prints the list', () => {
    const words = ['conversations', 'ls', '--all', '--sort', '-last'];
    expect(press(state, 'S', 'Y').effects.at(-1)).toEqual({ kind: 'copy', words });
  });
});

test('a filter shows the same rows letter by letter as typed at once', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '\u0130', ' '), maxLength: 4 });
  const typing = fc.array(fc.constantFrom('a', 'b', 'A', ' ', 'backspace', 'S', 'escape', '/'), {
    maxLength: 10,
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), typing, (words, keys) => {
      const entries = words.map((each, at) => conversation(at, each));
      const { state } = press(stateAt({ kind: 'conversations' }, { entries }), '/', ...keys);
      const screen = shownScreen(state);
      expect(screen.matches).toEqual(matchesOf(screen.entries, screen));
    }),
  );
});

describe('commands', () => {
  test.each<{ from: () => State; keys: string[]; words: string[] }>([
    { from: list, keys: ['y'], words: ['read', 'conv_1'] },
    { from: thread, keys: ['l', 'y'], words: ['read', 'msg_1'] },
    { from: thread, keys: ['l', 'H', 'L', 'y'], words: ['read', '--headers', '--lore', 'msg_1'] },
    { from: files, keys: ['y'], words: ['attachments', 'show', 'att_1'] },
    {
      from: () => stateAt({ kind: 'files', city: 'oslo' }, { entries: [] }),
      keys: ['y'],
      words: ['attachments', 'ls', '--all', '--city', 'oslo'],
    },
    {
      from: () => stateAt({ kind: 'search', query: 'a b' }, { entries: [] }),
      keys: ['y'],
      words: ['search', '--all', 'a b'],
    },
  ])('$keys copies $words', ({ from, keys, words }) => {
    expect(press(from(), ...keys).effects.at(-1)).toEqual({ kind: 'copy', words });
  });

  test('v verifies a file, and its state says how that ended', () => {
    const { state, effects } = press(files(), 'v');
    expect(effects).toEqual([
      { kind: 'run', job: 2, words: ['attachments', 'cat', 'att_1'], hasReport: false },
    ]);
    expect(state.checks.get('att_1')).toEqual({ state: 'checking' });
    expect(press(state, 'v').effects).toEqual([]);
    const good = after(state, { kind: 'ended', job: 2, exit: 0, output: '' });
    expect(good.checks.get('att_1')).toEqual({ state: 'verified' });
    const bad = after(state, { kind: 'ended', job: 2, exit: 6, output: 'att_1: its hash differs' });
    expect(bad.checks.get('att_1')).toEqual({ state: 'failed', text: 'att_1: its hash differs' });
    expect(bad.notice).toMatchObject({ style: 'bad' });
  });

  test('what cannot be had is neither verified nor downloaded', () => {
    for (const key of ['v', 'p']) expect(press(files(), 'j', key).effects).toEqual([]);
    expect(press(files(), 'j', 'p').state).toMatchObject({
      prompt: undefined,
      notice: { text: 'att_2 cannot be downloaded: its bytes are withheld' },
    });
  });

  test.each(['v', 'p', 'P'])('%s says that a list has no file', (key) => {
    const empty = press(stateAt({ kind: 'files', message: 'msg_1' }, { entries: [] }), key);
    expect(empty).toMatchObject({ effects: [], state: { notice: { text: 'there is no file here' } } });
    expect(press(list(), key).state.notice?.text).toMatch(/list of files \(f\)$/);
  });

  test('t says where there is no other conversation to show', () => {
    const said = (state: State) => press(state, 't').state.notice?.text;
    expect(said(thread())).toBe('this is the conversation');
    expect(said(list())).toBe('t shows the conversation of a message');
    expect(said(stateAt({ kind: 'files' }, { entries: [] }))).toBe('t shows the conversation of a message');
    const unknown = 'the service does not say of which conversation it is';
    expect(said(stateAt({ kind: 'search', query: 'x' }, { entries: [message(1)] }))).toBe(unknown);
    expect(said(files())).toBe(unknown);
  });

  test('p asks for a folder and pulls into it', () => {
    const asked = press(files(), 'p').state;
    // What is typed is the folder, and does not follow the proposed one.
    expect(asked.prompt).toMatchObject({ kind: 'pull', text: '' });
    const { state, effects } = press(asked, 'd', 'enter');
    expect(effects).toMatchObject([
      { words: ['attachments', 'pull', '--to', 'd', 'att_1'], hasReport: true },
    ]);
    const good = after(state, { kind: 'ended', job: 2, exit: 0, output: '', kept: ['att_1'] });
    expect(good.checks.get('att_1')).toEqual({ state: 'verified' });
    // A download can fail for reasons that say nothing about the bytes.
    expect(after(state, { kind: 'ended', job: 2, exit: 14, output: 'no space' }).checks.size).toBe(0);
    expect(press(asked, 'escape').effects).toEqual([]);
  });

  test.each([
    ['~', '/home/me'],
    ['~/all', '/home/me/all'],
    ['~all', '~all'],
    ['a/~', 'a/~'],
  ])('a typed folder begins at home where a shell would: %s', (typed, to) => {
    const { effects } = press(files(), 'p', ...Array.from(typed), 'enter');
    expect(effects).toMatchObject([{ words: ['attachments', 'pull', '--to', to, 'att_1'] }]);
  });

  test.each(['ctrl-c', 'q'])('%s quits at the second time where a command runs', (key) => {
    const running = press(files(), 'p', 'enter').state;
    const atStart = key === 'q' ? press(running, 'q').state : running;
    const asked = press(atStart, key);
    expect(asked.effects).toEqual([]);
    const text = 'arx attachments pull --to files att_1 is running: quit again to stop it';
    expect(asked.state.notice?.text).toBe(text);
    expect(press(asked.state, key).effects).toEqual([{ kind: 'quit' }]);
    // Any other key takes it back.
    expect(press(asked.state, 'j', key).effects).toEqual([]);
    const over = after(atStart, { kind: 'ended', job: 2, exit: 0, output: '' });
    expect(press(over, key).effects).toEqual([{ kind: 'quit' }]);
  });

  test.each([
    ['v', ['attachments', 'cat', '--', '--all']],
    ['o', ['open', '--', '--all']],
  ])('an id like an option stays an id: %s', (key, words) => {
    const id = '--all';
    const state = stateAt({ kind: 'files' }, { entries: [file(1, { id, row: { ...file(1).row, id } })] });
    expect(press(state, key).effects).toMatchObject([{ kind: 'run', words }]);
    const pulled = press(state, 'p', 'enter').effects;
    expect(pulled).toMatchObject([{ words: ['attachments', 'pull', '--to', 'files', '--', id] }]);
    expect(press(state, 'y').effects).toMatchObject([{ words: ['attachments', 'show', '--', id] }]);
  });

  test.each([0, 3, 6])('after exit %i of P those are verified that it kept', (exit) => {
    const { state } = press(files(), 'P', 'enter');
    const ended = after(state, { kind: 'ended', job: 2, exit, output: 'x', kept: ['att_1'] });
    expect([...ended.checks]).toEqual([['att_1', { state: 'verified' }]]);
  });

  test('P pulls the files of a list by its filter', () => {
    const state = stateAt({ kind: 'files', city: 'oslo' }, { entries: [file(1)] });
    expect(press(state, 'P', 'enter').effects).toMatchObject([
      { words: ['attachments', 'pull', '--city', 'oslo', '--to', 'files'] },
    ]);
    expect(press(list(), 'P').state.prompt).toBeUndefined();
  });

  describe('the files of a list', () => {
    const sized = (number: number, bytes: number | undefined, name: string) =>
      file(number, { name, row: { ...file(number).row, ...(bytes === undefined ? {} : { bytes }) } });
    const withheld = file(4, { name: 'kyoto 4', state: 'withheld', row: { id: 'att_4', redacted: true } });
    const files = [sized(1, 7000, 'kyoto 1'), sized(2, 1, 'oslo 2'), sized(3, 5000, 'Kyoto 3')];
    const filter = ['/', 'k', 'y', 'o', 't', 'o', 'enter'];

    test('P and Y are about those that the filter leaves', () => {
      const { state } = press(stateAt({ kind: 'files' }, { entries: files }), ...filter);
      const asked = press(state, 'P').state;
      expect(asked.prompt).toMatchObject({ what: '2 files (12.0 kB)', ids: ['att_1', 'att_3'] });
      const words = ['attachments', 'pull', '--to', 'files', 'att_1', 'att_3'];
      expect(press(asked, 'enter').effects).toMatchObject([{ kind: 'run', words }]);
      const printed = ['attachments', 'pull', '--dry-run', 'att_1', 'att_3'];
      expect(press(state, 'Y').effects).toEqual([{ kind: 'copy', words: printed }]);
    });

    test.each([
      [[...files, withheld], '3 of 4 files (12.0 kB)'],
      [[file(1)], '1 file'],
      [[sized(1, 7000, ''), file(2)], '2 files (at least 7.0 kB)'],
    ])('P says how many they are: %#', (entries, what) => {
      expect(press(stateAt({ kind: 'files' }, { entries }), 'P').state.prompt).toMatchObject({ what });
    });

    test.each([
      [{ kind: 'files' } as const, '4,061 files'],
      [{ kind: 'files', city: 'oslo' } as const, 'all files'],
    ])('of a list that is not read to its end, P knows what the service says: %j', (place, what) => {
      const state = stateAt(place, { entries: many(90).map((_, at) => file(at)), total: 4061, next: 'x' });
      expect(press(state, 'P').state.prompt).toMatchObject({ what });
    });

    test.each(['P', 'Y'])('%s refuses where it is not known which they are', (key) => {
      const list = press(stateAt({ kind: 'files' }, { entries: files, next: 'att_3' }), ...filter).state;
      const refused = press(list, key);
      expect(refused).toMatchObject({ effects: [], state: { prompt: undefined } });
      expect(refused.state.notice?.text).toContain('not all files with "kyoto" are known yet');
      const failed = press(after(list, { kind: 'failed', screen: 1, text: 'x' }), key);
      expect(failed.state.notice?.text).toContain('r reads the list again');
      const none = press(stateAt({ kind: 'files' }, { entries: [file(1)] }), ...filter, key);
      expect(none).toMatchObject({ effects: [], state: { notice: { text: 'no file has "kyoto"' } } });
    });

    test('P refuses where none has bytes', () => {
      const { state } = press(stateAt({ kind: 'files' }, { entries: [withheld] }), ...filter, 'P');
      expect(state.notice?.text).toBe('no file with "kyoto" has bytes to download');
    });
  });

  test('o opens what is chosen', () => {
    expect(press(list(), 'j', 'o').effects).toMatchObject([{ words: ['open', 'conv_2'] }]);
    expect(press(thread(), 'l', 'o').effects.at(-1)).toMatchObject({ words: ['open', 'msg_1'] });
  });
});

describe('each key of the help does something or says why not', () => {
  const sequence = () =>
    stateAt(
      { kind: 'sequence', name: 'arc' },
      { document: { kind: 'plot', name: 'arc', rows: [{ checked: 1, offset: 0 }], unchecked: 0 } },
    );
  const message1 = () =>
    stateAt(
      { kind: 'message', id: 'msg_1' },
      { document: { kind: 'message', message: readMessage('msg_1', 'a text') } },
    );
  const opened = () => press(files(), 'enter').state;
  const empty = () => stateAt({ kind: 'files', message: 'msg_1' }, { entries: [] });
  const placed = { empty, list, thread, files, opened, sequence, message1 };
  const keys = Object.entries(BINDINGS)
    .filter(([subject]) => subject !== 'Move')
    .flatMap(([, bindings]) => bindings.map((each) => each.keys[0]!));
  test.each(Object.entries(placed))('%s', (_, from) => {
    const silent = keys.filter((key) => {
      const before = press(from(), 'j').state;
      const { state, effects } = press(before, key);
      return (
        effects.length === 0 && state.notice === undefined && JSON.stringify(state) === JSON.stringify(before)
      );
    });
    expect(silent).toEqual([]);
  });
});

describe('what was said', () => {
  const pulling = press(files(), 'P', 'enter').state;
  const output = [
    'fixity ok, 2 files checked',
    'arx: 1 file is kept under another name than in the catalogue',
    'arx: 2 files are in my files; check later: arx attachments verify "my files"',
    'arx: 1 of 3 files is withheld [partial, exit 3]',
    '  kept: 2 files',
  ].join('\n');

  test('a command that could not give all says so with the reason, and its result stays to be read', () => {
    const { state } = press(after(pulling, { kind: 'ended', job: 2, exit: 3, output }), 'j', 'q');
    expect(state.notices.at(-1)).toMatchObject({
      text: '2 files are in my files; 1 of 3 files is withheld [partial, exit 3]: arx attachments pull --all --to files',
      style: 'warn',
      result: { exit: 3, output },
    });
    expect(state.unread).toBe(1);
    const read = press(state, '!').state;
    expect(read).toMatchObject({ overlay: { kind: 'notices', top: 0 }, unread: 0 });
    expect(press(read, 'q').state).toMatchObject({ overlay: undefined, screens: { length: 1 } });
  });

  test('a result that a row shows is not counted', () => {
    const checking = press(files(), 'v').state;
    expect(after(checking, { kind: 'ended', job: 2, exit: 0, output: '' }).unread).toBe(0);
    expect(after(checking, { kind: 'ended', job: 2, exit: 12, output: 'x' }).unread).toBe(1);
    const { notices } = after(checking, { kind: 'ended', job: 2, exit: 0, output: '' });
    expect(notices.at(-1)?.result?.output).toContain('its bytes have the SHA-256');
  });

  test('the last 50 are kept, and one that is repeated once', () => {
    const often = press(press(thread(), 'l').state, ...Array.from({ length: 9 }, () => 'J')).state;
    expect(often.notices.map(({ text }) => text)).toEqual(['this is the last one of the list']);
    const many = press(files(), ...Array.from({ length: 60 }, () => ['v', 'S']).flat()).state;
    expect(many.notices).toHaveLength(1);
    const two = Array.from({ length: 60 }, () => ['S', 'T', 'j', 'v', 'k']).flat();
    expect(press(files(), ...two).state.notices).toHaveLength(50);
  });
});

test('help scrolls, and any other key closes it without another effect', () => {
  const small = stateAt({ kind: 'conversations' }, { entries: many(3) }, { columns: 40, rows: 12 });
  const help = press(small, '?', 'j', 'j').state;
  expect(help.overlay).toEqual({ kind: 'help', top: 2 });
  const closed = press(help, 'q');
  expect(closed.state).toMatchObject({ overlay: undefined, screens: { length: 2 } });
  expect(closed.effects).toEqual([]);
  expect(press(help, 'ctrl-c').effects).toEqual([{ kind: 'quit' }]);
});

test('a click chooses a row, a click on the chosen row opens it', () => {
  const click = (row: number) => ({ kind: 'key', key: { name: 'click', row } }) as const;
  const state = after(list(), click(4));
  expect(cursor(state)).toBe(2);
  expect(placeOf(after(state, click(4)))).toEqual({ kind: 'thread', id: 'conv_3' });
  expect(after(list(3), click(10))).toMatchObject({ screens: [{}, { cursor: 0 }] });
});
