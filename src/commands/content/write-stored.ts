// Writes the stored bytes of a message, checked against their hash.
import type { App } from '../../app.ts';
import type { RawRecord } from '../../contract/content.ts';
import { Fault } from '../../faults.ts';
import { controlsTerminal } from '../../format/terminal/escape.ts';
import { storedBytes } from './stored-bytes.ts';

/**
 * Writes the stored bytes to stdout. Throws Fault 'usage' for control characters on a terminal unless they are allowed, and
 * as {@link storedBytes}.
 */
export async function writeStored(
  record: RawRecord,
  input: { message: string; allowEscapeSequences: boolean },
  app: App,
): Promise<void> {
  const stored = await storedBytes(record, input.message, app);
  if (app.world.stdout.isTTY && !input.allowEscapeSequences && controlsTerminal(stored)) {
    throw new Fault('usage', `${input.message} holds control characters, refused on a terminal`, {
      hint: '--allow-escape-sequences shows them anyway; a pipe or file gets the exact bytes',
    });
  }
  await app.printer.bytes(stored);
}
