// Commands for attachments and their files.
import type { CommandSpec } from './command-spec.ts';
import { PAGE_OPTIONS } from './shared-options.ts';

export const ATTACHMENT_COMMANDS = [
  {
    words: 'attachments ls',
    summary: 'one page of the attachment catalogue; withheld rows are shown, never hidden',
    options: [
      ['--city <city>', 'only files of this origin city'],
      ...PAGE_OPTIONS,
      ['--all', 'every row, walked where the service follows cursors'],
      ['--redacted <choice>', 'only redacted rows, or only the others', ['yes', 'no']],
      ['--type <type>', 'only this content type, e.g. image/png'],
      ['--source <source>', 'only rows of this source, e.g. gateway'],
      ['--message <id>', 'only files of this message'],
    ],
    examples: ['arx attachments ls --city lisbon', 'arx attachments ls --all -o ndjson | jq -r .sha256'],
  },
  {
    words: 'attachments show',
    summary: 'one row of the catalogue',
    arguments: [['<id>', 'attachment, e.g. att_1']],
    options: [['--open', 'open its file, verified, with the program of this system for it']],
    examples: ['arx attachments show att_1', 'arx attachments show att_1 --open'],
  },
  {
    words: 'attachments pull',
    summary: 'download files; a file gets its name only when its hash matches',
    arguments: [['[ids...]', 'attachments, e.g. att_1 att_2']],
    options: [
      ['--city <city>', 'all files of this origin city'],
      ['--type <type>', 'all files of this content type, e.g. image/png'],
      ['--source <source>', 'all files of this source, e.g. gateway'],
      ['--message <id>', 'all files of this message'],
      ['--all', 'all files of the catalogue'],
      ['--to <dir>', 'target folder (default: the current one)'],
      ['--concurrency <count>', 'files fetched at once, 1 to 32 (default: 6)'],
      ['--dry-run', 'say what would come, request no file and write nothing'],
      ['--exact-names', 'refuse unsafe names instead of changing them'],
    ],
    examples: [
      'arx attachments pull --city lisbon --to lisbon',
      'arx attachments pull --all --to files --dry-run',
    ],
  },
  {
    words: 'attachments verify',
    summary: 'hash-verification report of a pulled folder, or of a BagIt bag',
    arguments: [['[dir]', 'the folder, or a zipped bag (default: the current folder)']],
    options: [
      [
        '--against <witness>',
        'what the files are held against (default: the manifest of a pull, else SHA256SUMS, else as a bag)',
        ['manifest', 'catalogue', 'sums', 'bag'],
      ],
      ['--offline', 'never ask the service'],
      ['--html <file>', 'also write the report as a page, in one file that needs nothing else'],
    ],
    examples: [
      'arx attachments verify lisbon',
      'arx attachments verify lisbon -o sums | sha256sum -c',
      'arx attachments verify --against bag lisbon.zip',
    ],
  },
  {
    words: 'attachments export',
    summary:
      'preservation package of a pulled folder: files verified again on their way, with what is known of them',
    arguments: [['[dir]', 'the pulled folder (default: the current one)']],
    options: [
      ['--format <format>', 'kind of package (default: bagit)', ['bagit']],
      ['--to <path>', 'the bag: a folder, or a file that ends in .zip'],
      ['--frozen <dir>', 'folder of conversations walk --freeze, to go with it'],
      ['--offline', 'never ask the service: only what the manifest knows of each file'],
    ],
    examples: [
      'arx attachments export lisbon --format bagit --to lisbon-bag',
      'arx attachments export lisbon --format bagit --to lisbon.zip --frozen walk1',
    ],
  },
] as const satisfies readonly CommandSpec[];
