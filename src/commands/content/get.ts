// `arx content get MSG`: shows one content record; --raw writes its stored bytes alone, --save saves all of it in a folder.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Content, RawRecord } from '../../contract/content.ts';
import { Fault } from '../../faults.ts';
import { contentView } from '../../format/views/index.ts';
import { readContent } from './read-content.ts';
import { save } from './save-content.ts';
import { writeStored } from './write-stored.ts';

export const Input = z.object({
  message: z.string().min(1),
  view: z.enum(['raw', 'lore']).default('raw'),
  pipeline: z.boolean().default(false),
  stego: z.boolean().default(false),
  raw: z.boolean().default(false),
  save: z.string().min(1).optional(),
  force: z.boolean().default(false),
  allowEscapeSequences: z.boolean().default(false),
});

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  if (input.raw && app.settings.output.origin === 'flag') {
    throw new Fault('usage', '--raw writes the stored bytes alone, so it does not go with an output form');
  }
  if (input.raw && input.view === 'lore')
    throw new Fault('usage', '--raw writes the stored bytes, which the lore view does not have: choose one');
  if (input.raw && input.save !== undefined)
    throw new Fault('usage', '--save keeps the stored bytes too: choose it or --raw');
  if (input.force && input.save === undefined && !app.isRecorded)
    throw new Fault('usage', '--force goes with --save DIR');
  const { body, text } = await readContent(input, app);
  if (input.raw) await writeStored(body.data as RawRecord, input, app);
  else if (input.save !== undefined)
    await save({ ...input, dir: input.save, content: body as Content, text }, app);
  // The raw view of another service may have other fields; all that exist are shown.
  else await app.printer.record(contentView, body as Content);
}
