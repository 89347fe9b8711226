// Checks of attachments: rows, files with their hashes, content records.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Letter, StoredFile } from '../archive.ts';
import type { Variant } from '../variant.ts';
import { recordsOf } from '../../command.ts';
import {
  idsOf,
  must,
  mustEqual,
  mustExist,
  mustList,
  mustRefuse,
  mustSucceed,
  refusalsOf,
  saidBy,
  type Check,
  type Context,
} from './check.ts';

const CITY = 'lisbon';

/** Returns the ids of the files that are selected, in the order of the catalogue. */
function filesWith({ service, variant }: Context, selects: (file: StoredFile) => boolean): string[] {
  return service.archive.files.filter(selects).map(variant.records.idOf);
}

/** Options that a pull needs so that it may fetch the files at all. */
const trusting = ({ variant, service }: Context): string =>
  variant.filesElsewhere ? `--allow-asset-host ${new URL(service.filesUrl).host} ` : '';

/** Throws unless the folder has exactly these files, each with its bytes. */
function mustHold(folder: string, files: readonly StoredFile[]): void {
  const byHash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
  const found = existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).filter(
        (one) => one.isFile() && !/^\.|manifest|SHA256SUMS/.test(one.name),
      )
    : [];
  mustEqual(
    found.map(({ name }) => byHash(readFileSync(join(folder, name)))).sort(),
    files.map(({ sha256 }) => sha256).sort(),
    'files',
  );
}

/** A list of the whole catalogue that a filter selects from. */
const filtered = (options: string, selects: (file: StoredFile) => boolean): Check => ({
  commands: ['attachments ls'],
  name: `attachments ls: every row ${options}`.trimEnd(),
  async run(context) {
    const ran = await context.arx(`attachments ls --all ${options} -o ndjson`);
    // Where a source is no text, it cannot be told whether the filter matches.
    const isUnclear = options.includes('--source') && context.variant.name === 'odd-fields';
    const refusals = isUnclear ? [3] : refusalsOf(context.variant, 'attachments');
    mustList(ran, filesWith(context, selects), refusals);
  },
});

/** Counts of the catalogue by a value that every row shows. */
const counted = (command: string, valueOf: (file: StoredFile) => string): Check => ({
  commands: [command],
  name: `${command}: as many files as there are`,
  async run({ arx, service: { archive }, variant }) {
    const ran = await arx(`${command} -o ndjson`);
    if (refusalsOf(variant, 'attachments').includes(ran.exit))
      return mustRefuse(ran, refusalsOf(variant, 'attachments'));
    mustSucceed(ran);
    const counts = recordsOf(ran).map(({ value, files }) => `${String(value)}: ${String(files)}`);
    const expected = new Map<string, number>();
    for (const file of archive.files) expected.set(valueOf(file), (expected.get(valueOf(file)) ?? 0) + 1);
    mustEqual(
      counts.toSorted(),
      [...expected].map(([value, files]) => `${value}: ${files}`).toSorted(),
      'counts',
    );
  },
});

/** Counts by a value that rows of some services do not show: every file is counted all the same. */
const summed = (command: string): Check => ({
  commands: [command],
  name: `${command}: every file is counted once`,
  async run({ arx, service: { archive }, variant }) {
    const ran = await arx(`${command} -o ndjson`);
    if (ran.exit !== 0) return mustRefuse(ran, [2, 3, 6, 10, 11, ...refusalsOf(variant, 'attachments')]);
    const files = recordsOf(ran).reduce((sum, row) => sum + Number(row['files']), 0);
    must(files === archive.files.length, `${files} files of ${archive.files.length}`);
  },
});

/** Returns whether a service shows this field of a file, in any spelling. */
const doesShow = ({ records }: Variant, file: StoredFile, field: string): boolean =>
  Object.keys(records.file(file, null)).some((name) => spelling(name) === spelling(field));
const spelling = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** Files of which the service does not show the type: they are neither of a type nor of another one. */
const WITHOUT_TYPE: Check = {
  commands: ['attachments ls'],
  name: 'attachments ls: every row --type none',
  async run(context) {
    const ran = await context.arx('attachments ls --all --type none -o ndjson');
    const expected = filesWith(context, (file) => !doesShow(context.variant, file, 'content_type'));
    mustList(ran, expected, refusalsOf(context.variant, 'attachments'));
  },
};

