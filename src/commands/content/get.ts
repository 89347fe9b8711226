// `arx content get MSG`: one content record, or with --raw its stored bytes checked against their hash.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Content, RawRecord } from '../../contract/content.ts';
import { sameHash } from '../../contract/quantity.ts';
import { Fault } from '../../faults.ts';
import { contentView } from '../../format/views.ts';

export const Input = z.object({
  message: z.string().min(1),
  view: z.enum(['raw', 'lore']).default('raw'),
  pipeline: z.boolean().default(false),
  stego: z.boolean().default(false),
  raw: z.boolean().default(false),
  allowEscapeSequences: z.boolean().default(false),
});

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  if (input.raw && app.settings.output.origin === 'flag') {
    throw new Fault('usage', '--raw gives the stored bytes alone and takes no output form');
  }
  const client = await app.client();
  const { body } = await client.content(input.message, {
    view: input.raw ? 'raw' : input.view,
    include_stego: input.stego,
    include_pipeline: input.pipeline,
  });
  if (input.raw) await writeStored(body.data as RawRecord, input, app);
  // Another service's raw view has a shape of its own; the view shows whatever fields there are.
  else await app.printer.record(contentView, body as Content);
}

async function writeStored(record: RawRecord, input: z.infer<typeof Input>, app: App): Promise<void> {
  if (record.raw_base64 === undefined && record.withheld !== undefined && record.withheld.length > 0) {
    throw new Fault(
      'partial',
      `the bytes of ${input.message} hold withheld files: ${record.withheld.join(', ')}`,
      {
        kept: 'nothing was written',
        hint: `arx content get ${input.message} shows the message without them`,
      },
    );
  }
  if (record.raw_base64 === undefined || record.sha256 === undefined) {
    throw new Fault('protocol', `the service does not send the stored bytes of ${input.message}`);
  }
  const stored = Buffer.from(record.raw_base64, 'base64');
  const actual = createHash('sha256').update(stored).digest('hex');
  if (!sameHash(actual, record.sha256)) {
    throw new Fault(
      'integrity',
      `${input.message}: stored bytes differ: expected ${record.sha256}, got ${actual}`,
      {
        kept: 'nothing was written',
      },
    );
  }
  // A terminal would act on what the archive holds.
  const risky = app.world.stdout.isTTY && stored.some((byte) => byte < 32 && ![9, 10, 13].includes(byte));
  if (risky && !input.allowEscapeSequences) {
    throw new Fault('usage', `${input.message} holds control characters, refused on a terminal`, {
      hint: '--allow-escape-sequences shows them anyway; a pipe or file gets the exact bytes',
    });
  }
  await app.printer.bytes(stored);
}
