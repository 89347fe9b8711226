// `arx completion SHELL`: prints the completion script of a shell.
import * as z from 'zod';
import type { App } from '../app.ts';
import { completionScript, SHELLS } from '../completion/scripts.ts';

export const Input = z.object({ shell: z.enum(SHELLS, `must be one of ${SHELLS.join(', ')}`) });

/** Runs `arx completion`. */
export async function run({ shell }: z.infer<typeof Input>, app: App): Promise<void> {
  const script = completionScript(shell);
  if (app.wantsJson) await app.printer.report({ shell, script }, () => []);
  else await app.printer.bytes(new TextEncoder().encode(script));
}
