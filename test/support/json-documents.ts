// Random JSON texts in every spelling: white space, escapes, numbers that JavaScript cannot hold.
import fc from 'fast-check';

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${maxLength}}$`));

/** A number as JSON may spell it, within the range of 64 bits. */
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,24}$/)),
    fc.oneof(
      fc.constant(''),
      digits(24).map((fraction) => `.${fraction}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc
        .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(4))
        .map((parts) => parts.join('')),
    ),
  )
  .map((parts) => parts.join(''))
  .filter((text) => Number.isFinite(Number(text)));

/** A character of a string as JSON may spell it, without NUL and without half of a surrogate pair. */
const character = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...Array.from('abc/:{}[],e1 é語💌\u2028\u00a0\u007f\ufeff')) },
  fc.constantFrom('\\n', '\\t', '\\"', '\\\\', '\\/', '\\b', '\\f', '\\r'),
  fc.constantFrom(
    '\\u0001',
    '\\u001F',
    '\\u00e9',
    '\\u00E9',
    '\\u2028',
    '\\ud83d\\udc8c',
    '\\u0022',
    '\\u005c',
  ),
);
const string = fc.array(character, { maxLength: 8 }).map((all) => `"${all.join('')}"`);

const space = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.stringMatching(/^[ \t\r\n]{1,3}$/));

const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    number,
    string,
    fc.constantFrom('true', 'false', 'null'),
    tie('object'),
    tie('array'),
  ),
  object: fc
    .tuple(space, fc.array(fc.tuple(string, space, space, tie('value'), space), { maxLength: 5 }))
    .map(([inner, members]) => {
      const byKey = new Map(members.map((member) => [JSON.parse(member[0]) as string, member]));
      return `{${inner}${[...byKey.values()].map(([key, a, b, each, c]) => `${key}${a}:${b}${each}${c}`).join(`,${inner}`)}}`;
    }),
  array: fc
    .tuple(space, fc.array(fc.tuple(tie('value'), space), { maxLength: 5 }))
    .map(([inner, items]) => `[${inner}${items.map((item) => item.join('')).join(`,${inner}`)}]`),
}));

/** The text of any JSON value. */
export const jsonDocument: fc.Arbitrary<string> = value;
