// `arx health`: the service's health, asked without a token.
import * as z from 'zod';
import type { App } from '../app.ts';
import { healthView } from '../format/views/index.ts';

export const Input = z.object({});

export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.anonymousClient();
  const { body } = await client.health();
  await app.printer.record(healthView, body);
}
