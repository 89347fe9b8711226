// The command list: every command of arx as data, in the order of the help.
import type { CommandSpec } from './command-spec.ts';
import { ARCHIVE_COMMANDS } from './archive.ts';
import { ATTACHMENT_COMMANDS } from './attachments.ts';
import { CONTENT_COMMANDS } from './content.ts';
import { DIAGNOSTICS_COMMANDS } from './diagnostics.ts';
import { EVENT_COMMANDS } from './events.ts';
import { LIST_COMMANDS } from './lists.ts';
import { SEARCH_COMMANDS } from './search.ts';
import { SERVE_COMMANDS } from './serve.ts';
import { SESSION_COMMANDS } from './session.ts';
import { SETTINGS_COMMANDS } from './settings.ts';
import { SHELL_COMMANDS } from './shell.ts';

const LIST = [
  ...SESSION_COMMANDS,
  ...SEARCH_COMMANDS,
  ...ATTACHMENT_COMMANDS,
  ...CONTENT_COMMANDS,
  ...LIST_COMMANDS,
  ...EVENT_COMMANDS,
  ...DIAGNOSTICS_COMMANDS,
  ...ARCHIVE_COMMANDS,
  ...SERVE_COMMANDS,
  ...SETTINGS_COMMANDS,
  ...SHELL_COMMANDS,
] as const satisfies readonly CommandSpec[];

/** The words of one command, e.g. `attachments ls`. */
export type CommandWords = (typeof LIST)[number]['words'];

/** Every command. Help, completions and the manual page are made from this list. */
export const COMMAND_LIST: readonly (CommandSpec & { words: CommandWords })[] = LIST;

/** The first words of commands that have two words, each with its line in the help. */
export const NOUNS: Record<string, string> = {
  attachments: 'list, download, verify and pack files',
  content: 'show, save or compare what the service stores of messages',
  conversations: 'list, show and export conversations, walk them exactly',
  messages: 'list messages, show one with its neighbours',
  sequence: 'show the positions of a sequence',
  events: 'send events and check what became of them',
  about: 'show what is documented and what is assumed',
  blobs: 'move the files of an archive on PostgreSQL',
  tokens: 'list and revoke the tokens that an archive issued',
  archive: 'list, create, copy, move and delete archives in databases',
  config: 'show and change settings',
  profile: 'list, choose and delete profiles',
};
