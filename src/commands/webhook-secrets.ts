// Secrets of webhooks from a file that is its owner's alone; nothing of them is ever shown.
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import { readPrivate } from '../config/private-file.ts';
import { parseSecrets } from '../contract/signature.ts';
import { Fault } from '../faults.ts';

/**
 * The secrets of a file, one `whsec_…` a line. A mode open to others is mended with a notice. Throws a usage Fault for a
 * file that is missing or holds anything else, a store Fault for a link or another owner's file.
 */
export function readWebhookSecrets(file: string, app: App): Uint8Array[] {
  const bytes = readPrivate(resolve(app.world.cwd, file), app.storeWorld);
  if (bytes === undefined) throw new Fault('usage', `cannot read the secret file ${file}`);
  const secrets = parseSecrets(bytes.toString('latin1'));
  if (typeof secrets === 'string') throw new Fault('usage', `secret file ${file}: ${secrets}`);
  return secrets;
}
