// Makes the commander tree from the command list, and parses a command line into a command and its values.
import { Command, CommanderError, Option, type HelpConfiguration } from 'commander';
import type { CommandOption, CommandSpec } from './command-list/command-spec.ts';
import { GLOBAL_OPTIONS } from './command-list/global-options.ts';
import { HELP_COMMAND } from './command-list/help-command.ts';
import { isHelpTopic } from './command-list/help-topics.ts';
import { COMMAND_LIST, NOUNS, type CommandWords } from './command-list/index.ts';
import { Fault } from './faults.ts';
import { commandHelp, type HelpDetails } from './help/command-help.ts';
import { overview } from './help/overview.ts';
import { MAX_COLUMNS } from './help/plain-text.ts';

/** A command to run. Values are as commander read them: arguments by name, options by camel-case name. */
export type Call = {
  spec: CommandSpec & { words: CommandWords };
  /** Arguments and options of the command. */
  given: Record<string, unknown>;
  /** Global options. */
  flags: Record<string, unknown>;
};

/**
 * What a command line asks for: a command to run, or text (help, version) to show. Without any word it is the overview, which
 * the archive in use is to be added to.
 */
export type Parsed = { call: Call } | { text: string; isOverview?: true };

type Chosen = { command: Omit<Call, 'flags'> } | { help: readonly string[] };

/**
 * Returns what argv (without node and script) asks for. Throws Fault 'usage' where it does not fit the command list.
 * Global options live on the root alone: commander finds them before and after the subcommand.
 */
export async function parse(argv: readonly string[], version: string): Promise<Parsed> {
  // commander takes an empty word of a command for none, and shows the help.
  if (argv[0] === '' || (argv[1] === '' && (argv[0] === HELP_COMMAND.words || NOUNS[argv[0]!] !== undefined)))
    throw emptyWord(argv[0] || undefined);
  let text = '';
  let chosen: Chosen | undefined;
  const root = buildProgram(
    version,
    (choice) => (chosen = choice),
    (chunk) => (text += chunk),
    argv,
  );
  try {
    await root.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { text: await requestedHelp(root, root.args) };
    if (error.exitCode === 0) return { text };
    const { commandIn } = await import('./command-list/word-suggestion.ts');
    const command = commandIn(root.args);
    // The fields of a command can be listed without its arguments.
    const spec = COMMAND_LIST.find(({ words }) => words === command);
    if (error.code === 'commander.missingArgument' && root.opts()['fields'] === true && spec !== undefined)
      return { call: { spec, given: {}, flags: root.opts() } };
    // Without any word, and for a group alone, the help is what was asked for, as with gh.
    if (error.code === 'commander.help' && argv.length === root.args.length)
      return root.args.length === 0 ? { text, isOverview: true } : { text };
    throw await usageFault(error, { words: root.args, command, argv, excess: excessOf(root) });
  }
  if (chosen === undefined) throw new Fault('internal', 'no command was chosen');
  if ('help' in chosen) return { text: await helpText(root, chosen.help) };
  return { call: { ...chosen.command, flags: root.opts() } };
}

/**
 * Returns what `--help` prints after the words of each command and group; '' is the program alone. The build writes these
 * texts into files, which the launcher prints without loading the program.
 */
export async function helpByWords(version: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const { knownWords } = await import('./command-list/word-suggestion.ts');
  for (const words of ['', ...knownWords()]) {
    const parsed = await parse([...words.split(' ').filter((word) => word !== ''), '--help'], version);
    if ('text' in parsed) texts[words] = parsed.text;
  }
  return texts;
}

/** A group shows examples of this many of its commands. */
const MAX_GROUP_EXAMPLES = 3;

/**
 * Returns the tree of the commands and groups that argv may name. It calls `choose` with the one that argv names, and `write` with
 * help and error texts. A group has all its commands, but only those whose words are in argv have their arguments and options: all
 * commands with all options take 5 ms.
 */
function buildProgram(
  version: string,
  choose: (chosen: Chosen) => void,
  write: (chunk: string) => void,
  argv: readonly string[],
): Command {
  const root = new Command('arx')
    .configureHelp({ formatHelp: (command) => overview(helpWidth(command)) })
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .addHelpCommand(false);
  for (const declared of GLOBAL_OPTIONS) root.addOption(option(declared));
  const nouns = new Map<string, Command>();
  for (const spec of COMMAND_LIST) {
    const [first = '', second] = spec.words.split(' ');
    if (!argv.includes(first)) continue;
    let parent = root;
    if (second !== undefined) {
      parent =
        nouns.get(first) ??
        root
          .command(first)
          .description(NOUNS[first] ?? '')
          .addHelpCommand(false)
          .configureHelp(helpWith({ examples: groupExamples(first) }));
      nouns.set(first, parent);
    }
    const command = addCommand(parent, second ?? first, spec);
    if (second !== undefined && !argv.includes(second)) continue;
    addParameters(command, spec);
    command.action(() => choose({ command: { spec, given: given(command) } }));
  }
  const help = addCommand(root, HELP_COMMAND.words, HELP_COMMAND);
  addParameters(help, HELP_COMMAND);
  help.action(() => choose({ help: given(help)['words'] as readonly string[] }));
  configure(root, write);
  return root;
}

