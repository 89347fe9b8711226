// Commands for attachments and their files.
import type { CommandOption, CommandSpec } from './command-spec.ts';
import { ALL_OPTION, COUNT_OPTION, LIMIT_OPTIONS, PAGE_OPTIONS, sortOption } from './shared-options.ts';

/** Which files are listed, counted or pulled. */
const FILTERS = [
  ['--city <city>', 'only files from this city'],
  ['--type <type>', 'only this content type, e.g. image/png or image/*; none: without one'],
  ['--source <source>', 'only rows of this source, e.g. gateway'],
  ['--message <id>', 'only files of this message'],
  ['--from <words>', 'only files of messages whose sender has these words'],
  ['--matching <query>', 'only files of the messages that this search finds (arx help queries)'],
  ['--name <pattern>', 'only files with such a name, in any case: *, ? and [a-z], e.g. "*.pdf"'],
  ['--min-bytes <size>', 'only files of at least this size, e.g. 2000, 20kB or 1.5M'],
  ['--since <date>', 'only files whose message is from this date on, e.g. 2021, 2021-03-04, 3m'],
  ['--until <date>', 'only files whose message is from before this date'],
  ['--on <date>', 'only files whose message is of this day, month or year, e.g. 2021-03'],
] as const satisfies readonly CommandOption[];

/** For a mirror: some files are withheld every day. */
const ALLOW_WITHHELD = [
  '--allow-withheld',
  'withheld and absent files are no failure; without it the exit code is 3',
] as const satisfies CommandOption;

/** Names, arguments, options and examples of the `attachments` commands. */
export const ATTACHMENT_COMMANDS = [
  {
    words: 'attachments ls',
    summary: 'list attachments, one page or all; withheld ones are marked',
    effect: 'none',
    options: [
      ...FILTERS,
      ['--redacted <choice>', 'only redacted rows, or only the others', ['yes', 'no']],
      ...PAGE_OPTIONS,
      ALL_OPTION,
      sortOption('filename', 'type', 'bytes', 'city', 'source', 'from', 'date'),
      COUNT_OPTION,
    ],
    examples: [
      'arx attachments ls --city lisbon',
      'arx attachments ls --name "*.pdf" --sort -bytes',
      'arx attachments ls --from carvalho --fields id,filename,from,message_id',
      'arx attachments ls --all -o ndjson | jq -r .sha256',
    ],
    topics: ['output', 'drift'],
  },
  {
    words: 'attachments cities',
    summary: 'count the files of each city: available, withheld, absent',
    effect: 'none',
    options: FILTERS,
    examples: ['arx attachments cities', 'arx attachments cities --type image/jpeg -o tsv | head'],
    topics: ['output', 'files'],
  },
  {
    words: 'attachments types',
    summary: 'count the files of each content type',
    effect: 'none',
    options: FILTERS,
    examples: ['arx attachments types --city lisbon', 'arx attachments types --on 2004'],
    topics: ['output', 'files'],
  },
  {
    words: 'attachments sources',
    summary: 'count the files of each source',
    effect: 'none',
    options: FILTERS,
    examples: ['arx attachments sources'],
    topics: ['output', 'files'],
  },
  {
    words: 'attachments senders',
    summary: 'count the files of each sender; this reads the list of messages too',
    effect: 'none',
    options: FILTERS,
    examples: ['arx attachments senders --type application/pdf'],
    topics: ['output', 'files'],
  },
  {
    words: 'attachments show',
    summary: 'show one attachment',
    effect: 'none',
    arguments: [['<id>', 'attachment, e.g. att_1']],
    options: [
      ['--open', 'verify its file and open it with the default program'],
      ['--preview', 'verify its picture and draw it on the terminal (PNG, JPEG, GIF)'],
    ],
    examples: ['arx attachments show att_1', 'arx attachments show att_1 --open'],
    topics: ['files'],
  },
  {
    words: 'attachments cat',
    summary: 'write the bytes of files to standard output, checked against their hashes',
    effect: 'none',
    arguments: [['<ids...>', 'attachments, e.g. att_1; - reads ids from standard input']],
    options: [['--allow-escape-sequences', 'send control characters to the terminal'], ...LIMIT_OPTIONS],
    examples: ['arx attachments cat att_1 > photo.jpg', 'arx attachments cat att_1 | sha256sum'],
    topics: ['files'],
  },
  {
    words: 'attachments pull',
    summary: 'download files; each gets its name only when its hash matches',
    effect: 'change',
    arguments: [['[attachments...]', 'attachments, e.g. att_1 att_2']],
    options: [
      ...FILTERS,
      [
        '--ids <file>',
        'the files whose ids FILE holds, one in each line or rows of a list; - is standard input',
      ],
      ['--all', 'all files of the catalogue'],
      [
        '--to <dir>',
        'target folder (default: the current folder); arx attachments verify DIR checks it later',
      ],
      ['--by <field>', 'sort files into folders by this field', ['city', 'type', 'conversation']],
      ['--flat', 'put all files into the target folder itself (default)'],
      ['--concurrency <count>', 'files fetched at once, 1 to 32 (default: 6)'],
      ...LIMIT_OPTIONS,
      ['--dry-run', 'show what would be downloaded; fetch and write no file'],
      ['--exact-names', 'refuse unsafe names instead of changing them'],
      ALLOW_WITHHELD,
    ],
    examples: [
      'arx attachments pull --city lisbon --to lisbon',
      'arx attachments pull --matching "harbour since:2004" --by city --to harbour',
      'arx attachments ls --city lisbon -o ndjson | arx attachments pull --ids - --to picked',
      'arx attachments pull --all --to files --dry-run',
      'arx attachments pull --city lisbon --to files --max-rate 2MB --max-bytes 1GB',
    ],
    topics: ['files'],
  },
  {
    words: 'attachments verify',
    summary: 'verify the files of a folder or of a BagIt bag against their hashes',
    effect: 'none',
    arguments: [['[dir]', 'the folder, or a zipped bag (default: the current folder)']],
    options: [
      [
        '--against <reference>',
        'what the files are compared with (default: the manifest of a pull, else SHA256SUMS, else as a bag); with catalogue, filters such as --city choose the expected rows',
        ['manifest', 'catalogue', 'sums', 'bag'],
      ],
      ...FILTERS,
      ALLOW_WITHHELD,
      ['--html <file>', 'also write the report as a page, one file without links; - prints only the page'],
    ],
    examples: [
      'arx attachments verify lisbon',
      'arx attachments verify lisbon -o sums > lisbon/SHA256SUMS',
      '(cd lisbon && arx attachments verify . -o sums | sha256sum -c)',
      'arx attachments verify lisbon --against catalogue --city lisbon',
      'arx attachments verify --against bag lisbon.zip',
    ],
    topics: ['files'],
  },
  {
    words: 'attachments export',
    summary: 'pack a pulled folder as a BagIt bag, verifying each file again',
    effect: 'change',
    arguments: [['[dir]', 'the pulled folder (default: the current folder)']],
    options: [
      ['--format <format>', 'kind of package (default: bagit)', ['bagit']],
      [
        '--to <path>',
        'the bag: a folder, or a file that ends in .zip; - writes the zip file to standard output',
      ],
      ['--frozen <dir>', 'also pack this folder of conversations walk --freeze'],
    ],
    examples: [
      'arx attachments export lisbon --format bagit --to lisbon-bag',
      'arx attachments export lisbon --format bagit --to lisbon.zip --frozen walk1',
    ],
    topics: ['evidence'],
  },
] as const satisfies readonly CommandSpec[];
