// The error message of a schema: one line that names the path and never quotes the value.
import type * as z from 'zod';

/**
 * Returns a text like `payload.sequence: invalid input: expected number, received string`. The path of the whole value is
 * `$`; `prefix` stands before the path.
 */
export function validationMessage(error: z.ZodError, prefix: readonly string[] = []): string {
  const issue = error.issues[0];
  const path = [...prefix, ...(issue?.path ?? [])].map(String).join('.');
  const message = issue?.message ?? 'invalid';
  return `${path || '$'}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}
