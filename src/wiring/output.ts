// Makes the output of a run: its form, what `--fields`, `--template`, `--jq` and `--max-rows` make of records, and the printer.
import { effectOf, type CommandSpec } from '../command-list/command-spec.ts';
import type { CommandWords } from '../command-list/index.ts';
import type { PrintingRun } from '../command-list/printed-records.ts';
import type { Directories } from '../config/directories.ts';
import type { Settings } from '../config/settings.ts';
import { Fault } from '../faults.ts';
import { formFault } from '../format/form-fault.ts';
import { instantStyle, type InstantStyle } from '../format/instants.ts';
import type { JqSink } from '../format/jq-sink.ts';
import { plural } from '../format/numbers.ts';
import type { Output } from '../format/outputs.ts';
import { createPrinter, noSums, type Printer, type PrinterOptions } from '../format/printer.ts';
import { terminalCapabilities, type TerminalCapabilities } from '../format/terminal/capabilities.ts';
import type { World } from '../world.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { GlobalFlags } from './global-flags.ts';
import { DEFAULT_ASSET_URL } from './local-archive.ts';
import { createPaging } from './paging.ts';
import { createSeenRows } from './seen-rows.ts';
import type { TemplateOutput } from './template-output.ts';

/** The output of a run. */
export type RunOutput = {
  printer: Printer;
  screen: TerminalCapabilities;
  instants: InstantStyle;
  /** The output is JSON. */
  isJson: boolean;
  /** Prints the names and types of the fields of the command's record. */
  listFields(): Promise<void>;
  /** Whether the user closed the pager before it had all of the output. */
  isPagerClosed(): boolean;
  /** Runs what `--jq` has not run yet, and keeps what was printed for completion. Throws Fault 'usage' where its program failed. */
  finish(): Promise<void>;
  close(): Promise<void>;
};

/** What an output is made from. */
export type RunOutputOptions = {
  spec: CommandSpec & { words: CommandWords };
  /** Arguments and options of the command. */
  given: Record<string, unknown>;
  /** A list that is cut adds a Fault here. */
  faults: Fault[];
  /** Is told of each report that the command prints. */
  onReport: ((wire: object) => void) | undefined;
  flags: GlobalFlags;
  settings: Settings;
  directories: Directories;
  diagnostics: Diagnostics;
  world: World;
};

/** Returns the output. Throws Fault 'usage' where options do not fit each other, the command or its record. */
export async function createOutput(options: RunOutputOptions): Promise<RunOutput> {
  const { spec, given, flags, settings, diagnostics, world } = options;
  const { stdout, stderr, notice, pause } = diagnostics;
  const isRemote = settings.base_url.value !== undefined;
  const output = outputForm(options);
  const isOneRowPerLine = output === 'tsv' || output === 'csv' || output === 'ndjson';
  const printing = { given, isOneRowPerLine, isRemote };
  await refuseMissingSums(output, printing, options);
  const fields = async (): Promise<typeof import('./selected-fields.ts')> => import('./selected-fields.ts');
  const jq = await openJq(output, options);
  const template = await openTemplateOutput(printing, options);
  const recordSink = jq?.sink ?? template?.sink;
  const color = { auto: undefined, always: true, never: false }[settings.color.value];
  const screen = terminalCapabilities(world.stdout, world.env, { color });
  const { links, ...canvas } = screen;
  const instants = instantStyle({
    utc: flags.utc,
    relative: flags.relative,
    timeZone: world.env['TZ'],
    now: world.now,
  });
  const paging = createPaging({ world, settings, isInteractive: flags.input, stdout, notice, pause });
  const seen = createSeenRows(spec.words, world, { settings, cache: options.directories.cache });
  // The local archive names addresses that nothing serves until `arx serve` runs.
  const isOpen = (address: string): boolean => isRemote || !address.startsWith(`${DEFAULT_ASSET_URL}/`);
  const isChange = effectOf(spec, given) === 'change';
  const isFormChosen =
    settings.output.value !== undefined || flags.fields !== undefined || recordSink !== undefined;
  const printer = seen.watching(
    createPrinter({
      ...world,
      stdout,
      stderr,
      ...(recordSink === undefined ? (isChange ? {} : { paging }) : { stdout: recordSink }),
      ...canvas,
      ...(links ? { links: isOpen } : {}),
      instants,
      output,
      fields:
        flags.fields === undefined || flags.fields === true
          ? undefined
          : (await fields()).selectFields(flags.fields, spec.words, { run: printing, notice }),
      quiet: flags.quiet,
      onReport: options.onReport,
      isSilent: flags.quiet && isChange && !isFormChosen,
      csvSafe: flags.csvSafe,
      templateFields: template?.fields,
      named: template?.names ?? jq?.names,
      complete:
        output === 'ndjson' && flags.fields === undefined
          ? (await fields()).completeRecords(spec.words, printing)
          : undefined,
      withSummary: flags.summary,
      isForProgram: jq !== undefined,
      cut: cutAfter(flags.maxRows, options.faults),
    }),
  );
  return {
    printer,
    screen,
    instants,
    isJson: output === 'json' || output === 'ndjson',
    listFields: async () => {
      const rows = (await fields()).legalFields(spec.words, printing);
      const { recordFieldView } = await import('../format/views/record-field.ts');
      await printer.list(recordFieldView, { rows, summary: () => ({ rows: rows.length, complete: true }) });
    },
    isPagerClosed: paging.isClosedEarly,
    finish: async () => {
      await jq?.finish();
      seen.save();
    },
    close: async () => jq?.end(),
  };
}

