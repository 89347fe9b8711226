// `arx content get MSG`: shows one content record; --raw writes its stored bytes alone, --save saves all of it in a folder.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { ForeignContent, Reply } from '../../client/index.ts';
import type { Content, RawRecord } from '../../contract/content.ts';
import type { WindowQuery } from '../../contract/window.ts';
import { Fault } from '../../faults.ts';
import { controlsTerminal } from '../../format/terminal/escape.ts';
import { contentView } from '../../format/views/index.ts';
import { findRecord } from '../find-record.ts';
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

/** Throws Fault `not_found` only where our service says that there is no such message, or the whole list of messages does. */
async function readContent(input: z.infer<typeof Input>, app: App): Promise<Reply<Content | ForeignContent>> {
  const client = await app.client();
  const { message, view, stego: include_stego, pipeline: include_pipeline } = input;
  try {
    const reply = await client.content(message, { view, include_stego, include_pipeline });
    const { id } = reply.body.data;
    if (id === undefined || id === message) return reply;
    throw new Fault('protocol', `asked for ${message}, the service answered with another record`);
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'not_found' || error.detail.isFromOurService) throw error;
    app.log(`${message}: ${error.message}; the list of messages decides whether there is such a message`);
  }
  const page = async (window: WindowQuery) => (await client.messages(window)).body;
  await findRecord(message, { noun: 'message', page }, app);
  throw new Fault('partial', `the service lists ${message} and has no content record of it`);
}

async function writeStored(record: RawRecord, input: z.infer<typeof Input>, app: App): Promise<void> {
  const stored = await storedBytes(record, input.message, app);
  if (app.world.stdout.isTTY && !input.allowEscapeSequences && controlsTerminal(stored)) {
    throw new Fault('usage', `${input.message} holds control characters, refused on a terminal`, {
      hint: '--allow-escape-sequences shows them anyway; a pipe or file gets the exact bytes',
    });
  }
  await app.printer.bytes(stored);
}
