// The catalogue of commands: every command's words, in the order of the help.
import type { Words } from './words.ts';
import { SETTING_KEYS } from '../config/keys.ts';
import { ARC_RECONSTRUCTION, MIRROR_RELAY } from '../contract/sequence.ts';
import { EVENT_TYPES, UNSETTLED_EFFECTS } from '../contract/event.ts';
import { TIERS } from '../contract/token.ts';

const WINDOW: Words['options'] = [
  ['--limit <count>', 'rows of one page, 1 to 500'],
  ['--after <id>', 'only rows after this one'],
  ['--before <id>', 'only rows before this one'],
];

const WALK: Words['options'] = [
  ...WINDOW,
  ['--concurrency <count>', 'reads under way at once, 1 to 16 (default: 6)'],
  ['--confidence <share>', 'what the evidence must reach, 0.5 to 0.999999 (default: 0.999)'],
  ['--max-requests <count>', 'give up after so many requests'],
  ['--freeze <dir>', 'keep the frozen log in DIR'],
  ['--resume', 'with --freeze: continue after the last frozen window'],
  ['--report <file>', 'write the walk report to FILE'],
  ['--fail-on-drift <share>', 'exit 8 where more drift is reported, or more reads disagree, 0 to 1'],
];

const DATABASE: Words['options'] = [
  ['--database <url>', 'sqlite:FOLDER or postgres://… (default: the local archive)'],
  ['--blobs <dir>', 'with PostgreSQL: keep files in this folder, not in the database'],
];

const JOURNAL: [string, string] = [
  '--journal <file>',
  'what was sent and acknowledged (default: one for this service in the data folder)',
];
const SIGN: [string, string] = [
  '--sign-with <file>',
  'sign with these secrets (Standard Webhooks), one a line',
];

