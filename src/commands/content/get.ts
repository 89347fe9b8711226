// `arx content get MSG`: one content record, with --raw its stored bytes alone, or with --save all of it in a folder.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Content, RawRecord } from '../../contract/content.ts';
import { Fault } from '../../faults.ts';
import { contentView } from '../../format/views/index.ts';
import { save } from './save-content.ts';
import { storedBytes } from './stored-bytes.ts';

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
    throw new Fault('usage', '--raw gives the stored bytes alone and takes no output form');
  }
  if (input.raw && input.view === 'lore')
    throw new Fault('usage', '--raw gives the stored bytes, which the lore view has not: choose one');
  if (input.raw && input.save !== undefined)
    throw new Fault('usage', '--save keeps the stored bytes too: choose it or --raw');
  if (input.force && input.save === undefined && !app.isRecorded)
    throw new Fault('usage', '--force goes with --save DIR');
  const client = await app.client();
  const { body, text } = await client.content(input.message, {
    view: input.view,
    include_stego: input.stego,
    include_pipeline: input.pipeline,
  });
  if (input.raw) await writeStored(body.data as RawRecord, input, app);
  else if (input.save !== undefined)
    await save({ ...input, dir: input.save, content: body as Content, text }, app);
  // Another service's raw view has a shape of its own; the view shows whatever fields there are.
  else await app.printer.record(contentView, body as Content);
}

async function writeStored(record: RawRecord, input: z.infer<typeof Input>, app: App): Promise<void> {
  const stored = await storedBytes(record, input.message, app);
  // A terminal would act on what the archive holds.
  const risky = app.world.stdout.isTTY && stored.some((byte) => byte < 32 && ![9, 10, 13].includes(byte));
  if (risky && !input.allowEscapeSequences) {
    throw new Fault('usage', `${input.message} holds control characters, refused on a terminal`, {
      hint: '--allow-escape-sequences shows them anyway; a pipe or file gets the exact bytes',
    });
  }
  await app.printer.bytes(stored);
}
