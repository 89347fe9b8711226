// `arx attachments sources`: counts the files of each source.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { Input, listCounts } from './counts.ts';

export { Input };

export function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  return listCounts('source', (row) => row.source ?? null, input, app);
}
