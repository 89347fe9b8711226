// `arx attachments show ID`: shows one row of the catalogue; --open opens its file, --preview draws it.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { fileStateOf } from '../../contract/attachment-file.ts';
import { Fault } from '../../faults.ts';
import { attachmentView, attachmentViewWithoutUrl } from '../../format/views/index.ts';
import { changesAmong, countContradictions } from '../lists/contradictions.ts';
import { findRecord } from '../lists/find-record.ts';
import { hasFileAddresses } from '../shared/file-addresses.ts';
import { attachmentSource } from './catalogue.ts';
import { openAttachment } from './open-file.ts';
import { checkPreview, drawPreview, previewHeading } from './preview.ts';
import { UnusableHashes } from './unusable-hashes.ts';

export const Input = z.object({
  id: z.string().min(1),
  open: z.boolean().default(false),
  preview: z.boolean().default(false),
  force: z.boolean().default(false),
});

export async function run({ id, open, preview, force }: z.infer<typeof Input>, app: App): Promise<void> {
  if (force && !open && !app.isRecorded) throw new Fault('usage', '--force goes with --open');
  if (preview) checkPreview(id, app);
  const row = await findRecord(id, await attachmentSource(app), app);
  const state = fileStateOf(row);
  // The record would push the picture off the screen.
  if (preview && !app.printer.hasFields) await app.printer.picture(() => [previewHeading(row)]);
  else {
    const view = hasFileAddresses(app) ? attachmentView : attachmentViewWithoutUrl;
    await app.printer.record(view, app.printer.selects('state') ? { ...row, state } : row);
  }
  countContradictions(app, undefined, changesAmong((await app.client()).changesOf('attachments'), [id]));
  const hashes = new UnusableHashes();
  hashes.add(row);
  hashes.fail(app);
  if (app.strict && state !== 'available') app.addFault(new Fault('partial', `${id} is ${state}`));
  if (preview) await drawPreview(row, app);
  if (open) await openAttachment(row, force, app);
}
