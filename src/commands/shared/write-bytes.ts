// Writes bytes to standard output, and to a terminal only what it shows as text.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { controlsTerminal } from '../../format/terminal/escape.ts';

/** Whether `--allow-escape-sequences` is set. */
export type TerminalChoice = { allowEscapeSequences: boolean };

/** Returns whether bytes are looked at before they are written: on a terminal, unless anything is allowed there. */
export function mayControlTerminal(choice: TerminalChoice, app: App): boolean {
  return app.world.stdout.isTTY && !choice.allowEscapeSequences;
}

/** Writes bytes. Throws Fault 'usage' for control characters on a terminal unless they are allowed. `what` names their record. */
export async function writeBytes(
  bytes: Uint8Array,
  what: string,
  choice: TerminalChoice,
  app: App,
): Promise<void> {
  if (mayControlTerminal(choice, app) && controlsTerminal(bytes)) {
    throw new Fault('usage', `${what} holds control characters, refused on a terminal`, {
      hint: '--allow-escape-sequences shows them anyway; a pipe or file gets the exact bytes',
    });
  }
  await app.printer.bytes(bytes);
}

/** Throws Fault 'usage' where an output form was chosen, which bytes do not have. `option` names what writes them. */
export function refuseOutputForm(option: string, app: App): void {
  if (app.settings.output.origin === 'flag')
    throw new Fault(
      'usage',
      `${option} writes the stored bytes alone, so it does not go with an output form`,
    );
}
