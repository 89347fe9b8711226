// Commands that change, check or copy the local archive.
import { IMPORT_KINDS } from '../contract/import-kind.ts';
import { TIERS } from '../contract/tier.ts';
import type { CommandArgument, CommandSpec } from './command-spec.ts';
import { CONFIRM_OPTIONS, DATABASE_OPTIONS } from './shared-options.ts';

const DATABASE_ARGUMENT = ['<database>', 'postgres://…, without a schema'] as const satisfies CommandArgument;

/** Names, arguments, options and examples of `import`, `redact`, `fsck`, `backup` and the commands of `archive`, `blobs` and `tokens`. */
export const ARCHIVE_COMMANDS = [
  {
    words: 'import',
    summary: 'import mail, exports of Slack, Mattermost or Zulip, or folders of files',
    effect: 'change',
    arguments: [['<paths...>', 'files and folders to read; - is a file on standard input']],
    options: [
      ['--origin-city <city>', 'city of files without a known origin'],
      [
        '--kind <kind>',
        'treat every path as this kind (default: detected; folder: each file as a file)',
        Object.keys(IMPORT_KINDS),
      ],
      [
        '--tier <tier>',
        'who may read it: external is everybody who reaches the service (default: internal)',
        [...TIERS],
      ],
      ['--dry-run', 'read and count everything; store nothing (an import cannot be undone)'],
      ...DATABASE_OPTIONS,
    ],
    examples: [
      'arx import list.mbox --dry-run',
      'arx import list.mbox --database sqlite:scratch',
      'arx import list.mbox --tier external',
      'arx import slack-export.zip ~/Mail/inbox',
      'gunzip -c list.mbox.gz | arx import -',
    ],
    topics: ['import'],
  },
  {
    words: 'redact',
    summary: 'withhold a file of the local archive',
    effect: 'change',
    arguments: [['<id>', 'attachment, e.g. att_1']],
    options: [
      ['--reason <text>', 'reason to store with the row'],
      ['--undo', 'stop withholding it'],
      ...CONFIRM_OPTIONS,
      ...DATABASE_OPTIONS,
    ],
    examples: [
      'arx redact att_3 --dry-run',
      'arx redact att_3 --reason "names a minor" --yes',
      'arx redact att_3 --undo --yes',
    ],
    topics: ['import'],
  },
  {
    words: 'fsck',
    summary: 'check every row and every stored byte of the local archive',
    effect: 'none',
    options: [
      [
        '--since <date>',
        'check only what was imported, and what events changed, since this date (2026-11-26, yesterday, 3d)',
      ],
      [
        '--state <file>',
        'keep in FILE what was checked, so that the same command continues after an interruption',
      ],
      ...DATABASE_OPTIONS,
    ],
    examples: [
      'arx fsck',
      'arx fsck --since yesterday',
      'arx fsck --state fsck.state',
      'arx fsck --database postgres://arx@db.example/archive --json',
    ],
    topics: ['maintenance'],
  },
  {
    words: 'backup',
    summary: 'copy the local archive, also while it is served and written',
    effect: 'change',
    options: [
      [
        '--to <dir>',
        'target: a new or empty folder, or an earlier backup to bring up to date; on the same disk it shares the files, and damage to them',
      ],
      ['--database <url>', 'sqlite:FOLDER (default: the local archive)'],
    ],
    examples: ['arx backup --to /mnt/backup/archive', 'arx fsck --database sqlite:/mnt/backup/archive'],
    topics: ['maintenance'],
  },
  {
    words: 'archive ls',
    summary: 'list the archives of a PostgreSQL database, each in a schema of its own',
    effect: 'none',
    arguments: [DATABASE_ARGUMENT],
    examples: ['arx archive ls postgres://arx@db.example/archives'],
    topics: ['postgresql'],
  },
  {
    words: 'archive create',
    summary: 'make empty archives in a PostgreSQL database',
    effect: 'change',
    arguments: [DATABASE_ARGUMENT, ['<names...>', 'names of new archives, e.g. lists-2024']],
    options: [
      [
        '--blobs <place>',
        'keep their files in a part of this folder or bucket (s3://BUCKET/PREFIX), by name',
      ],
    ],
    examples: ['arx archive create postgres://arx@db.example/archives lists-2024 lists-2025'],
    topics: ['postgresql'],
  },
  {
    words: 'archive copy',
    summary: 'copy an archive to another database, with its ids, and compare both',
    effect: 'change',
    arguments: [
      ['<from>', 'sqlite:FOLDER or postgres://…, also while it is served and written'],
      ['<to>', 'sqlite:FOLDER or postgres://…: empty, or an unfinished copy of <from> to complete'],
    ],
    options: [
      [
        '--from-blobs <place>',
        'the folder or bucket of the files of <from>, where it has one beside PostgreSQL',
      ],
      ['--to-blobs <place>', 'with PostgreSQL: keep files in this folder or bucket (s3://BUCKET/PREFIX)'],
      ['--dry-run', 'look at both and count; write nothing'],
    ],
    examples: [
      'arx archive copy sqlite:/mnt/backup/archive postgres://arx@new.example/archive --dry-run',
      'arx archive copy sqlite:/mnt/backup/archive postgres://arx@new.example/archive',
      'arx archive copy postgres://arx@db.example/archive sqlite:/mnt/backup/copy',
    ],
    topics: ['maintenance', 'postgresql'],
  },
  {
    words: 'archive move',
    summary: 'move archives to another PostgreSQL database, also while they are served',
    effect: 'change',
    arguments: [
      ['<from>', 'postgres://…, without a schema'],
      ['<to>', 'postgres://…, without a schema'],
      ['<names...>', 'names of archives'],
    ],
    options: [
      ['--from-blobs <place>', 'the folder or bucket in which archives of <from> have their files, by name'],
      ['--to-blobs <place>', 'keep files in a part of this folder or bucket (s3://BUCKET/PREFIX), by name'],
      ...CONFIRM_OPTIONS,
    ],
    examples: [
      'arx archive move postgres://arx@db.example/archives postgres://arx@new.example/archives lists-2024 --dry-run',
      'arx archive move postgres://arx@db.example/archives postgres://arx@new.example/archives lists-2024 --yes',
    ],
    topics: ['postgresql', 'maintenance'],
  },
  {
    words: 'archive upgrade',
    summary: 'bring the tables of all archives of a PostgreSQL database to the newest version',
    effect: 'change',
    arguments: [DATABASE_ARGUMENT],
    options: [['--dry-run', 'show how many would be changed; change nothing']],
    examples: ['arx archive upgrade postgres://arx@db.example/archives'],
    topics: ['postgresql'],
  },
  {
    words: 'archive drop',
    summary: 'delete archives of a PostgreSQL database; files beside it stay',
    effect: 'change',
    arguments: [DATABASE_ARGUMENT, ['<names...>', 'names of archives']],
    options: CONFIRM_OPTIONS,
    examples: [
      'arx archive drop postgres://arx@db.example/archives lists-2024 --dry-run',
      'arx archive drop postgres://arx@db.example/archives lists-2024 --yes',
    ],
    topics: ['postgresql'],
  },
  {
    words: 'blobs move',
    summary: 'move the files of an archive on PostgreSQL between database, folder and bucket',
    effect: 'change',
    options: [
      ['--to <place>', 'the new place: a folder, s3://BUCKET/PREFIX, or the word database'],
      ['--database <url>', 'postgres://…'],
      ['--blobs <place>', 'the present place, where it is not the database'],
      ['--leave-damaged', 'move although files are missing or damaged, and leave these behind'],
      ...CONFIRM_OPTIONS,
    ],
    examples: [
      'arx blobs move --database postgres://arx@db.example/archive --to /mnt/files --dry-run',
      'arx blobs move --database postgres://arx@db.example/archive --to /mnt/files --yes',
      'arx blobs move --database postgres://arx@db.example/archive --blobs /mnt/files --to database --yes',
    ],
    topics: ['postgresql'],
  },
  {
    words: 'tokens ls',
    summary: 'list the tokens that an archive issued: who has them, and until when',
    effect: 'none',
    options: DATABASE_OPTIONS,
    examples: ['arx tokens ls', 'arx tokens ls --database postgres://arx@db.example/archive'],
    topics: ['deployment'],
  },
  {
    words: 'tokens revoke',
    summary: 'end tokens before their time, also while the archive is served',
    effect: 'change',
    arguments: [['[ids...]', 'ids that arx tokens ls shows, or the SHA-256 of a token']],
    options: [
      ['--client-id <id>', 'all tokens of this client, as it called itself at its login'],
      ['--all', 'all tokens of the archive; clients that log in by themselves get new ones'],
      ...CONFIRM_OPTIONS,
      ...DATABASE_OPTIONS,
    ],
    examples: [
      'arx tokens revoke --client-id laptop --dry-run',
      'arx tokens revoke --all --yes',
      'arx tokens revoke --all --database postgres://arx@db.example/archive --yes',
    ],
    topics: ['deployment'],
  },
] as const satisfies readonly CommandSpec[];
