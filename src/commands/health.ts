// `arx health`: shows the health of the service, asked without a token.
import * as z from 'zod';
import type { App } from '../app.ts';
import { healthView } from '../format/views/index.ts';

export const Input = z.object({});

/** Runs `arx health`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.anonymousClient();
  const { body } = await client.health();
  await app.printer.record(healthView, body);
}
