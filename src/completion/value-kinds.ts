// Which options and arguments take a value that completion finds out when it is asked: the kinds of values by place.
import type { SeenKind } from './seen-values.ts';

/** Kinds of values. `profiles` and `addresses` are those of the settings, `fields` those that `--fields` selects, `queries` the values in a query of `arx search`. */
export type ValueKind = SeenKind | 'profiles' | 'addresses' | 'fields' | 'queries';

const KINDS_OF_OPTION: Readonly<Record<string, ValueKind>> = {
  '--profile': 'profiles',
  '--base-url': 'addresses',
  '--fields': 'fields',
  '--city': 'cities',
  '--origin-city': 'cities',
  '--type': 'types',
  '--source': 'sources',
  '--from': 'senders',
  '--name': 'names',
  '--message': 'messages',
  '--conversation': 'conversations',
  '--matching': 'queries',
};

/** What the ids after `--after` and `--before` are. */
const LISTED: Readonly<Record<string, ValueKind>> = {
  'attachments ls': 'attachments',
  'conversations ls': 'conversations',
  'conversations walk': 'conversations',
  'messages ls': 'messages',
  search: 'messages',
  'events ls': 'events',
};

const KINDS_OF_ARGUMENT: Readonly<Record<string, readonly ValueKind[]>> = {
  read: ['messages', 'conversations'],
  open: ['attachments', 'messages', 'conversations'],
  explore: ['attachments', 'messages', 'conversations'],
  'attachments show': ['attachments'],
  'attachments cat': ['attachments'],
  'attachments pull': ['attachments'],
  'content get': ['messages'],
  'content diff': ['messages'],
  'conversations show': ['conversations'],
  'conversations export': ['conversations'],
  'messages show': ['messages'],
  search: ['queries'],
  redact: ['attachments'],
  'profile use': ['profiles'],
  'profile rm': ['profiles'],
};

/** Returns the kinds of values of an option of a command, none where they are not known. `syntax` is commander's. */
export function kindsOfOption(words: string, syntax: string): readonly ValueKind[] {
  const name = /--[\w-]+/.exec(syntax)?.[0] ?? '';
  const isCursor = /^--(after|before) <id>$/.test(syntax);
  const kind = isCursor ? LISTED[words] : KINDS_OF_OPTION[name];
  return kind === undefined ? [] : [kind];
}

/** Returns the kinds of values of the arguments of a command, none where they are not known. */
export function kindsOfArgument(words: string): readonly ValueKind[] {
  return KINDS_OF_ARGUMENT[words] ?? [];
}
