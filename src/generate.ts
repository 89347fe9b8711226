// Makes the committed files that are derived from the code. `npm run generate` writes them, a test compares them.
import { completionScript, SCRIPT_NAMES, SHELLS } from './completion/scripts.ts';
import { generate as contractFiles } from './contract/generate.ts';

/** Returns path → text of every generated file. */
export function generate(): Record<string, string> {
  const files: Record<string, string> = contractFiles();
  for (const shell of SHELLS) files[`completions/${SCRIPT_NAMES[shell]}`] = completionScript(shell);
  return files;
}
