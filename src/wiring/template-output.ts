// Opens the output of `--template`. Loaded only for that.
import type { CommandWords } from '../command-list/index.ts';
import type { PrintingRun } from '../command-list/printed-records.ts';
import { hasField } from '../format/field-selection.ts';
import { parseTemplate, templateSink } from '../format/template-sink.ts';
import type { Fault } from '../faults.ts';
import type { Sink } from '../world.ts';
import { checkTemplate, noTemplateField } from './selected-fields.ts';

/** The output of a template. */
export type TemplateOutput = {
  /** The stream for records. */
  sink: Sink;
  /** The fields that it names. */
  names: ReadonlySet<string>;
  /** Returns the Fault for a field that the schema lacks, and that neither these records nor earlier ones have. */
  missingIn(records: readonly object[]): Fault | undefined;
};

/** Opens the output of a template. Throws Fault 'usage' for one that is wrong, or names a field that no record can have. */
export function openTemplate(
  text: string,
  words: CommandWords,
  run: PrintingRun,
  stdout: Sink,
): TemplateOutput {
  const template = parseTemplate(text);
  let unknown = checkTemplate(template.names, words, run);
  return {
    sink: templateSink(template, stdout),
    names: new Set(template.names.map(({ name }) => name)),
    missingIn(records) {
      unknown = unknown.filter(
        ({ paths }) => !records.some((record) => paths.some((path) => hasField(record, path))),
      );
      return unknown[0] && noTemplateField(unknown[0]);
    },
  };
}
