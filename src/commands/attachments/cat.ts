// `arx attachments cat ID…`: writes the bytes of files to standard output, verified by their hashes.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { fileStateWords, isAboveTier, isPullable } from '../../contract/attachment-file.ts';
import { FileLeftOut } from '../../download/download-limits.ts';
import { sha256Of } from '../../download/hash-of-row.ts';
import { MAX_HELD_BYTES, streamFile } from '../../download/held-stream.ts';
import { Fault } from '../../faults.ts';
import { formatBytes } from '../../format/numbers.ts';
import { LIMIT_INPUT, limitDownloads } from '../shared/download-limits.ts';
import { findRecords } from '../lists/find-record.ts';
import { withPipedIds } from '../shared/id-list.ts';
import { isOfOneRecord, withKindOfId } from '../lists/single-record.ts';
import { OTHER_TIER } from '../lists/withheld-rows.ts';
import { mayControlTerminal, refuseOutputForm, writeBytes } from '../shared/write-bytes.ts';
import { attachmentSource, ID_FIELDS } from './catalogue.ts';
import { idArgument } from '../../shell-words.ts';

export const Input = z.object({
  ids: z.array(z.string().min(1)).min(1),
  allowEscapeSequences: z.boolean().default(false),
  ...LIMIT_INPUT,
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  refuseOutputForm('attachments cat', app);
  const ids = await withPipedIds(input.ids, ID_FIELDS, app);
  if (ids.length === 0) throw new Fault('partial', 'no ids were given');
  const limited = limitDownloads(input, app);
  const leftOut: string[] = [];
  for await (const found of findRecords(ids, await attachmentSource(app), app)) {
    let isBegun = false;
    try {
      if ('fault' in found) throw withKindOfId(found.fault, 'attachment', found.id);
      await writeFile(found.row, input, app, () => (isBegun = true));
    } catch (error) {
      // After a part of a file, the next one would look like its rest.
      if (ids.length === 1 || isBegun || !isOfOneRecord(error)) throw error;
      if (error instanceof FileLeftOut) leftOut.push(found.id);
      limited.addFault(error);
    }
  }
  limited.end([...app.world.argv.filter((word) => !input.ids.includes(word)), ...leftOut]);
}

async function writeFile(row: Attachment, input: Input, app: App, onWrite: () => void): Promise<void> {
  const { id, bytes } = row;
  if (!isPullable(row)) {
    throw new Fault('partial', `${id} is ${fileStateWords(row)}: it has no bytes to write`, {
      hint: isAboveTier(row) ? OTHER_TIER : ({ arx }) => `${arx} attachments show ${idArgument(id)}`,
    });
  }
  const sha256 = sha256Of(row, `${id}: `);
  const access = await app.fileAccess();
  access.limits?.begin(id, bytes);
  const isWatched = mayControlTerminal(input, app);
  const shown: Uint8Array[] = [];
  const write = async (chunk: Uint8Array): Promise<void> => {
    if (isWatched) return void shown.push(chunk);
    onWrite();
    await app.printer.bytes(chunk);
  };
  await streamFile(
    { name: id, url: row.file_url, sha256, bytes },
    {
      ...access,
      world: app.world,
      retries: app.settings.retries.value,
      log: app.log,
      write,
      ...(isWatched ? { tooLarge: tooLarge(id) } : {}),
    },
  );
  if (isWatched) await writeBytes(Buffer.concat(shown), id, input, app);
}

function tooLarge(id: string): Fault {
  return new Fault('usage', `${id} is larger than ${formatBytes(MAX_HELD_BYTES)}, refused on a terminal`, {
    hint: '--allow-escape-sequences shows it anyway; a pipe or file gets the exact bytes',
  });
}
