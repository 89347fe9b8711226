// Writes the stored bytes of a message, checked against their hash.
import type { App } from '../../app.ts';
import type { RawRecord } from '../../contract/content.ts';
import { writeBytes, type TerminalChoice } from '../shared/write-bytes.ts';
import { storedBytes } from './stored-bytes.ts';

/** Writes the stored bytes to stdout. Throws as {@link storedBytes} and {@link writeBytes}. */
export async function writeStored(
  record: RawRecord,
  input: { message: string } & TerminalChoice,
  app: App,
): Promise<void> {
  await writeBytes(await storedBytes(record, input.message, app), input.message, input, app);
}