/** Files of messages from one sender, where the service says which message a file is of; else it is refused. */
const OF_A_SENDER: Check = {
  commands: ['attachments ls', 'attachments pull'],
  name: 'attachments ls, attachments pull: files of a sender',
  async run(context) {
    const { arx, service, variant } = context;
    const listed = await arx('attachments ls --all --from ana -o ndjson');
    const planned = await arx('attachments pull --from ana --to none --dry-run -o ndjson');
    const isShown = doesShow(variant, service.archive.files[0]!, 'message_id');
    const refusals = refusalsOf(variant, 'attachments');
    if (!isShown || variant.messages !== 'answers') {
      // Where nothing can be selected by the sender, nothing may be listed as if it were.
      for (const ran of [listed, planned]) {
        mustRefuse(ran, [3, ...refusals]);
        must(ran.stdout === '', 'rows whose sender is not known');
      }
      return;
    }
    const ofSender = new Set(
      service.archive.letters.filter(({ author }) => author.startsWith('ana@')).map(({ id }) => id),
    );
    const expected = filesWith(context, ({ letterId }) => ofSender.has(letterId));
    must(
      expected.length > 0 && expected.length < service.archive.files.length,
      'a check that selects nothing',
    );
    mustList(listed, expected, refusals);
    mustEqual(idsOf(planned), expected, 'planned files');
  },
};

