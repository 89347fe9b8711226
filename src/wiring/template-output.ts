// Opens the output of `--template`. Loaded only for that.
import type { CommandWords } from '../command-list/index.ts';
import type { PrintingRun } from '../command-list/printed-records.ts';
import { parseTemplate, templateSink } from '../format/template-sink.ts';
import type { Sink } from '../world.ts';
import { checkTemplate } from './selected-fields.ts';

/** The output of a template: the stream for records, and what says after the last one which fields none had. */
export type TemplateOutput = { sink: Sink; finish(): void };

/** Opens the output of a template. Throws Fault 'usage' for one that is wrong, or names a field that no record can have. */
export function openTemplate(
  text: string,
  words: CommandWords,
  { run, notice }: { run: PrintingRun; notice(text: string): void },
  stdout: Sink,
): TemplateOutput {
  const template = parseTemplate(text);
  const unknown = checkTemplate(template.names, words, run);
  const seen = new Set<string>();
  let records = 0;
  const sink = templateSink(template, stdout, (record) => {
    records += 1;
    for (const key of Object.keys(record)) seen.add(key);
  });
  return {
    sink,
    finish() {
      for (const { name, hint } of unknown)
        if (records > 0 && !seen.has(name.split('.')[0]!))
          notice(`--template: no record has the field ${name}; ${hint}`);
    },
  };
}
