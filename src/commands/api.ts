// `arx api PATH`: any GET with the stored token, body as received.
import * as z from 'zod';
import type { App } from '../app.ts';

export const Input = z.object({ path: z.string().regex(/^\//, 'must begin with /') });

export async function run({ path }: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const { body, text } = await client.get(path);
  // On a terminal the archive's text would act; a pipe gets the body untouched.
  if (app.world.stdout.isTTY) await app.printer.text(text);
  else await app.printer.bytes(body);
}
