// The error message of a schema: one line that names the field, what it must be, and what is there instead.
import type * as z from 'zod';

type Check = {
  /** Where the value stands, before the path in it. */
  place?: readonly string[];
  /** Describes the value that does not fit. Default: its type alone, so that the value is never quoted. */
  describe?(given: unknown): string;
};

/**
 * Returns a text like `payload.sequence: must be a whole number, not text` or `payload.entry: is missing, must be text`.
 * `value` is what was checked. The path of the whole value is `$`.
 */
export function validationMessage(
  error: z.ZodError,
  value: unknown,
  { place = [], describe = typeWords }: Check = {},
): string {
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const where = [...place, ...path].map(String).join('.') || '$';
  const given = path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
  return `${where}: ${issue === undefined ? 'invalid' : problemOf(issue, given, describe)}`;
}

const TYPES = new Map<string, string>([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

function problemOf(issue: z.core.$ZodIssue, given: unknown, describe: (given: unknown) => string): string {
  // A schema may have words of its own.
  if (!/^(?:Invalid|Too (?:small|big))\b/.test(issue.message))
    return `${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_type') {
    const type = TYPES.get(issue.expected) ?? issue.expected;
    if (given === undefined) return `is missing, must be ${type}`;
    const words = describe(given);
    return `must be ${type}${words === 'a number' && type.endsWith('number') ? '' : `, not ${words}`}`;
  }
  const isText = 'origin' in issue && issue.origin === 'string';
  if (issue.code === 'too_small')
    return isText ? 'must not be empty' : `must be at least ${String(issue.minimum)}`;
  if (issue.code === 'too_big')
    return isText
      ? `must have at most ${String(issue.maximum)} characters`
      : `must be at most ${String(issue.maximum)}`;
  return `${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
}

function typeWords(value: unknown): string {
  if (value === null) return 'null';
  return TYPES.get(Array.isArray(value) ? 'array' : typeof value) ?? 'a value';
}
