// `arx completion SHELL`: prints the completion script of a shell; `install` and `uninstall` change files.
import * as z from 'zod';
import type { App } from '../app.ts';
import { completionScript, SHELLS } from '../completion/scripts.ts';
import { Fault } from '../faults.ts';
import { CONFIRM_INPUT } from './shared/confirm.ts';

const WHAT = [...SHELLS, 'install', 'uninstall'] as const;

export const Input = z.object({
  shell: z.enum(WHAT, `must be one of ${WHAT.join(', ')}`),
  target: z.enum(SHELLS, `must be one of ${SHELLS.join(', ')}`).optional(),
  ...CONFIRM_INPUT,
});

/** Runs `arx completion`. */
export async function run({ shell, target, ...options }: z.infer<typeof Input>, app: App): Promise<void> {
  if (shell === 'install' || shell === 'uninstall') {
    const commands = await import('./completion/install.ts');
    return commands[shell](target, options, app);
  }
  if (target !== undefined || options.yes || options.dryRun)
    throw new Fault('usage', 'a second shell, --dry-run and --yes go with install and uninstall');
  const script = completionScript(shell);
  if (app.wantsJson) await app.printer.report({ shell, script }, () => []);
  else await app.printer.bytes(new TextEncoder().encode(script));
}
