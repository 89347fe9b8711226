// `arx attachments types`: counts the files of each content type.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { Input, listCounts } from './counts.ts';

export { Input };

export function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  return listCounts('type', (row) => row.content_type ?? null, input, app);
}
