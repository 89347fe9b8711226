// Reads what commander parsed into the shape that a command or the program expects.
import * as z from 'zod';
import { nearest } from '../contract/nearest.ts';
import { validationMessage } from '../contract/validation-message.ts';
import { Fault } from '../faults.ts';

/**
 * Returns `given` as `schema` reads it. `argumentNames` are the names of arguments; all others are options.
 * Throws Fault 'usage', which names the option or argument, where a value does not fit.
 */
export function readInput<T extends z.ZodType>(
  schema: T,
  given: Record<string, unknown>,
  argumentNames: readonly string[] = [],
): z.infer<T> {
  // A program that zod compiles for the schema would cost more than the one input that is read.
  const parsed = schema.safeParse(given, { jitless: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const key = String(issue?.path[0] ?? '');
  const option = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const typed = given[key];
  const choices = issue?.code === 'invalid_value' ? issue.values.map(String) : [];
  const meant = typeof typed === 'string' ? nearest(typed, choices) : undefined;
  const problem = validationMessage(parsed.error, given).replace(/^[^:]*: /, '');
  throw new Fault(
    'usage',
    `${argumentNames.includes(key) ? `<${key}>` : option}: ${problem}`,
    meant === undefined ? {} : { hint: `did you mean: ${meant}` },
  );
}
