// `arx about api`: lists which facts of the interface are documented and which are assumed.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { FACTS } from '../../contract/facts/index.ts';
import { factView } from '../../format/views/index.ts';

export const Input = z.object({});

/** Runs `arx about api`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  await app.printer.list(factView, {
    status: 'stable',
    rows: FACTS,
    summary: () => ({ rows: FACTS.length, complete: true }),
  });
}
