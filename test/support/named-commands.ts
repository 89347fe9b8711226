// The commands that a text names, such as a hint, compared with the command list.
import { GLOBAL_OPTIONS } from '../../src/command-list/global-options.ts';
import { COMMAND_LIST } from '../../src/command-list/index.ts';

const optionsOf = (declared: readonly (readonly [string, ...unknown[]])[]): string[] =>
  declared.flatMap(([syntax]) => syntax.match(/--[\w-]+/g) ?? []);
const GLOBAL = new Set([...optionsOf(GLOBAL_OPTIONS), '--help', '--version']);
const KNOWN: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  COMMAND_LIST.map(({ words, options = [] }) => [words, new Set(optionsOf(options))]),
);

/** `arx …` up to what cannot belong to the command any more; in code, the end of the string too. */
const NAMED = {
  shell: /(?<![\w/.=-])arx ((?!help )[^;\n|`),]*)/g,
  code: /(?<![\w/.=-])arx ((?!help )[^;\n|`),'"\]\\]*)/g,
};

/** Returns what is wrong with the commands that a text names: an unknown command of a group, and options that the command does not have. */
export function wrongCommandsIn(text: string, { isCode = false } = {}): string[] {
  const plain = isCode ? text : text.replaceAll(/'[^'\n]*'/g, 'VALUE');
  return [...plain.matchAll(isCode ? NAMED.code : NAMED.shell)].flatMap(([named, rest = '']) => {
    const words = rest.replace(/ (?:--|also) .*/, '').split(' ');
    const names = words.filter((word) => !word.startsWith('-'));
    const own = KNOWN.get(`${names[0]} ${names[1]}`) ?? KNOWN.get(names[0] ?? '');
    const isGroup = COMMAND_LIST.some((spec) => spec.words.startsWith(`${names[0]} `));
    if (own === undefined)
      return isGroup && /^[a-z]/.test(names[1] ?? '') ? [`${named}: no such command`] : [];
    const wrong = words
      .flatMap((word) => /^--[a-z][\w-]*/.exec(word) ?? [])
      .filter((option) => !own.has(option) && !GLOBAL.has(option));
    return wrong.length === 0 ? [] : [`${named}: ${wrong.join(', ')}`];
  });
}
