// Makes inputs for fuzzing: draws by seed and number, texts from a corpus and the pieces of a format, JSON values from JSON values.

/** Numbers that follow from a seed and the number of an input. */
export type Draw = {
  /** Begins the draws of an input. */
  restart(seed: number, index: number): void;
  /** Returns a whole number from 0, less than `end`. */
  below(end: number): number;
  of<T>(list: readonly T[]): T;
};

export function createDraw(): Draw {
  let state = 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const below = (end: number): number => Math.floor((next() / 4_294_967_296) * end);
  return {
    restart(seed, index) {
      state = Math.imul(seed, 0x85ebca6b);
      next();
      state = Math.imul(state ^ index, 0xc2b2ae35);
      next();
    },
    below,
    of: (list) => list[below(list.length)]!,
  };
}

/** Numbers at the edge of what some type holds, or of no type at all. */
export const EDGE_NUMBERS: readonly string[] = [
  '0',
  '-0',
  '-1',
  '1',
  '00',
  '007',
  '70',
  '71',
  '127',
  '128',
  '255',
  '256',
  '998',
  '999',
  '1000',
  '4095',
  '4096',
  '65535',
  '65536',
  '2147483647',
  '2147483648',
  '4294967295',
  '4294967296',
  '9007199254740991',
  '9007199254740993',
  '18446744073709551616',
  '9'.repeat(40),
  '0.1',
  '1e3',
  '1e400',
  '-1e-400',
  '0x10',
  'NaN',
  'Infinity',
];

/** Texts that readers of any format have stumbled over. Bytes as Latin-1. */
export const NASTY_TEXTS: readonly string[] = [
  '',
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\n\n',
  ' ',
  '\t',
  '\v',
  '\x7f',
  '\x85',
  '\x9b2J',
  '\x1b[2J',
  '\xef\xbb\xbf',
  '\xff\xfe',
  '\xc3',
  '\xed\xa0\x80',
  '\xf0\x9f\x91\x8d',
  '\xe2\x80\xae',
  '..',
  '../',
  '/',
  '//',
  '~',
  '.',
  '%2e%2e',
  '%',
  '%00',
  '%ff',
  '\\',
  '\\\\',
  '"',
  "'",
  '<',
  '>',
  '&',
  ';',
  ':',
  '=',
  ',',
  '__proto__',
  'constructor',
  'toString',
  'con',
  'null',
  '[]',
  '{}',
  '*',
  '?',
  '#',
  '@',
];

/** What texts are made from. Texts hold bytes, as Latin-1. */
export type TextGrammar = {
  /** Whole inputs: valid ones, and all that failed once. */
  corpus: readonly string[];
  /** Pieces that the format is made of. */
  tokens: readonly string[];
  /** Longer inputs are cut. */
  maxBytes?: number;
};

/** Returns a function that draws texts: an entry of the corpus, or pieces of the format, with up to four changes. */
export function textsOf(grammar: TextGrammar): (draw: Draw) => string {
  const { corpus, tokens } = grammar;
  const changesOf = textChanges(grammar);
  return (draw) =>
    changesOf(
      draw.below(4) === 0
        ? Array.from({ length: draw.below(16) }, () => draw.of(tokens)).join('')
        : draw.of(corpus),
      draw,
    );
}

/** Returns a function that makes up to four changes in a text. */
export function textChanges({
  corpus,
  tokens,
  maxBytes = 2_000,
}: TextGrammar): (given: string, draw: Draw) => string {
  const pieces = [...tokens, ...tokens, ...NASTY_TEXTS, ...EDGE_NUMBERS];
  return (given, draw) => {
    let text = given;
    // One of sixteen stays as it is.
    for (let changes = draw.below(16); changes > 0; changes = changes > 1 ? changes >> 1 : 0)
      text = changed(text, draw, pieces, corpus).slice(0, maxBytes);
    return text;
  };
}

const LINE = /\n/g;