/** Checks of the catalogue and of files. */
export const FILE_CHECKS: readonly Check[] = [
  filtered('', () => true),
  filtered(`--city ${CITY}`, ({ city }) => city === CITY),
  counted('attachments cities', ({ city }) => city),
  summed('attachments types'),
  summed('attachments sources'),
  summed('attachments senders'),
  filtered('--redacted yes', ({ isWithheld }) => isWithheld),
  filtered('--redacted no --type text/csv', (file) => !file.isWithheld && file.contentType === 'text/csv'),
  filtered(
    '--redacted no --type "text/*"',
    (file) => !file.isWithheld && file.contentType.startsWith('text/'),
  ),
  WITHOUT_TYPE,
  OF_A_SENDER,
  filtered('--redacted no --source gateway', (file) => !file.isWithheld && file.source === 'gateway'),
  {
    commands: ['attachments ls'],
    name: 'attachments ls: a page of a city',
    async run(context) {
      const ran = await context.arx(`attachments ls --city ${CITY} --limit 5 -o ndjson`);
      mustSucceed(ran);
      const expected = filesWith(context, ({ city }) => city === CITY);
      const strange = idsOf(ran).filter((id) => !expected.includes(id));
      must(strange.length === 0, `${strange.length} files of other cities`);
    },
  },
  {
    commands: ['attachments ls'],
    name: 'attachments ls: hashes, names and marks as they are',
    async run({ arx, service, variant }) {
      const ran = await arx('attachments ls --limit 7 -o ndjson');
      mustSucceed(ran);
      const rows = recordsOf(ran);
      if (variant.faults.drift > 0) return;
      must(rows.length > 0, 'no rows');
      for (const [at, row] of rows.entries()) {
        const file = service.archive.files[at]!;
        must(String(row['sha256']).toLowerCase() === file.sha256, `another hash of ${file.id}`);
        must(row['filename'] === file.filename, `another name of ${file.id}`);
        must(row['redacted'] === file.isWithheld, `another mark of ${file.id}`);
      }
    },
  },
  {
    commands: ['attachments show'],
    name: 'attachments show: one',
    async run({ arx, service, variant }) {
      const file = service.archive.files[77]!;
      const ran = await arx(`attachments show ${variant.records.idOf(file)} --json`);
      if (refusalsOf(variant, 'attachments').includes(ran.exit))
        return mustRefuse(ran, refusalsOf(variant, 'attachments'));
      mustSucceed(ran);
      const row = JSON.parse(ran.stdout) as { id: string; sha256: string };
      must(row.id === variant.records.idOf(file), `shows ${row.id}`);
      must(row.sha256.toLowerCase() === file.sha256, 'another hash');
    },
  },
  {
    commands: ['attachments show'],
    name: 'attachments show: one that is not there',
    async run({ arx, variant }) {
      mustRefuse(
        await arx('attachments show nothing-77'),
        [6, ...refusalsOf(variant, 'attachments')],
        /nothing-77|list/,
      );
    },
  },
  {
    commands: ['attachments pull', 'attachments verify', 'attachments export'],
    name: 'attachments pull: one by its id, then verified and packed',
    async run(context) {
      const { arx, dir, service, variant } = context;
      const file = service.archive.files[77]!;
      const ran = await arx(`${trusting(context)}attachments pull ${variant.records.idOf(file)} --to got`);
      if (refusalsOf(variant, 'attachments').includes(ran.exit))
        return mustRefuse(ran, refusalsOf(variant, 'attachments'));
      mustSucceed(ran);
      mustHold(join(dir, 'got'), [file]);
      for (const line of [
        'attachments verify got',
        'attachments export got --format bagit --to bag',
        'attachments verify bag --against bag',
      ]) {
        const next = await arx(line);
        if (line.includes('export') && refusalsOf(variant, 'attachments').includes(next.exit)) return;
        must(next.exit === 0, `${line}: ${saidBy(next)}`);
      }
      // The catalogue has many more that could have been pulled.
      const against = await arx('attachments verify got --against catalogue');
      if (against.exit === 12) must(/\d+ files missing/.test(against.stderr), saidBy(against));
      else mustRefuse(against, refusalsOf(variant, 'attachments'));
      mustExist(join(dir, 'bag/bagit.txt'));
    },
  },
  {
    commands: ['attachments pull'],
    name: 'attachments pull: a city',
    async run(context) {
      const { arx, dir, service, variant } = context;
      const wanted = service.archive.files.filter(({ city }) => city === CITY);
      const ran = await arx(`${trusting(context)}attachments pull --city ${CITY} --to ${CITY}`);
      const open = wanted.filter(({ isWithheld }) => !isWithheld);
      if (variant.cursors.opaque || refusalsOf(variant, 'attachments').includes(ran.exit)) {
        mustRefuse(ran, [3, ...refusalsOf(variant, 'attachments')]);
        return;
      }
      must(open.length > 0 && open.length < wanted.length, 'the archive has no such city');
      mustRefuse(ran, [3], /withheld/);
      mustHold(join(dir, CITY), open);
      const verified = await arx(`attachments verify ${CITY} --offline`);
      must(verified.exit === 3 || verified.exit === 0, `verify: ${saidBy(verified)}`);
    },
  },
  {
    commands: ['attachments pull'],
    name: 'attachments pull: what would be downloaded',
    async run(context) {
      const { arx, dir, variant } = context;
      const ran = await arx(`attachments pull --all --to none --dry-run --json`);
      if (refusalsOf(variant, 'attachments').includes(ran.exit)) return;
      must(ran.exit === 0 || ran.exit === 3, saidBy(ran));
      must(!existsSync(join(dir, 'none')), 'it wrote a folder');
      const expected = filesWith(context, ({ isWithheld }) => !isWithheld).length;
      must(new RegExp(`\\b${expected}\\b`).test(ran.stdout), `it does not name ${expected} files`);
    },
  },
  {
    commands: ['attachments pull'],
    name: 'attachments pull: one that is withheld',
    async run(context) {
      const { arx, dir, service, variant } = context;
      const file = service.archive.files.find(({ isWithheld }) => isWithheld)!;
      const ran = await arx(`${trusting(context)}attachments pull ${variant.records.idOf(file)} --to got`);
      mustRefuse(
        ran,
        [3, ...refusalsOf(variant, 'attachments')],
        variant.cursors.opaque ? /\w/ : /withheld|list/,
      );
      mustHold(join(dir, 'got'), []);
    },
  },
  {
    commands: ['attachments pull'],
    name: 'attachments pull: files of another host only where that is allowed',
    async run({ arx, dir, service, variant }) {
      if (!variant.filesElsewhere) return;
      const ran = await arx(`attachments pull ${variant.records.idOf(service.archive.files[0]!)} --to got`);
      mustRefuse(ran, [13], /allow-asset-host|asset-url/);
      mustHold(join(dir, 'got'), []);
    },
  },
  {
    commands: ['attachments pull'],
    name: 'attachments pull: of ids from a pipe, into folders',
    async run(context) {
      const { arx, dir, service, variant } = context;
      const files = service.archive.files.filter(({ isWithheld }) => !isWithheld).slice(3, 6);
      const stdin = files.map((file) => `${variant.records.idOf(file)}\n`).join('');
      const ran = await arx(`${trusting(context)}attachments pull --ids - --by city --to sorted`, { stdin });
      const refusals = refusalsOf(variant, 'attachments');
      if (refusals.includes(ran.exit)) return mustRefuse(ran, refusals);
      mustSucceed(ran);
      const folders = readdirSync(join(dir, 'sorted')).filter((name) => !name.startsWith('.'));
      must(folders.length > 0, 'no folders');
      mustEqual(
        folders
          .flatMap((name) =>
            readdirSync(join(dir, 'sorted', name)).map((file) =>
              readFileSync(join(dir, 'sorted', name, file)),
            ),
          )
          .map((bytes) => createHash('sha256').update(bytes).digest('hex'))
          .toSorted(),
        files.map(({ sha256 }) => sha256).toSorted(),
        'files',
      );
    },
  },
  {
    commands: ['attachments pull'],
    name: 'attachments pull: of a search, which such a service does not have',
    async run({ arx }) {
      mustRefuse(await arx('attachments pull --matching hello --to found'), [6], /no search/);
    },
  },
  {
    commands: ['attachments cat'],
    name: 'attachments cat: the bytes of one file, none of one that is withheld',
    async run(context) {
      const { arx, service, variant } = context;
      const file = service.archive.files[77]!;
      const ran = await arx(`${trusting(context)}attachments cat ${variant.records.idOf(file)}`);
      const refusals = refusalsOf(variant, 'attachments');
      if (refusals.includes(ran.exit)) mustRefuse(ran, refusals);
      else {
        mustSucceed(ran);
        mustEqual([createHash('sha256').update(ran.bytes).digest('hex')], [file.sha256], 'bytes');
      }
      const withheld = service.archive.files.find(({ isWithheld }) => isWithheld)!;
      const none = await arx(`${trusting(context)}attachments cat ${variant.records.idOf(withheld)}`);
      mustRefuse(none, [3, ...refusals], /\w/);
      must(none.stdout === '', 'it wrote bytes of a withheld file');
    },
  },
  {
    commands: ['content get'],
    name: 'content get: two, and one that is not there',
    async run({ arx, variant }) {
      const ran = await arx('content get msg_9 msg_99999 msg_2 -o ndjson');
      // A service whose list of messages never answers cannot say which message is not there.
      must([3, 6, 8, 10, 11].includes(ran.exit), saidBy(ran));
      // A text is no record, and where nobody knows whether a message is there, the command ends at it.
      if (variant.name === 'raw-text' || ran.exit === 10) return;
      const ids = recordsOf(ran).map(({ data }) => data.id as string);
      mustEqual(ids, ['msg_9', 'msg_2'], 'records');
    },
  },
  {
    commands: ['content get'],
    name: 'content get: the raw view',
    async run({ arx, service, variant }) {
      const letter = service.archive.letters[8]!;
      const ran = await arx(`content get ${letter.id} --json`);
      if (variant.raw === 'text/plain' && ran.exit !== 0) return mustRefuse(ran, [11]);
      mustSucceed(ran);
      must(ran.stdout.includes(JSON.stringify(letter.body).slice(1, -1)), 'the text is not shown');
    },
  },
  {
    commands: ['read'],
    name: 'read: a message',
    async run({ arx, service, variant }) {
      const letter = service.archive.letters[8]!;
      const ran = await arx(`read ${letter.id}`);
      if (variant.raw === 'text/plain' && ran.exit !== 0) return mustRefuse(ran, [11]);
      mustSucceed(ran);
      must(ran.stdout.includes(letter.body.trim()), 'the text is not shown');
    },
  },
  {
    commands: ['read'],
    name: 'read: a conversation, whose id says nothing',
    async run({ arx, service, variant }) {
      const thread = service.archive.threads[5]!;
      const own = service.archive.letters.filter(({ threadId }) => threadId === thread.id);
      const ran = await arx(`read ${variant.records.idOf(thread)} -o ndjson`);
      if (ran.exit !== 0) return mustRefuse(ran, [2, 3, 6, 8, 9, 10, 11]);
      mustEqual(idsOf(ran).sort(), own.map(({ id }) => id).sort(), 'messages of the conversation');
    },
  },
  {
    commands: ['open'],
    name: 'open: a message as a page',
    async run({ arx, service, variant }) {
      const letter = service.archive.letters[8]!;
      let page = '';
      const ran = await arx(`open ${letter.id}`, {
        env: { DISPLAY: ':0' },
        launch: async (_, [path]) => {
          page = readFileSync(path ?? '', 'utf8');
          return 0;
        },
      });
      if (variant.raw === 'text/plain' && ran.exit !== 0) return mustRefuse(ran, [11]);
      mustSucceed(ran);
      must(page.includes(letter.body.trim()), 'the text is not on the page');
    },
  },
  {
    commands: ['content diff'],
    name: 'content diff: two messages, and the views of one',
    async run({ arx, service, variant }) {
      const [a, b] = service.archive.letters.slice(8, 10) as [Letter, Letter];
      const two = await arx(`content diff ${a.id} ${b.id}`);
      if (variant.raw === 'text/plain' && two.exit !== 0) return mustRefuse(two, [11]);
      mustSucceed(two);
      must(two.stdout.includes(`-${a.body.trim()}\n`), 'the first text is not shown');
      must(two.stdout.includes(`+${b.body.trim()}\n`), 'the second text is not shown');
      const views = await arx(`content diff ${a.id} --json`);
      mustSucceed(views);
      const { fields } = JSON.parse(views.stdout) as { fields: { name: string; state: string }[] };
      const states = new Map(fields.map(({ name, state }) => [name, state]));
      must(states.get('classification') === 'lore_only', 'lore is not compared');
    },
  },
  {
    commands: ['messages show'],
    name: 'messages show: the neighbours in the conversation and in the list',
    async run(context) {
      const { arx, service, variant, truth } = context;
      const letter = service.archive.letters[8]!;
      const own = truth.letters.filter(
        (id) => service.archive.letters.find((one) => one.id === id)!.threadId === letter.threadId,
      );
      for (const [scope, ids] of [
        ['conversation', own],
        ['archive', truth.letters],
      ] as const) {
        const ran = await arx(`messages show ${letter.id} --around 2 --in ${scope} -o ndjson`);
        if (ran.exit !== 0) {
          mustRefuse(ran, [2, 3, 6, 8, 9, 10, 11]);
          continue;
        }
        const at = ids.indexOf(letter.id);
        if (variant.faults.drift === 0)
          mustEqual(idsOf(ran), ids.slice(Math.max(0, at - 2), at + 3), `neighbours in the ${scope}`);
      }
    },
  },
  {
    commands: ['content get'],
    name: 'content get: the lore view with its pipeline',
    async run({ arx }) {
      const ran = await arx('content get msg_9 --view lore --pipeline --json');
      mustSucceed(ran);
      const { data } = JSON.parse(ran.stdout) as { data: Record<string, any> };
      must(data['glyph_trigger'] === 'entry_9' && data['integrity'] === 0.72, 'other fields');
      must(data['pipeline']?.assets?.[0]?.asset_id === 'ast_9', 'no asset');
      must((await arx('content get msg_9 --view lore', { columns: 100 })).exit === 0, 'as a table');
    },
  },
  {
    commands: ['content get'],
    name: 'content get: one that is not there',
    async run({ arx, variant }) {
      // Where the messages cannot all be read, nothing proves that this one is not there.
      const others = variant.messages === 'answers' ? refusalsOf(variant, 'messages') : [3, 10, 11];
      mustRefuse(await arx('content get msg_99999'), [6, ...others], /msg_99999/);
    },
  },
  {
    commands: ['content get'],
    name: 'content get: the stored bytes',
    async run({ arx, service, variant }) {
      const letter = service.archive.letters[8]!;
      const ran = await arx(`content get ${letter.id} --raw`);
      if (variant.raw === 'base64') {
        mustSucceed(ran);
        must(ran.bytes.toString() === letter.body, 'other bytes');
        return;
      }
      if (ran.exit === 0) must(ran.bytes.toString() === letter.body, 'other bytes');
      else {
        mustRefuse(ran, [3, 11], /msg_9|text.plain/);
        must(ran.stdout === '', 'refused and printed');
      }
    },
  },
  {
    commands: ['content get'],
    name: 'content get: saved in a folder',
    async run({ arx, dir, variant }) {
      const ran = await arx('content get msg_9 --save letter');
      if (variant.raw === 'base64') mustSucceed(ran);
      else mustRefuse(ran, [0, 3, 11], /\w/);
      if (ran.exit !== 11) mustExist(join(dir, 'letter/msg_9.raw.json'));
    },
  },
];