function addCommand(parent: Command, name: string, spec: CommandSpec): Command {
  return parent.command(name).description(spec.summary).configureHelp(helpWith(spec));
}

/** Adds the arguments and options of a command. */
function addParameters(command: Command, spec: CommandSpec): void {
  for (const [syntax, description] of spec.arguments ?? []) command.argument(syntax, description);
  for (const declared of spec.options ?? []) addOnce(command, option(declared));
}

/** Adds an option. One that takes a single value is refused where it is given twice: commander would forget the first value. */
function addOnce(command: Command, added: Option): void {
  command.addOption(added);
  let isGiven = false;
  if ((added.required || added.optional) && !added.variadic)
    command.on(`option:${added.name()}`, () => {
      if (isGiven)
        command.error(`error: option '${added.long}' is given twice: it takes one value`, {
          code: 'arx.repeated',
        });
      isGiven = true;
    });
}

/** Returns the settings of commander with which the help of a command is ours. */
function helpWith(details: HelpDetails): HelpConfiguration {
  return { formatHelp: (command, helper) => commandHelp(command, helper, details) };
}

/** The first example of each of the first commands of a group. */
function groupExamples(noun: string): string[] {
  const specs = COMMAND_LIST.filter(({ words }) => words.startsWith(`${noun} `));
  return specs.slice(0, MAX_GROUP_EXAMPLES).flatMap(({ examples }) => examples.slice(0, 1));
}

function option([syntax, description, choices]: CommandOption): Option {
  const made = new Option(syntax, description);
  if (syntax === '-v, --verbose') made.default(0).argParser((_: unknown, count: number) => count + 1);
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
  for (const child of command.commands) configure(child, write);
}

/**
 * Returns the help of a command, of a noun, of a topic, or of a word that is both (`import`, `events`), and what the glossary says of it.
 * Throws Fault 'usage' with a suggestion where the words name none of these.
 */
async function helpText(root: Command, words: readonly string[]): Promise<string> {
  const [first, second] = words;
  if (first === undefined) return fullHelp(root);
  const noun = root.commands.find((command) => command.name() === first);
  const command = second === undefined ? noun : noun?.commands.find((child) => child.name() === second);
  const parts = command === undefined || words.length > 2 ? [] : [fullHelp(command)];
  if (words.length === 1 && isHelpTopic(first)) {
    const { topicText } = await import('./help/help-texts.ts');
    parts.push(topicText(first, helpWidth(root)));
  }
  if (parts.length > 0 && isHelpTopic(first) && words.length === 1) return parts.join('\n');
  const { glossaryEntry, nearestTerm } = await import('./help/help-texts.ts');
  const term = (first === 'glossary' ? words.slice(1) : words).join(' ');
  const entry = glossaryEntry(term, { isExact: parts.length > 0, width: helpWidth(root) });
  if (entry !== undefined) parts.push(entry);
  if (parts.length > 0) return parts.join('\n');
  const near = nearestTerm(term);
  if (first === 'glossary')
    throw new Fault('usage', `the glossary has no '${term}'`, {
      hint: near === undefined ? 'arx help glossary' : `did you mean: arx help glossary ${near}`,
    });
  const { helpSuggestion } = await import('./command-list/word-suggestion.ts');
  const meant = helpSuggestion(words) ?? (near === undefined ? undefined : `did you mean: arx help ${near}`);
  throw new Fault('usage', `no command, topic or word is called '${term}'`, {
    hint: meant ?? 'arx --help shows the commands and topics',
  });
}

/**
 * Returns what `-h` shows, wherever it stands: the help of the command or noun that the words begin with.
 * Throws Fault 'usage' with a suggestion where they begin with none.
 */
async function requestedHelp(root: Command, typed: readonly string[]): Promise<string> {
  const words = typed.filter((word) => word !== '-h' && word !== '--help');
  const end = words.findIndex((word) => word.startsWith('-'));
  const [first, ...more] = end === -1 ? words : words.slice(0, end);
  if (first === undefined) return fullHelp(root);
  if (first === HELP_COMMAND.words && more.length > 0) return helpText(root, more);
  const command = root.commands.find((each) => each.name() === first);
  const child = command?.commands.find((each) => each.name() === more[0]);
  const isWrong = command === undefined || (command.commands.length > 0 && more.length > 0 && !child);
  if (isWrong) throw await unknownCommand([first, ...more]);
  return fullHelp(child ?? command);
}

/** Returns the width of help texts: that of the terminal, at most 80 columns. */
function helpWidth(root: Command): number {
  return Math.min(root.configureOutput().getOutHelpWidth?.() ?? MAX_COLUMNS, MAX_COLUMNS);
}

/** The help with what stands after it, as `--help` prints it. */
function fullHelp(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (chunk) => (text += chunk) });
  command.outputHelp();
  return text;
}

