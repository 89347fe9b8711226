// `arx redact ID`: withholds a file of the local archive; `--undo` makes it readable again.
import * as z from 'zod';
import type { App } from '../app.ts';
import { fileStateOf } from '../contract/attachment-file.ts';
import { Fault } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import { attachmentViewWithoutUrl } from '../format/views/index.ts';
import { CONFIRM_INPUT, confirm } from './shared/confirm.ts';
import { DATABASE_INPUT, archivePlace } from './archive/database-option.ts';
import { absence } from './lists/find-record.ts';
import { withKindOfId } from './lists/single-record.ts';

export const Input = z.object({
  id: z.string().min(1),
  reason: z.string().min(1).max(500).default('redacted by the operator'),
  undo: z.boolean().default(false),
  ...CONFIRM_INPUT,
  ...DATABASE_INPUT,
});

/** Returns the Fault for an id of no file. The text of a message cannot be withheld, only its files. */
function notAFile(id: string): Error {
  const fault = withKindOfId(absence('attachment', id, undefined), 'attachment', id);
  if (fault.kind !== 'usage') return fault;
  return new Fault('usage', `${id} is no file: only files can be withheld, not the text of messages`, {
    hint: ({ arx }) =>
      `the files of a message: ${arx} attachments ls --message MSG; its text is withheld from lower tiers where its mail is imported again with --tier mirror`,
  });
}

/** Runs `arx redact`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  if (app.isRemote)
    throw new Fault('usage', 'redact works on the local archive only, and a base URL is set', {
      hint: 'run it on the machine of the service. The same id of the local archive is another file: arx --local attachments ls',
    });
  const place = (await archivePlace(input, app)) ?? { dir: app.directories.data };
  const archive = await app.openArchive({ ...place, mustExist: true });
  const { redact, rowsOfSameFile, unredact } = await import('../service/administration.ts');
  const { rows, redacted } = await rowsOfSameFile(archive, input.id);
  if (rows === 0) throw notAFile(input.id);
  const copies = rows === 1 ? '' : ` (${plural(rows, 'attachment')} with the same bytes)`;
  const file = `${input.id}${copies}`;
  const what = input.undo ? `make ${file} readable again` : `withhold ${file}`;
  const isNothing = input.undo && redacted === 0;
  if (isNothing) app.notice(`${input.id} is not redacted: nothing to undo`);
  else if (input.dryRun) app.notice(`dry run, nothing is changed; would ${what}`);
  else {
    await confirm(`${what}?`, input, app);
    if (input.undo) await unredact(archive, input.id);
    else await redact(archive, input.id, input.reason);
  }
  const client = await app.client();
  const { body } = await client.attachment(input.id);
  const state = fileStateOf(body);
  await app.printer.record(
    attachmentViewWithoutUrl,
    app.printer.selects('state') ? { ...body, state } : body,
  );
  if (!isNothing && !input.dryRun && rows > 1)
    app.notice(`${plural(rows, 'attachment')} with the same bytes were changed`);
}
