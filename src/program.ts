// The commander tree made from the catalogue; parses a command line into a body and its input.
import { Command, CommanderError, Option } from 'commander';
import type { CommandOption, CommandSpec } from './command-list/command-spec.ts';
import { GLOBAL_OPTIONS } from './command-list/global-options.ts';
import { COMMAND_LIST, NOUNS, type CommandWords } from './command-list/index.ts';
import { Fault } from './faults.ts';

/** A command to run. Values are as commander read them: arguments by name, options by camel-case name. */
export type Call = {
  spec: CommandSpec & { words: CommandWords };
  /** Arguments and options of the command. */
  given: Record<string, unknown>;
  /** Global options. */
  flags: Record<string, unknown>;
};

/** What a command line asks for: a command to run, or text (help, version) to show. */
export type Parsed = { call: Call } | { text: string };

/**
 * Reads argv (without node and script). Help and version come back as text; anything wrong is a `usage` Fault.
 * Global options live on the root alone: commander finds them before and after the subcommand.
 */
export async function parse(argv: readonly string[], version: string): Promise<Parsed> {
  let text = '';
  let chosen: Omit<Call, 'flags'> | undefined;
  const root = buildProgram(version, (spec, given) => (chosen = { spec, given }));
  configure(root, (chunk) => (text += chunk));
  try {
    // `arx help WORDS` is what people type before they know `--help`.
    const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
    await root.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Without any word the help is what was asked for, as with gh.
    if (error.exitCode === 0 || (error.code === 'commander.help' && !root.args.length)) return { text };
    throw new Fault('usage', usageMessage(error, argv), {
      hint: 'arx --help shows the commands',
      cause: error,
    });
  }
  if (chosen === undefined) throw new Fault('internal', 'no command was chosen');
  return { call: { ...chosen, flags: root.opts() } };
}

/** The whole tree; `choose` is called with the command that argv names. */
export function buildProgram(
  version: string,
  choose: (spec: Call['spec'], given: Record<string, unknown>) => void,
): Command {
  const root = new Command('arx')
    .description(
      'Explore archives that cannot be trusted: exact listings, verified files, honest exit codes.',
    )
    .version(version, '-V, --version')
    .addHelpCommand(false)
    .configureHelp({ showGlobalOptions: true });
  for (const [syntax, description, choices] of GLOBAL_OPTIONS)
    root.addOption(option(syntax, description, choices));
  const nouns = new Map<string, Command>();
  for (const spec of COMMAND_LIST) {
    const [first = '', second] = spec.words.split(' ');
    let parent = root;
    if (second !== undefined) {
      parent =
        nouns.get(first) ??
        root
          .command(first)
          .description(NOUNS[first] ?? '')
          .addHelpCommand(false);
      nouns.set(first, parent);
    }
    const command = parent.command(second ?? first).description(spec.summary);
    for (const [syntax, description] of spec.arguments ?? []) command.argument(syntax, description);
    for (const [syntax, description, choices] of spec.options ?? []) {
      command.addOption(option(syntax, description, choices));
    }
    command.addHelpText('after', `\nExamples:\n${spec.examples.map((line) => `  ${line}`).join('\n')}`);
    command.action(() => choose(spec, given(command)));
  }
  return root;
}

function option(syntax: string, description: string, choices?: CommandOption[2]): Option {
  const made = new Option(syntax, description);
  return choices === undefined ? made : made.choices(choices);
}

function given(command: Command): Record<string, unknown> {
  const named = command.registeredArguments.map((argument, index) => [
    argument.name(),
    command.processedArgs[index],
  ]);
  return { ...Object.fromEntries(named), ...command.opts() };
}

function configure(command: Command, write: (chunk: string) => void): void {
  command.exitOverride().configureOutput({ writeOut: write, writeErr: write });
  command.configureHelp({ showGlobalOptions: true });
  for (const child of command.commands) configure(child, write);
}

/** Commander's own sentence; for a noun alone it only prints help, so what is missing is named here. */
function usageMessage(error: CommanderError, argv: readonly string[]): string {
  if (error.code !== 'commander.help') {
    return error.message
      .replace(/^error: /, '')
      .replace(/\s*\n\s*/, ' ')
      .replace(/\.$/, '');
  }
  const noun = argv.find((word) => Object.hasOwn(NOUNS, word)) ?? '';
  const verbs = COMMAND_LIST.flatMap(({ words }) =>
    words.startsWith(`${noun} `) ? [words.slice(noun.length + 1)] : [],
  );
  return `arx ${noun} needs a subcommand: ${verbs.join(', ')}`;
}
