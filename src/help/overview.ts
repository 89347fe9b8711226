// The overview that `arx` alone prints: what it is, lines to begin with, commands by task, topics.
import { HELP_TOPIC_NAMES } from '../command-list/help-topics.ts';
import { TASKS } from '../command-list/tasks.ts';
import { indented, MAX_COLUMNS } from './plain-text.ts';

/** Lines to begin with. They work in this order on a machine without an archive, but for the address and the file. */
const FIRST_LINES: readonly (readonly [line: string, gives: string])[] = [
  ['arx help start', 'begin in three steps'],
  ['arx demo', 'take a tour of a sample archive'],
  ['arx import mail.mbox', 'import mail, chats or a folder'],
  ['arx search invoice since:2021', 'find messages'],
  ['arx attachments pull --all --to files', 'download files, each verified'],
  ['arx login --base-url https://archive.example', 'use an archive service'],
];

/** Returns the overview, at most 80 columns wide. */
export function overview(width = MAX_COLUMNS): string {
  const widest = Math.max(...FIRST_LINES.map(([line]) => line.length));
  const label = Math.max(...Object.keys(TASKS).map((task) => task.length));
  const lines = (text: string, first = '', indent = first) => indented(text, first, indent, width);
  // The lines to begin with are pasted, so they are not broken.
  const isNarrow = width < MAX_COLUMNS;
  return [
    ...lines(
      'arx explores archives that cannot be trusted: exact lists, verified files, and exit codes that say what could not be proven.',
    ),
    '',
    ...FIRST_LINES.flatMap(([line, gives]) =>
      isNarrow ? [`  ${line}`, ...lines(gives, '      ')] : [`  ${line.padEnd(widest)}  ${gives}`],
    ),
    '',
    ...lines('Commands (arx COMMAND --help explains one, arx help commands lists all):'),
    ...Object.entries(TASKS).flatMap(([task, words]) =>
      lines(words.join(', '), `  ${task.padEnd(label)}  `, ' '.repeat(label + 4)),
    ),
    '',
    'Topics (arx help TOPIC):',
    ...lines(HELP_TOPIC_NAMES.join(', '), '  '),
    '',
  ].join('\n');
}
