// `arx attachments show ID`: one row of the catalogue.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { attachmentView } from '../../format/views.ts';

export const Input = z.object({ id: z.string().min(1) });

export async function run({ id }: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const { body } = await client.attachment(id);
  await app.printer.record(attachmentView, body);
  if (app.strict && body.redacted) app.fail(new Fault('partial', `${id} is withheld`));
}
