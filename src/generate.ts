// Everything that is derived from the code and committed, as path → text; `npm run generate` writes it, a test compares.
import { completionScript, SCRIPT_NAMES, SHELLS } from './completion/scripts.ts';
import { generate as contractFiles } from './contract/generate.ts';

export function generate(): Record<string, string> {
  const files: Record<string, string> = contractFiles();
  for (const shell of SHELLS) files[`completions/${SCRIPT_NAMES[shell]}`] = completionScript(shell);
  return files;
}
