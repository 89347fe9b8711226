// Opens the output of `--template`. Loaded only for that.
import type { CommandWords } from '../command-list/index.ts';
import type { PrintingRun } from '../command-list/printed-records.ts';
import { parseTemplate, templateSink } from '../format/template-sink.ts';
import type { Sink } from '../world.ts';
import { checkTemplate } from './selected-fields.ts';

/** Returns the stream for records. Throws Fault 'usage' for a template that is wrong, or names a field that no record has. */
export function openTemplate(text: string, words: CommandWords, run: PrintingRun, stdout: Sink): Sink {
  const template = parseTemplate(text);
  checkTemplate(template.names, words, run);
  return templateSink(template, stdout);
}
