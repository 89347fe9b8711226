// Which values the completion scripts propose: a path for each option and argument that names a file or a folder.
import { expect, test } from 'vitest';
import { COMMAND_LIST } from '../../src/command-list/index.ts';
import { GLOBALS, PLACES, type Expected } from '../../src/completion/places.ts';

/** Placeholders of paths in the syntax of options and arguments. `api <path>` is a path of a URL. */
const PATH_NAMES = /^(dir|file|path|paths|place)$/;
const isPath = (value: Expected | undefined) => value === 'file' || value === 'dir';
const nameIn = (syntax: string) => /[<[](\w+)/.exec(syntax)?.[1] ?? '';

test('each option and argument whose placeholder is one of a path completes paths', () => {
  const wrong = COMMAND_LIST.flatMap((spec) => {
    const { words } = spec;
    const place = PLACES.find((each) => each.words === words)!;
    const options = 'options' in spec ? spec.options : [];
    const argument = 'arguments' in spec ? nameIn(spec.arguments[0]![0]) : '';
    return [
      ...options.flatMap(([syntax]) => {
        const flag = place.flags.find(({ names }) => names.includes(syntax.split(' ')[0]!));
        return PATH_NAMES.test(nameIn(syntax)) && !isPath(flag?.value) ? [`${words} ${syntax}`] : [];
      }),
      ...(PATH_NAMES.test(argument) && words !== 'api' && !isPath(place.rest) ? [words] : []),
    ];
  });
  expect(wrong).toEqual([]);
  const ofFiles = GLOBALS.filter(({ names }) => names.some((name) => /-file$|record/.test(name)));
  expect(ofFiles.map(({ value }) => value)).toEqual(['file', 'file']);
});

test.each([
  ['conversations diff', 'dir'],
  ['conversations verify', 'dir'],
  ['attachments export', 'dir'],
  // A zipped bag is a file.
  ['attachments verify', 'file'],
  ['import', 'file'],
])('the argument of %s is a %s', (words, expected) => {
  expect(PLACES.find((place) => place.words === words)?.rest).toBe(expected);
});