/** Returns the form of the output. Throws Fault 'usage' for an option that does not go with it. */
function outputForm({ flags, settings, world }: RunOutputOptions): Output {
  const output = settings.output.value ?? (world.stdout.isTTY ? 'table' : 'tsv');
  if (flags.csvSafe && output !== 'tsv' && output !== 'csv')
    throw formFault('--csv-safe goes with -o csv or -o tsv');
  if (flags.summary && output !== 'ndjson') throw formFault('--summary goes with -o ndjson');
  if (flags.summary && flags.template !== undefined) throw formFault('--summary does not go with --template');
  return output;
}

/** Throws Fault 'usage' for `-o sums` of a command that prints no hashes. */
async function refuseMissingSums(
  output: Output,
  printing: PrintingRun,
  { spec, settings }: RunOutputOptions,
): Promise<void> {
  // The command that mends a setting must run in spite of it.
  const isMending = spec.lenient === true && settings.output.origin !== 'flag';
  if (output !== 'sums' || isMending) return;
  const { hasSums } = await import('../command-list/printed-records.ts');
  if (!hasSums(spec.words, printing)) throw noSums();
}

async function openJq(
  output: Output,
  { flags, diagnostics, world }: RunOutputOptions,
): Promise<JqSink | undefined> {
  if (flags.jq === undefined) return undefined;
  const { openJqSink } = await import('../format/jq-sink.ts');
  return openJqSink({
    program: flags.jq,
    isPerRecord: output === 'ndjson',
    world: { ...world, stdout: diagnostics.stdout },
    onUnknownField: diagnostics.notice,
  });
}

async function openTemplateOutput(
  printing: PrintingRun,
  { spec, flags, diagnostics }: RunOutputOptions,
): Promise<TemplateOutput | undefined> {
  if (flags.template === undefined) return undefined;
  const { stdout, notice } = diagnostics;
  const { openTemplate } = await import('./template-output.ts');
  return openTemplate(flags.template, spec.words, { run: printing, stdout, notice });
}

/** Returns where a list is cut. Then the run ends with Fault 'partial'. */
function cutAfter(maxRows: number | undefined, faults: Fault[]): PrinterOptions['cut'] {
  if (maxRows === undefined) return undefined;
  const fault = new Fault('partial', `cut after ${plural(maxRows, 'row')}: more follow`, {
    hint: '--max-rows allows more',
  });
  return { maxRows, onCut: () => void faults.push(fault) };
}