export const TREE: Words[] = [
  {
    words: 'login',
    summary: 'obtain and store a token for this service and profile',
    options: [
      ['--client-id <id>', 'who asks'],
      ['--observer-tier <tier>', 'the tier you observe from, e.g. internal'],
      ['--requested-tier <tier>', 'the tier you ask for, e.g. internal'],
    ],
    examples: [
      'arx login --observer-tier external',
      'arx login --base-url https://archive.example --client-id me --observer-tier internal --requested-tier internal',
    ],
    load: () => import('./login.ts'),
  },
  {
    words: 'logout',
    summary: 'forget the stored token',
    examples: ['arx logout'],
    load: () => import('./logout.ts'),
  },
  {
    words: 'whoami',
    summary: 'tier, scopes, expiry and source integrity of the token in use',
    examples: ['arx whoami', 'arx whoami --json | jq -r .access_tier'],
    load: () => import('./whoami.ts'),
  },
  {
    words: 'token',
    summary: 'print the token alone, for pipes',
    examples: [
      `printf 'Authorization: Bearer %s' "$(arx token)" | curl -H @- http://127.0.0.1:4747/v1/attachments`,
    ],
    load: () => import('./token.ts'),
  },
  {
    words: 'attachments ls',
    summary: 'one page of the attachment catalogue; withheld rows are shown, never hidden',
    options: [
      ['--city <city>', 'only files of this origin city'],
      ...WINDOW,
      ['--all', 'every row, walked where the service follows cursors'],
      ['--redacted <choice>', 'only redacted rows, or only the others', ['yes', 'no']],
      ['--type <type>', 'only this content type, e.g. image/png'],
      ['--source <source>', 'only rows of this source, e.g. gateway'],
      ['--message <id>', 'only files of this message'],
    ],
    examples: ['arx attachments ls --city lisbon', 'arx attachments ls --all -o ndjson | jq -r .sha256'],
    load: () => import('./attachments/ls.ts'),
  },
  {
    words: 'attachments show',
    summary: 'one row of the catalogue',
    arguments: [['<id>', 'attachment, e.g. att_1']],
    options: [['--open', 'open its file, verified, with the program of this system for it']],
    examples: ['arx attachments show att_1', 'arx attachments show att_1 --open'],
    load: () => import('./attachments/show.ts'),
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
    load: () => import('./attachments/pull.ts'),
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
    load: () => import('./attachments/verify.ts'),
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
    load: () => import('./attachments/export.ts'),
  },
  {
    words: 'content get',
    summary: 'one content record',
    arguments: [['<message>', 'message, e.g. msg_1']],
    options: [
      ['--view <view>', 'which view (default: raw)', ['raw', 'lore']],
      ['--pipeline', 'with the pipeline block'],
      ['--stego', 'with what a reader does not see'],
      ['--raw', 'the stored bytes alone, checked against their hash'],
      ['--save <dir>', 'keep the record, its stored bytes and the files it names in DIR'],
      ['--allow-escape-sequences', 'with --raw: send control characters to the terminal'],
    ],
    examples: [
      'arx content get msg_1 --view lore --pipeline',
      'arx content get msg_1 --raw > msg_1.eml',
      'arx content get msg_1 --save letter',
    ],
    load: () => import('./content/get.ts'),
  },
  {
    words: 'conversations ls',
    summary: 'one raw page of conversations, as the service tells it',
    options: WINDOW,
    examples: ['arx conversations ls --limit 5'],
    load: () => import('./conversations/ls.ts'),
  },
  {
    words: 'conversations show',
    summary: 'one conversation with its messages',
    arguments: [['<id>', 'conversation, e.g. conv_1']],
    examples: ['arx conversations show conv_1'],
    load: () => import('./conversations/show.ts'),
  },
  {
    words: 'conversations walk',
    summary: 'the exact list, through frozen windows',
    options: [
      ...WALK,
      ['--cross-check <mode>', 'second witness /messages (default: boundary)', ['off', 'boundary', 'full']],
    ],
    examples: [
      'arx conversations walk -o ndjson | wc -l',
      'arx conversations walk --freeze walk1 --report walk1.json',
    ],
    load: () => import('./conversations/walk.ts'),
  },
  {
    words: 'conversations verify',
    summary: 'check the hash chain and the rows of a frozen log, offline',
    arguments: [['<dir>', 'folder of conversations walk --freeze']],
    examples: ['arx conversations verify walk1'],
    load: () => import('./conversations/verify.ts'),
  },
  {
    words: 'conversations diff',
    summary: 'what was added, moved, lost and changed between two frozen walks, offline',
    arguments: [
      ['<a>', 'folder of the earlier conversations walk --freeze'],
      ['<b>', 'folder of the later one'],
    ],
    examples: ['arx conversations diff walk1 walk2', 'arx conversations diff walk1 walk2 -o ndjson'],
    load: () => import('./conversations/diff.ts'),
  },
  {
    words: 'conversations plot',
    summary: 'drift and reads over the windows of a frozen walk, drawn, offline',
    arguments: [['<dir>', 'folder of conversations walk --freeze']],
    options: [['--html <file>', 'also write them as a page, in one file that needs nothing else']],
    examples: ['arx conversations plot walk1', 'arx conversations plot walk1 --html walk1.html'],
    load: () => import('./conversations/plot.ts'),
  },
  {
    words: 'walk',
    summary: 'the exact list of any service whose cursors are the ids of its rows',
    arguments: [['<url>', 'address of the list, with its filters']],
    options: [
      ...WALK,
      ['--id-field <name>', 'field that cursors are; dots lead inward (default: id)'],
      ['--data-field <name>', 'field of the answer that holds the rows (default: found)'],
      ['--positions-field <name>', 'field that numbers the rows without gaps'],
      ['--after-param <name>', 'parameter for rows after one (default: starting_after)'],
      ['--before-param <name>', 'parameter for rows before one (default: ending_before)'],
      ['--limit-param <name>', 'parameter for the size of a page (default: limit)'],
      ['--forward-only', 'never read backward'],
    ],
    examples: [
      'arx walk https://api.example/v1/orders?status=open --token-file key -o ndjson',
      'arx walk https://api.example/items --after-param after --before-param before --freeze items',
    ],
    load: () => import('./walk.ts'),
  },
  {
    words: 'messages ls',
    summary: 'one page of messages: the cross-check surface; or, walked, the exact list',
    options: [
      ['--conversation <id>', 'only messages of this conversation'],
      ['--opening', 'one message a conversation, its first, in the order of conversations'],
      ['--walk', 'the exact list, through frozen windows; the options of a walk go with it'],
      ...WALK,
    ],
    examples: ['arx messages ls --conversation conv_1', 'arx messages ls --walk -o ndjson | wc -l'],
    load: () => import('./messages/ls.ts'),
  },
  {
    words: 'sequence show',
    summary: 'positions, reported against checked, with the drift drawn',
    arguments: [['<name>', `${ARC_RECONSTRUCTION} or ${MIRROR_RELAY}`, [ARC_RECONSTRUCTION, MIRROR_RELAY]]],
    options: [...WINDOW, ['--all', 'every position, walked where the service follows cursors']],
    examples: [`arx sequence show ${ARC_RECONSTRUCTION}`],
    load: () => import('./sequence/show.ts'),
  },
  {
    words: 'events send',
    summary: 'validate and send events, confirm each acknowledgement',
    arguments: [['[type]', 'event type', EVENT_TYPES]],
    options: [
      ['--id <id>', 'event id; the same on every retry'],
      ['--payload <json>', 'payload as JSON, or @FILE'],
      ['--file <file>', 'envelopes {id, type, payload}, one a line; - for standard input'],
      ['--allow-unknown-type', 'send a type the vocabulary does not hold'],
      JOURNAL,
      SIGN,
    ],
    examples: [
      `arx events send message.reordered --id evt_1 --payload '{"id":"msg_2","entry":"entry_2","sequence":7}'`,
    ],
    load: () => import('./events/send.ts'),
  },
  {
    words: 'events types',
    summary: 'the vocabulary with payload fields',
    examples: [`arx events types --json | jq -r '.data[].type'`, `arx events send ${EVENT_TYPES[4]} …`],
    load: () => import('./events/types.ts'),
  },
  {
    words: 'events ls',
    summary: 'what the service took in and what became of it',
    options: [...WINDOW, ['--effect <effect>', 'only events with this effect', UNSETTLED_EFFECTS]],
    examples: ['arx events ls', 'arx events ls --effect dead'],
    load: () => import('./events/ls.ts'),
  },
  {
    words: 'events reconcile',
    summary: 'what was sent against what was acknowledged and what the service holds',
    options: [JOURNAL, ['--replay', 'send again what is missing, under the same ids'], SIGN],
    examples: ['arx events reconcile', 'arx events reconcile --replay --json | jq .findings'],
    load: () => import('./events/reconcile.ts'),
  },
  {
    words: 'health',
    summary: "the service's health",
    examples: ['arx health'],
    load: () => import('./health.ts'),
  },
  {
    words: 'doctor',
    summary: "this installation's health, as checks with a verdict",
    examples: ['arx doctor'],
    lenient: true,
    load: () => import('./doctor.ts'),
  },
  {
    words: 'about api',
    summary: 'which facts of the interface are documented, which are our assumption',
    examples: ['arx about api', `arx about api --json | jq '.data[] | select(.origin == "assumption")'`],
    load: () => import('./about/api.ts'),
  },
  {
    words: 'api',
    summary: 'any GET of the interface with the stored token, body as received',
    arguments: [['<path>', 'path and query, e.g. /v1/attachments?limit=2']],
    examples: ['arx api /api/health'],
    load: () => import('./api.ts'),
  },
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
      ...DATABASE,
    ],
    examples: ['arx import list.mbox', 'arx import slack-export.zip ~/Mail/inbox'],
    load: () => import('./import.ts'),
  },
  {
    words: 'redact',
    summary: "withhold a file's payload in the local archive",
    arguments: [['<id>', 'attachment, e.g. att_1']],
    options: [['--reason <text>', 'kept with the row'], ['--undo', 'give it again'], ...DATABASE],
    examples: ['arx redact att_3 --reason "names a minor"', 'arx redact att_3 --undo'],
    load: () => import('./redact.ts'),
  },
  {
    words: 'fsck',
    summary: 'check the whole local archive: every row, every stored byte; nothing is changed',
    options: DATABASE,
    examples: ['arx fsck', 'arx fsck --database postgres://arx@db.example/archive --json'],
    load: () => import('./fsck.ts'),
  },
  {
    words: 'backup',
    summary: 'copy the local archive as it is at one moment, also while it is served and written',
    options: [
      ['--to <dir>', 'target: missing, empty, or an earlier backup, of which files are kept'],
      ['--database <url>', 'sqlite:FOLDER (default: the local archive)'],
    ],
    examples: ['arx backup --to /mnt/backup/archive', 'arx fsck --database sqlite:/mnt/backup/archive'],
    load: () => import('./backup.ts'),
  },
  {
    words: 'serve',
    summary: 'run the service on a port',
    options: [
      ['--host <address>', 'address to bind (default: 127.0.0.1)'],
      ['--port <port>', 'port of the interface, 0 for any free one (default: 4747)'],
      ['--asset-port <port>', 'port of the files (default: the next one)'],
      ['--allow-host <names>', 'names, with commas, to answer to besides localhost'],
      ...DATABASE,
      [
        '--max-tier <tier>',
        'highest tier given to anyone (default: internal on loopback, else external)',
        TIERS,
      ],
      [
        '--read-only',
        'change nothing of the archive: beside a writing process, or on a read-only file system',
      ],
      ['--trust-proxy <addresses>', 'addresses or networks, with commas, whose X-Forwarded-For is believed'],
      [
        '--max-connections <count>',
        'connections at once on each port (default: 12000, less where the system allows less)',
      ],
      [
        '--max-connections-per-address <count>',
        'of one address, but for this machine and proxies; 0: any (default: 256)',
      ],
      ['--log <file>', 'append a line of JSON for each answer to FILE, - for stderr (also with -v)'],
      ['--log-level <level>', 'the least urgent that is logged (default: info)', ['error', 'warn', 'info']],
      ['--metrics-port <port>', 'figures for Prometheus on this port, under /metrics'],
      ['--metrics-host <address>', 'address to bind for them (default: 127.0.0.1)'],
      ['--webhook-secret-file <file>', 'events must be signed with one of these secrets, one a line'],
      ['--drift <ratio>', 'inject drift, e.g. 0.13 or 0.13:0.21 (default: none)'],
      ['--drift-seed <seed>', 'the same seed, the same drift, faults and writes'],
      [
        '--drift-faults <kinds>',
        'shift,boundary,later,permute,missing,dup,stale (default: all); only if named: scramble,empty,loop,oversize',
      ],
      [
        '--drift-mode <mode>',
        'how lies hang together (default: each)',
        ['each', 'key', 'sticky', 'burst', 'collude'],
      ],
      ['--drift-reported <ratio>', 'ratio the service reports of itself (default: the true one)'],
      ['--drift-writes <writes>', 'rows that come and go, e.g. append:10:4,insert:3:9,delete:3:9'],
      ['--drift-latency <ms>', 'milliseconds added to every answer'],
      [
        '--drift-log <file>',
        'append what was done to each read to FILE; truth=true then reads the true list',
      ],
      ['--transport-faults <share>', 'share of list requests that fail on the line, 0 to 1'],
      ['--transport-kinds <kinds>', '429,503,reset,cut,slow (default: all)'],
    ],
    examples: [
      'arx serve',
      'arx serve --port 0 --drift 0.13:0.21 --drift-seed 7 --json',
      'arx serve --database postgres://arx@db.example/archive?sslmode=verify-full',
      'arx serve --log serve.log --metrics-port 9100 --trust-proxy 127.0.0.1',
      'arx serve --read-only',
      'arx serve --drift 0.21 --drift-mode key --transport-faults 0.05 --drift-log drift.ndjson',
    ],
    load: () => import('./serve.ts'),
  },
  {
    words: 'config get',
    summary: 'one setting',
    arguments: [['<key>', 'setting, e.g. base_url', SETTING_KEYS]],
    examples: ['arx config get base_url'],
    load: () => import('./config/get.ts'),
  },
  {
    words: 'config set',
    summary: 'keep a setting',
    arguments: [
      ['<key>', 'setting, e.g. base_url', SETTING_KEYS],
      ['<value>', 'its value'],
    ],
    examples: ['arx config set base_url https://archive.example'],
    lenient: true,
    load: () => import('./config/set.ts'),
  },
  {
    words: 'config unset',
    summary: 'forget a setting',
    arguments: [['<key>', 'setting, e.g. base_url', SETTING_KEYS]],
    examples: ['arx config unset base_url'],
    lenient: true,
    load: () => import('./config/unset.ts'),
  },
  {
    words: 'config list',
    summary: 'all settings, with where each value came from',
    examples: ['arx config list'],
    load: () => import('./config/list.ts'),
  },
  {
    words: 'config path',
    summary: 'where settings, tokens and the local archive are kept',
    examples: ['arx config path'],
    lenient: true,
    load: () => import('./config/path.ts'),
  },
  {
    words: 'profile ls',
    summary: 'the profiles',
    examples: ['arx profile ls'],
    load: () => import('./profile/ls.ts'),
  },
  {
    words: 'profile use',
    summary: 'make a profile the default',
    arguments: [['<name>', 'profile']],
    examples: ['arx profile use work'],
    load: () => import('./profile/use.ts'),
  },
  {
    words: 'completion',
    summary: 'completion script on standard output',
    arguments: [['<shell>', 'bash, zsh, fish or powershell', ['bash', 'zsh', 'fish', 'powershell']]],
    examples: ['arx completion bash > ~/.local/share/bash-completion/completions/arx'],
    load: () => import('./completion.ts'),
  },
  {
    words: 'demo',
    summary: 'the whole tour on a generated sample archive, in a scratch folder',
    options: [['--keep', 'keep the scratch folder and say where it is']],
    examples: ['arx demo'],
    load: () => import('./demo.ts'),
  },
];

/** What a first word stands for, where it has further words. */
export const NOUNS: Record<string, string> = {
  attachments: 'the catalogue of files',
  content: 'content records',
  conversations: 'conversations, raw or walked exactly',
  messages: 'messages, the second witness',
  sequence: 'sequences and their drift',
  events: 'events for the ingest endpoint',
  about: 'what is documented and what is assumed',
  config: 'settings',
  profile: 'profiles',
};
