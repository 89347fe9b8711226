// Opens the output of `--template`. Loaded only for that.
import type { CommandWords } from '../command-list/index.ts';
import type { PrintingRun } from '../command-list/printed-records.ts';
import { hasField, headingNotice } from '../format/field-selection.ts';
import type { TemplateFields } from '../format/checked-fields.ts';
import { parseTemplate, templateSink } from '../format/template-sink.ts';
import type { Sink } from '../world.ts';
import { indirectNames, noTemplateField, type IndirectName } from './selected-fields.ts';

/** The output of a template. */
export type TemplateOutput = {
  /** The stream for records. */
  sink: Sink;
  /** The fields that it names. */
  names: ReadonlySet<string>;
  fields: TemplateFields;
};

/**
 * Opens the output of a template. A name may be one that `--fields` takes: the heading of a column, which is said by `notice`, or the end
 * of a dot path. Another service may have a field of that name: then the records decide. Throws Fault 'usage' for a template that is
 * wrong, or names a field that no record can have.
 */
export function openTemplate(
  text: string,
  words: CommandWords,
  { run, stdout, notice }: { run: PrintingRun; stdout: Sink; notice(text: string): void },
): TemplateOutput {
  const template = parseTemplate(text);
  const read = (indirect: IndirectName): void => {
    const { of, field, isHeading } = indirect;
    if (field === undefined) throw noTemplateField(indirect);
    if (isHeading) notice(headingNotice('--template', of.name, field));
    template.readField(of, field);
  };
  const indirect = indirectNames(template.names, words, run);
  for (const name of indirect) if (name.paths.length === 0) read(name);
  let undecided = indirect.filter(({ paths }) => paths.length > 0);
  const areIn = (records: readonly object[]): boolean => {
    undecided = undecided.filter(
      ({ paths }) => !records.some((record) => paths.some((path) => hasField(record, path))),
    );
    return undecided.length === 0;
  };
  return {
    sink: templateSink(template, stdout),
    names: new Set([
      ...template.names.map(({ name }) => name),
      ...indirect.flatMap(({ field }) => field ?? []),
    ]),
    fields: {
      areIn,
      check(records) {
        if (areIn(records)) return;
        for (const name of undecided) read(name);
        undecided = [];
      },
    },
  };
}
