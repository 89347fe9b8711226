// Finds where a text stops being JSON. What JSON.parse says quotes the text, differs between versions and often has no position.
import { isJson } from '../../contract/json-text.ts';

/** `at`: the character where the text is wrong, from 1. `expected`: what may stand there. */
export type JsonError = { at: number; expected: string; hint: string };

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/sy;
const SCALAR = /[^\s,:[\]{}"]+/y;

/** What may come next. */
type Next = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'separator';

const EXPECTED: Record<Next, string> = {
  value: 'a value',
  'first value': 'a value or ]',
  key: 'a name in double quotes',
  'first key': 'a name in double quotes or }',
  colon: 'a colon',
  separator: 'a comma or a closing bracket',
};

/** Returns where a text stops being JSON; undefined where it does not. `example`: such a text, for the hint. */
export function findJsonError(text: string, example: string): JsonError | undefined {
  /** The closing bracket of each open one. */
  const open: string[] = [];
  let next: Next = 'value';
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text) || (pattern !== SPACE && !isJson(text.slice(at, pattern.lastIndex))))
      return false;
    at = pattern.lastIndex;
    return true;
  };
  const isAtEnd = (): boolean => next === 'separator' && open.length === 0;
  for (;;) {
    skip(SPACE);
    if (at >= text.length) return isAtEnd() ? undefined : errorAt(text, at, next, example);
    if (isAtEnd())
      return { at: at + 1, expected: 'the end', hint: 'one object is sent, without text behind it' };
    const following = step(text[at]!, next, open);
    if (following !== undefined) {
      at += 1;
      next = following;
    } else if (next.endsWith('key') && skip(STRING)) next = 'colon';
    else if (next.endsWith('value') && (skip(STRING) || skip(SCALAR))) next = 'separator';
    else return errorAt(text, at, next, example);
  }
}

/** Returns what may follow a bracket, comma or colon; undefined for another character, or where it may not stand. */
function step(character: string, next: Next, open: string[]): Next | undefined {
  const isEmpty = next === (open.at(-1) === '}' ? 'first key' : 'first value');
  if (character === open.at(-1) && (isEmpty || next === 'separator')) {
    open.pop();
    return 'separator';
  }
  if (character === ',' && next === 'separator') return open.at(-1) === '}' ? 'key' : 'value';
  if (character === ':' && next === 'colon') return 'value';
  if (!next.endsWith('value') || (character !== '{' && character !== '[')) return undefined;
  open.push(character === '{' ? '}' : ']');
  return character === '{' ? 'first key' : 'first value';
}

function errorAt(text: string, at: number, next: Next, example: string): JsonError {
  return { at: at + 1, expected: EXPECTED[next], hint: hintAt(text, at, example) };
}

function hintAt(text: string, at: number, example: string): string {
  if (at >= text.length) return 'the text ends there: a bracket, a comma or a value is missing';
  if (/^[}\]]/.test(text.slice(at, at + 1)) && text.slice(0, at).trimEnd().endsWith(','))
    return 'leave out the comma before it';
  if (text[at] !== '"') return `names and texts stand in double quotes: ${example}`;
  STRING.lastIndex = at;
  return STRING.test(text)
    ? 'in a text, a line break is written \\n, and a backslash \\\\'
    : 'the quotation mark there is never closed';
}
