// `arx content get MSG`: one content record, or with --raw its stored bytes checked against their hash.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { openFile } from '../../client/files.ts';
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
  const { raw_base64: within, raw_url: address, sha256, withheld = [] } = record;
  if (typeof within !== 'string' && typeof address !== 'string') {
    const reason = withheld.length === 0 ? 'are not given' : `hold withheld files: ${withheld.join(', ')}`;
    throw new Fault('partial', `the bytes of ${input.message} ${reason}`, {
      kept: 'nothing was written',
      hint: `arx content get ${input.message} shows the message without them`,
    });
  }
  if (sha256 === undefined) {
    throw new Fault('protocol', `the service does not send the sha256 of ${input.message}`);
  }
  const stored =
    typeof within === 'string'
      ? Buffer.from(within, 'base64')
      : await fetched(address!, record.bytes ?? MOST_STORED_BYTES, input.message, app);
  const actual = createHash('sha256').update(stored).digest('hex');
  if (!sameHash(actual, sha256)) {
    throw new Fault('integrity', `${input.message}: stored bytes differ: expected ${sha256}, got ${actual}`, {
      kept: 'nothing was written',
    });
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

/** More than any message that an import takes. */
const MOST_STORED_BYTES = 64 * 1024 * 1024;

/** The bytes at `address`, held until they are checked: not one more than there should be. */
async function fetched(address: string, bytes: number, message: string, app: App): Promise<Buffer> {
  if (bytes > MOST_STORED_BYTES) {
    throw new Fault(
      'protocol',
      `${message} claims ${bytes} bytes, more than the ${MOST_STORED_BYTES} that are read`,
    );
  }
  const access = await app.files();
  const retries = app.settings.retries.value;
  const file = await openFile(address, { ...access, world: app.world, retries, log: app.log });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of file.bytes) {
    length += chunk.byteLength;
    if (length > bytes) {
      throw new Fault('integrity', `${message}: stored bytes differ: more than the ${bytes} expected`, {
        kept: 'nothing was written',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