function emptyWord(command?: string): Fault {
  return new Fault('usage', 'the command has an empty word', { hint: helpHint(command) });
}

/** Returns the Fault of words that begin with no command, with what they may mean, else where the commands are shown. */
async function unknownCommand(words: readonly string[], cause?: CommanderError): Promise<Fault> {
  const end = words.findIndex((word) => word.startsWith('-'));
  const typed = (end === -1 ? words : words.slice(0, end)).slice(0, 2);
  if (typed[0] === '') return emptyWord();
  const { commandIn, commandSuggestion, unknownWords } = await import('./command-list/word-suggestion.ts');
  const hint = commandSuggestion(typed) ?? helpHint(commandIn(words));
  return new Fault('usage', `unknown command '${unknownWords(typed)}'`, { hint, cause });
}

function helpHint(command: string | undefined): string {
  return command === undefined ? 'arx --help shows the commands' : `arx help ${command}`;
}

/** Returns the arguments that the command which was named does not take. */
function excessOf(root: Command): string[] {
  let command = root;
  for (const word of root.args.slice(0, 2))
    command = command.commands.find((child) => child.name() === word) ?? command;
  return command.args.slice(command.registeredArguments.length);
}

/**
 * A command line that does not fit. `words`: without global options, or its beginning; `command`: the command or noun with which
 * they begin; `argv`: all of it; `excess`: arguments too many.
 */
type WrongLine = {
  words: readonly string[];
  command: string | undefined;
  argv: readonly string[];
  excess: readonly string[];
};

async function usageFault(error: CommanderError, line: WrongLine): Promise<Fault> {
  const { words, command, argv, excess } = line;
  if (error.code === 'commander.unknownCommand') return unknownCommand(words, error);
  const isForm = error.message.includes("option '-o, --output");
  const isGlobal = GLOBAL_OPTIONS.some(([syntax]) => error.message.includes(`option '${syntax}'`));
  const help = isForm ? 'arx help output' : isGlobal ? 'arx help options' : helpHint(command);
  const fault = (message: string, hint: string): Fault => new Fault('usage', message, { hint, cause: error });
  if (error.code === 'commander.help') {
    const isVersion = argv.length === 1 && argv[0] === '-v';
    return fault(
      words.length === 0 ? 'a command is missing' : `arx ${words[0]} needs a subcommand`,
      isVersion ? 'arx --version shows the version; -v goes with a command' : help,
    );
  }
  const spec = COMMAND_LIST.find((each) => each.words === command);
  const meant = await meantBy(error, { ...line, spec, isForm });
  const hint = meant === undefined ? help : `${meant}; ${help}`;
  if (error.code === 'commander.excessArguments') {
    const names = (spec?.arguments ?? []).map(([syntax]) => syntax).join(' and ');
    // Of a command about tokens it may be a token or a password.
    const first = /^(log|token|whoami)/.test(command ?? '') ? '' : `, from '${excess[0] ?? ''}'`;
    return fault(
      `too many arguments${first}: arx ${command} takes ${names === '' ? 'none' : `only ${names}`}`,
      hint,
    );
  }
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean .*\)$/, '')
    .replace(/\n\s*/, ' ')
    .replace(/\.$/, '');
  return fault(message, hint);
}

/** Returns what an argument or option that does not fit was meant to be; undefined where nothing is known. */
async function meantBy(
  error: CommanderError,
  { words, argv, excess, spec, isForm }: WrongLine & { spec: CommandSpec | undefined; isForm: boolean },
): Promise<string | undefined> {
  if (error.code === 'commander.excessArguments') {
    const { excessHint } = await import('./command-list/usage-hint.ts');
    return spec === undefined ? undefined : excessHint({ excess, argv, spec });
  }
  const { choiceMeant, formOf, optionSuggestion, takes } =
    await import('./command-list/option-suggestion.ts');
  const wrong = /argument '(.{0,60})' is invalid\. Allowed choices are (.*)\.$/.exec(error.message);
  if (wrong !== null) {
    const [, typed = '', choices = ''] = wrong;
    const choice = (isForm ? formOf(typed) : undefined) ?? choiceMeant(typed, choices.split(', '));
    return choice === undefined ? undefined : `did you mean: ${choice}`;
  }
  const option = /unknown option '(.*?)'/s.exec(error.message)?.[1];
  if (option === undefined) return undefined;
  if (spec === undefined) {
    const { commandAmong } = await import('./command-list/word-suggestion.ts');
    const named = commandAmong(argv);
    const own = COMMAND_LIST.find((each) => each.words === named)?.options ?? [];
    if (takes(own, option)) return `did you mean: arx ${named} ${option}`;
  }
  if (spec?.words === 'search' && /^-[^-].*\p{L}/u.test(option))
    return (await import('./command-list/usage-hint.ts')).minusHint(words);
  return optionSuggestion(option, argv[argv.indexOf(option) + 1], { spec, commands: COMMAND_LIST });
}