/** Returns where a piece may stand: anywhere, or at the beginning of a line. */
function placeIn(text: string, draw: Draw): number {
  const at = draw.below(text.length + 1);
  if (draw.below(2) === 0) return at;
  LINE.lastIndex = at;
  return LINE.exec(text) === null ? text.length : LINE.lastIndex;
}

/** Returns where the part that begins at `at` ends: after few characters, at the end of its line, or anywhere. */
function endOf(text: string, at: number, draw: Draw): number {
  const kind = draw.below(3);
  if (kind === 0) return Math.min(text.length, at + 1 + draw.below(8));
  if (kind === 1) return at + draw.below(text.length - at + 1);
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function changed(text: string, draw: Draw, pieces: readonly string[], corpus: readonly string[]): string {
  const at = placeIn(text, draw);
  const end = endOf(text, at, draw);
  switch (draw.below(9)) {
    case 0:
    case 1:
      return text.slice(0, at) + draw.of(pieces) + text.slice(at);
    case 2:
      return text.slice(0, at) + draw.of(pieces) + text.slice(end);
    case 3:
      return text.slice(0, at) + text.slice(end);
    case 4:
      return text.slice(0, end) + text.slice(at, end).repeat(1 + draw.below(4) ** 3) + text.slice(end);
    case 5: {
      const other = draw.of(corpus);
      return text.slice(0, at) + other.slice(placeIn(other, draw));
    }
    case 6:
      return text.slice(0, at) + String.fromCharCode(draw.below(256)) + text.slice(at + 1);
    case 7: {
      const number = /\d+/.exec(text.slice(at));
      if (number === null) return text + draw.of(EDGE_NUMBERS);
      const from = at + number.index;
      return text.slice(0, from) + draw.of(EDGE_NUMBERS) + text.slice(from + number[0].length);
    }
    default:
      return text.slice(0, at);
  }
}

/** Returns a function that draws JSON values: one of the corpus with up to four parts replaced, removed, repeated or renamed. */
export function jsonOf(corpus: readonly unknown[], scalars: readonly unknown[]): (draw: Draw) => unknown {
  const parts: unknown[] = [];
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    parts.push(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(name);
      collect(part);
    }
  };
  for (const value of corpus) collect(value);
  const keys = [...names, '__proto__', 'constructor', 'toString', ''];
  const odd: readonly unknown[] = [
    ...scalars,
    null,
    true,
    false,
    [],
    {},
    [[]],
    ...NASTY_TEXTS,
    0,
    -1,
    0.5,
    1e308,
    -0,
    2 ** 53,
    2 ** 53 + 2,
    ''.padEnd(300, 'x'),
  ];
  const replacement = (draw: Draw): unknown => (draw.below(2) === 0 ? draw.of(odd) : draw.of(parts));
  const change = (value: unknown, draw: Draw): unknown => {
    if (typeof value !== 'object' || value === null || draw.below(4) === 0) return replacement(draw);
    if (Array.isArray(value)) {
      const at = draw.below(value.length + 1);
      const part: unknown = value[at];
      const kind = draw.below(8);
      if (at === value.length || kind === 0)
        return [...value.slice(0, at), replacement(draw), ...value.slice(at)];
      if (kind === 1) return [...value.slice(0, at), ...value.slice(at + 1)];
      if (kind === 2) return [...value, part];
      return [...value.slice(0, at), change(part, draw), ...value.slice(at + 1)];
    }
    const entries = Object.entries(value);
    const kind = draw.below(8);
    if (entries.length === 0 || kind === 0) return { ...value, [draw.of(keys)]: replacement(draw) };
    const at = draw.below(entries.length);
    const [name, part] = entries[at]!;
    if (kind === 1) return Object.fromEntries(entries.filter((_, index) => index !== at));
    if (kind === 2) return Object.fromEntries(entries.with(at, [draw.of(keys), part]));
    return { ...value, [name]: change(part, draw) };
  };
  return (draw) => {
    let value = draw.of(corpus);
    for (let changes = draw.below(5); changes > 0; changes -= 1) value = change(value, draw);
    return value;
  };
}
