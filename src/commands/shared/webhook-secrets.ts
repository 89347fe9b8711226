// Reads the secrets of signed events from a file that only its owner may read.
import { resolve } from 'node:path';
import type { App } from '../../app.ts';
import { collectBytes } from '../../config/input-file.ts';
import { readPrivate } from '../../config/private-file.ts';
import { parseSecrets } from '../../contract/signature.ts';
import { Fault } from '../../faults.ts';

/** Kept in memory. */
const MAX_SECRETS_BYTES = 64 * 1024;

/**
 * Returns the secrets of a file, or of standard input for `-`, one `whsec_…` a line. A mode that lets others read it is corrected, with a notice.
 * Throws Fault 'usage' for a file that is missing or has other lines, Fault 'store' for a link or a file of another
 * owner. No message contains a secret.
 */
export async function readWebhookSecrets(file: string, app: App): Promise<Uint8Array[]> {
  const bytes =
    file === '-'
      ? await collectBytes(app.world.stdin.bytes(), MAX_SECRETS_BYTES)
      : readPrivate(resolve(app.world.cwd, file), app.storeWorld);
  if (bytes === undefined) throw new Fault('usage', `cannot read the secret file ${file}`);
  const secrets = parseSecrets(bytes.toString('latin1'));
  if (typeof secrets === 'string') throw new Fault('usage', `secret file ${file}: ${secrets}`);
  return secrets;
}
