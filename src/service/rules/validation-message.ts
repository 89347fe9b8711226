// What a schema found wrong, as one line that names the path and never quotes the value.
import type * as z from 'zod';

/** e.g. `payload.sequence: invalid input: expected number, received string`; the whole value is `$`. */
export function validationMessage(error: z.ZodError, prefix: readonly string[] = []): string {
  const issue = error.issues[0];
  const path = [...prefix, ...(issue?.path ?? [])].map(String).join('.');
  const message = issue?.message ?? 'invalid';
  return `${path || '$'}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}
