// The commander tree made from the catalogue; parses a command line into a body and its input.
import { Command, CommanderError, Option } from 'commander';
import { NOUNS, TREE } from './commands/tree.ts';
import { GLOBAL_OPTIONS, type Body, type Words } from './commands/words.ts';
import { Fault } from './faults.ts';

export type Call = {
  words: Words;
  body: Body;
  /** Arguments by name and options by camel-case name, as commander read them. */
  given: Record<string, unknown>;
};

export type Flags = Record<string, unknown>;

/** What a command line asks for: a command to run, or text (help, version) to show. */
export type Parsed = { call: Call; flags: Flags } | { text: string; flags: Flags };

/**
 * Reads argv (without node and script). Help and version come back as text; anything wrong is a `usage` Fault.
 * Global options live on the root alone: commander finds them before and after the subcommand.
 */
export async function parse(argv: readonly string[], version: string): Promise<Parsed> {
  let text = '';
  let chosen: { words: Words; given: Record<string, unknown> } | undefined;
  const root = buildProgram(version, (words, given) => (chosen = { words, given }));
  configure(root, (chunk) => (text += chunk));
  try {
    // `arx help WORDS` is what people type before they know `--help`.
    const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
    await root.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Without any word the help is what was asked for, as with gh.
    if (error.exitCode === 0 || (error.code === 'commander.help' && !root.args.length))
      return { text, flags: root.opts() };
    throw new Fault('usage', usageMessage(error, argv), {
      hint: 'arx --help shows the commands',
      cause: error,
    });
  }
  if (chosen === undefined) throw new Fault('internal', 'no command was chosen');
  const flags = root.opts();
  return { call: { ...chosen, body: await chosen.words.load() }, flags };
}

/** The whole tree; `choose` is called with the command that argv names. */
export function buildProgram(
  version: string,
  choose: (words: Words, given: Record<string, unknown>) => void,
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
  for (const words of TREE) {
    const [first = '', second] = words.words.split(' ');
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
    const command = parent.command(second ?? first).description(words.summary);
    for (const [syntax, description] of words.arguments ?? []) command.argument(syntax, description);
    for (const [syntax, description, choices] of words.options ?? []) {
      command.addOption(option(syntax, description, choices));
    }
    command.addHelpText('after', `\nExamples:\n${words.examples.map((line) => `  ${line}`).join('\n')}`);
    command.action(() => choose(words, given(command)));
  }
  return root;
}

function option(syntax: string, description: string, choices?: readonly string[]): Option {
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
  const verbs = TREE.flatMap(({ words }) =>
    words.startsWith(`${noun} `) ? [words.slice(noun.length + 1)] : [],
  );
  return `arx ${noun} needs a subcommand: ${verbs.join(', ')}`;
}
