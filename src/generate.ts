// Makes the committed files that are derived from the code. `npm run generate` writes them, a test compares them.
import { completionScript, SCRIPT_NAMES, SHELLS } from './completion/scripts.ts';
import { COMMAND_LIST } from './command-list/index.ts';
import { printedRecord } from './command-list/printed-records.ts';
import { generate as contractFiles } from './contract/generate.ts';
import { fieldsOf } from './contract/record-fields.ts';

/** Returns path → text of every generated file. */
export function generate(): Record<string, string> {
  const files: Record<string, string> = contractFiles();
  for (const shell of SHELLS) files[`completions/${SCRIPT_NAMES[shell]}`] = completionScript(shell);
  files['src/completion/field-names.json'] = `${JSON.stringify(fieldNames(), null, 1)}\n`;
  return files;
}

/** Returns the fields that `--fields` selects of each command, in any of its output forms. */
function fieldNames(): Record<string, string[]> {
  const runs = [true, false].map((isOneRowPerLine) => ({ given: {}, isOneRowPerLine, isRemote: false }));
  return Object.fromEntries(
    COMMAND_LIST.map(({ words }) => {
      const schemas = runs.flatMap((run) => printedRecord(words, run) ?? []);
      const names = schemas.flatMap((schema) => fieldsOf(schema).map(({ name }) => name));
      return [words, [...new Set(names)]];
    }),
  );
}
