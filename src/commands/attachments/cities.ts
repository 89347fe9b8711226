// `arx attachments cities`: counts the files of each city.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { Input, listCounts } from './counts.ts';

export { Input };

export function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  return listCounts('city', (row) => row.origin_city ?? null, input, app);
}
