// Finds the file that a path in a manifest means: systems write escapes and Unicode forms differently.
import { unescapePath } from './tag-files.ts';

/**
 * Returns a function that maps a written path to an existing file. It tries the rule of the bag's version first (escapes
 * are decoded since 1.0), then the other rule, then another Unicode form if only one file has it (a bag packed on a Mac).
 * If no file exists, it returns the path by the rule of the version.
 */
export function createPathResolver(
  files: ReadonlySet<string>,
  isOld: boolean,
): (written: string) => { path: string; isOtherForm: boolean } {
  let forms: Map<string, string[]> | undefined;
  const byForm = (path: string): string | undefined => {
    if (forms === undefined) {
      forms = new Map();
      for (const file of files) {
        const form = file.normalize('NFC');
        const alike = forms.get(form);
        if (alike === undefined) forms.set(form, [file]);
        else alike.push(file);
      }
    }
    const alike = forms.get(path.normalize('NFC'));
    return alike?.length === 1 ? alike[0] : undefined;
  };
  return (written) => {
    const plain = unescapePath(written);
    const spellings = isOld ? [written, plain] : [plain, written];
    for (const path of spellings) if (files.has(path)) return { path, isOtherForm: false };
    for (const spelling of spellings) {
      const path = byForm(spelling);
      if (path !== undefined) return { path, isOtherForm: true };
    }
    return { path: spellings[0]!, isOtherForm: false };
  };
}
