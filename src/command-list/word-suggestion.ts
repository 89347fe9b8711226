// What words that name no command or topic were meant to be. Loaded only for them.
import { nearest } from '../contract/nearest.ts';
import { HELP_COMMAND } from './help-command.ts';
import { HELP_TOPIC_NAMES } from './help-topics.ts';
import { COMMAND_LIST, NOUNS } from './index.ts';
import { COMMANDS_FOR_WORDS } from './tasks.ts';

/** Returns the command or noun that a command line begins with, if there is one. */
export function commandIn(words: readonly string[]): string | undefined {
  const typed = [words.slice(0, 2).join(' '), words[0] ?? ''];
  return typed.find((text) => knownWords().includes(text));
}

/** Returns those of the first two words that were meant as a command: the second one may be a value. */
export function unknownWords(words: readonly string[]): string {
  const [first = ''] = words;
  const isTwo = isNoun(first) || nearWhole(words)?.includes(' ') === true;
  return isTwo ? words.join(' ') : first;
}

/** Returns what the first words of a command line were meant to be, in words for a hint; undefined where nothing is known. */
export function commandSuggestion(words: readonly string[]): string | undefined {
  const [first = '', second = ''] = words;
  if (isNoun(first)) return didYouMean(nearWhole(words) ?? commandOf(second)) ?? commandFor(second);
  const others = turnedAround(words) === undefined ? commandFor(first) : undefined;
  if (others !== undefined) return others;
  const [ofVerb, more] = commandsOfVerb(first);
  return didYouMean(
    nearWhole(words) ?? (more === undefined ? ofVerb : undefined) ?? wordsNear(first, knownWords()),
  );
}

function didYouMean(meant: string | undefined): string | undefined {
  return meant === undefined ? undefined : `did you mean: arx ${meant}`;
}

/** Returns the command of this one word, if there is one: `search`. */
function commandOf(word: string): string | undefined {
  return COMMAND_LIST.find(({ words }) => words === word)?.words;
}

/** Returns the command that words name, or nearly name, between the options of a line whose options do not stand after the command. */
export function commandAmong(line: readonly string[]): string | undefined {
  const words = line.filter((word) => !word.startsWith('-'));
  const known = knownWords();
  for (const [at, word] of words.entries()) {
    if (!isNoun(word)) {
      if (known.includes(word)) return word;
      continue;
    }
    const following = words.slice(at + 1).map((next) => `${word} ${next}`);
    return (
      following.find((text) => known.includes(text)) ??
      following.map((text) => verbNear(text, word)).find(isText)
    );
  }
  return words.map((word) => nearest(word, known)).find(isText);
}

const isText = (value: string | undefined): value is string => value !== undefined;

/** Returns of what help was meant by words that name neither a command nor a topic, in words for a hint; undefined where nothing is known. */
export function helpSuggestion(words: readonly string[]): string | undefined {
  const [first = ''] = words;
  const known = [...HELP_TOPIC_NAMES, ...knownWords()];
  const command = words.length > 2 ? commandIn(words) : undefined;
  const whole = command ?? turnedAround(words) ?? wordsNear(words.join(' '), known);
  const meant =
    whole !== undefined
      ? [whole]
      : words.length > 1
        ? words.flatMap((word) => (known.includes(word) ? [word] : (nearest(word, known) ?? [])))
        : [commandsOfVerb(first), wordsBeside(first, known), onlyWordFrom(first, known)].find(
            ({ length }) => length > 0,
          );
  if (meant === undefined || meant.length === 0) return commandFor(first);
  return `did you mean: ${meant
    .slice(0, 2)
    .map((each) => `arx help ${each}`)
    .join(' or ')}`;
}

/** Returns all words that begin a command line: commands and nouns. */
export function knownWords(): string[] {
  return [...Object.keys(NOUNS), ...COMMAND_LIST.map(({ words }) => words), HELP_COMMAND.words];
}

/** Returns the command that is near to all of the words. */
function nearWhole(words: readonly string[]): string | undefined {
  return turnedAround(words) ?? wordsNear(words.join(' '), knownWords());
}

function isNoun(word: string): boolean {
  return Object.hasOwn(NOUNS, word);
}

function wordsNear(typed: string, known: readonly string[]): string | undefined {
  const [noun = ''] = typed.split(' ');
  // Its own letters would make any short word after it look near.
  return isNoun(noun) ? verbNear(typed, noun) : nearest(typed, known);
}

/** The shortest beginning of a word that stands for it. */
const MIN_BEGINNING = 4;

/** Returns the words that go on after the one that was typed, or with which it begins: `deploy`, `walking`. */
function wordsBeside(typed: string, known: readonly string[]): string[] {
  if (typed.length < MIN_BEGINNING) return [];
  return known.filter(
    (word) => word.startsWith(typed) || (word.length >= MIN_BEGINNING && typed.startsWith(word)),
  );
}

/** Returns the one word that begins with what was typed: `att`. Commands of one noun count as the noun. */
function onlyWordFrom(typed: string, known: readonly string[]): string[] {
  const words = new Set(known.flatMap((word) => (word.startsWith(typed) ? [word.split(' ')[0]!] : [])));
  return typed.length > 1 && words.size === 1 ? [...words] : [];
}

/** Of more commands with the same second word, none is proposed. */
const MAX_COMMANDS = 2;

/** Returns the commands with this second word: `pull`. */
function commandsOfVerb(verb: string): string[] {
  const commands = COMMAND_LIST.flatMap(({ words }) => (words.split(' ')[1] === verb ? [words] : []));
  return commands.length > MAX_COMMANDS ? [] : commands;
}

/** What other programs call the second word of a command. */
const VERBS_OF_OTHERS: readonly (readonly [words: readonly string[], verb: string])[] = [
  [['list', 'dir'], 'ls'],
  [['get', 'view', 'info'], 'show'],
  [['download', 'fetch', 'get', 'save'], 'pull'],
  [['remove', 'delete'], 'rm'],
  [['remove', 'delete', 'rm'], 'drop'],
  [['check'], 'verify'],
  [['show', 'get', 'view', 'info'], 'ls'],
];

/** Returns the command of a noun whose second word is near to the one that was typed, or means the same. */
function verbNear(typed: string, noun: string): string | undefined {
  const verbs = COMMAND_LIST.flatMap(({ words }) => {
    const [first, second] = words.split(' ');
    return first === noun && second !== undefined ? [second] : [];
  });
  const word = typed.split(' ')[1] ?? '';
  const others = verbs.includes(word)
    ? undefined
    : VERBS_OF_OTHERS.find(([words, verb]) => words.includes(word) && verbs.includes(verb));
  const meant = others?.[1] ?? nearest(word, verbs);
  return meant === undefined ? undefined : `${noun} ${meant}`;
}

/** Returns the command whose words were typed in the other order: `list attachments`. */
function turnedAround([verb = '', noun = '']: readonly string[]): string | undefined {
  return isNoun(verb) || !isNoun(noun) ? undefined : verbNear(`${noun} ${verb}`, noun);
}

/** Returns the command that does what other programs call by this word. */
function commandFor(word: string): string | undefined {
  const others = COMMANDS_FOR_WORDS.find(([words]) => words.includes(word));
  return others === undefined ? undefined : `for that: arx ${others[1]}`;
}
