// Commands that change, check or copy the local archive.
import type { CommandSpec } from './command-spec.ts';
import { DATABASE_OPTIONS } from './shared-options.ts';

export const ARCHIVE_COMMANDS = [
  {
    words: 'import',
    summary: 'load real archives into the local archive: mbox, Maildir, Slack export, a folder of files',
    arguments: [['<paths...>', 'what to read']],
    options: [
      ['--origin-city <city>', 'city of files whose origin nothing else tells'],
      [
        '--kind <kind>',
        'read every path as this, not as its content tells (folder: each file as a file)',
        ['mbox', 'maildir', 'mail', 'slack', 'folder'],
      ],
      ...DATABASE_OPTIONS,
    ],
    examples: ['arx import list.mbox', 'arx import slack-export.zip ~/Mail/inbox'],
  },
  {
    words: 'redact',
    summary: "withhold a file's payload in the local archive",
    arguments: [['<id>', 'attachment, e.g. att_1']],
    options: [['--reason <text>', 'kept with the row'], ['--undo', 'give it again'], ...DATABASE_OPTIONS],
    examples: ['arx redact att_3 --reason "names a minor"', 'arx redact att_3 --undo'],
  },
  {
    words: 'fsck',
    summary: 'check the whole local archive: every row, every stored byte; nothing is changed',
    options: DATABASE_OPTIONS,
    examples: ['arx fsck', 'arx fsck --database postgres://arx@db.example/archive --json'],
  },
  {
    words: 'backup',
    summary: 'copy the local archive as it is at one moment, also while it is served and written',
    options: [
      ['--to <dir>', 'target: missing, empty, or an earlier backup, of which files are kept'],
      ['--database <url>', 'sqlite:FOLDER (default: the local archive)'],
    ],
    examples: ['arx backup --to /mnt/backup/archive', 'arx fsck --database sqlite:/mnt/backup/archive'],
  },
] as const satisfies readonly CommandSpec[];
