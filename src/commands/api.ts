// `arx api PATH`: sends a GET request with the stored token and prints the body as received.
import * as z from 'zod';
import type { App } from '../app.ts';

export const Input = z.object({ path: z.string().regex(/^\//, 'must begin with /') });

/** Runs `arx api`. */
export async function run({ path }: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const { body, text } = await client.get(path);
  // A terminal would act on control characters; a pipe gets the bytes as they came.
  if (app.world.stdout.isTTY) await app.printer.text(text);
  else await app.printer.bytes(body);
}
