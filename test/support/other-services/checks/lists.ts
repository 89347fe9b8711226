// Checks of single pages, filtered lists and single conversations.
import { recordsOf } from '../../command.ts';
import type { OtherArchive } from '../archive.ts';
import type { Variant } from '../variant.ts';
import {
  idsOf,
  must,
  mustEqual,
  mustList,
  mustRefuse,
  mustSucceed,
  refusalsOf,
  type Check,
  type Context,
  saidBy,
} from './check.ts';

const MESSAGES_ARE_READ = ({ variant }: Context): boolean => variant.messages === 'answers';

/** Throws unless a run without /messages is refused; returns whether there are messages. */
function hasMessages(context: Context, ran: Parameters<typeof mustRefuse>[0]): boolean {
  if (MESSAGES_ARE_READ(context)) return true;
  mustRefuse(ran, [2, 3, 6, 10, 11]);
  return false;
}

/** Returns the id and the letters of a conversation that has several, where any has. */
function someThread({ service: { archive }, variant, truth }: Context): { id: string; letters: string[] } {
  const thread = archive.threads[143]!;
  const own = new Set(archive.letters.filter((one) => one.threadId === thread.id).map(({ id }) => id));
  return { id: variant.records.idOf(thread), letters: truth.letters.filter((id) => own.has(id)) };
}

/** Full text is a route of our own service. */
const SEARCH: Check = {
  commands: ['search', 'attachments ls', 'conversations ls'],
  name: 'search: refused with a hint, also as a filter of files and conversations',
  async run({ arx }) {
    for (const line of [
      'search lisbon',
      'search "quoted:lisbon unquoted:glass" --on 2019-05',
      'attachments ls --matching lisbon',
      'conversations ls --matching lisbon --sort -hits',
    ]) {
      const ran = await arx(line);
      mustRefuse(ran, [6], /search/);
      must(ran.stdout === '', `${line} prints something`);
    }
  },
};

/** The number of rows of each list, or why it is not known. */
const COUNTED: Check = {
  commands: ['conversations ls', 'messages ls', 'attachments ls'],
  name: 'conversations ls, messages ls, attachments ls: how many rows there are',
  async run(context) {
    const { arx, truth, variant } = context;
    for (const [list, rows] of [
      ['conversations', truth.threads],
      ['messages', truth.letters],
      ['attachments', truth.files],
    ] as const) {
      const ran = await arx(`${list} ls --count --json`);
      if (list === 'messages' && !hasMessages(context, ran)) continue;
      if (ran.exit !== 0) mustRefuse(ran, refusalsOf(variant, list));
      else {
        const { total, complete } = JSON.parse(ran.stdout) as { total: number; complete: boolean };
        must(complete && total === rows.length, `${total} ${list} of ${rows.length}, complete: ${complete}`);
      }
    }
  },
};

/** A report counts every row, and says of a list that it may have missed some. */
const REPORT: Check = {
  commands: ['report'],
  name: 'report: every row is counted, or a list is said to be incomplete',
  async run({ arx, truth, service: { archive } }) {
    const ran = await arx('report --json');
    if (ran.exit !== 0) mustRefuse(ran, [3, 5, 6, 8, 9, 10, 11]);
    if (ran.stdout === '') return;
    const { complete, lists } = JSON.parse(ran.stdout) as {
      complete: boolean;
      lists: { list: string; rows: number; complete: boolean }[];
    };
    must(complete || ran.exit !== 0, 'exit 0 for an incomplete report');
    const rows: Record<string, number> = {
      attachments: truth.files.length,
      conversations: truth.threads.length,
      messages: truth.letters.length,
      sequence: archive.sequences.get('arc_reconstruction')?.length ?? 0,
    };
    for (const each of lists)
      if (each.complete)
        must(
          each.rows === rows[each.list],
          `${each.rows} ${each.list} of ${rows[each.list]}, said to be all`,
        );
  },
};

/** A page that was asked for with five rows: at most five, exactly the first. */
const firstPage = (command: string, list: 'threads' | 'letters' | 'files'): Check => ({
  commands: [command],
  name: `${command}: five rows`,
  async run(context) {
    const { variant, truth } = context;
    const ran = await context.arx(`${command} --limit 5 -o ndjson`);
    if (list === 'letters' && !hasMessages(context, ran)) return;
    mustSucceed(ran);
    if (variant.faults.drift === 0) mustEqual(idsOf(ran), truth[list].slice(0, 5), 'rows');
  },
});

/** A page after a row, and one before it. */
const pageBeside = (command: string, list: 'threads' | 'files'): Check => ({
  commands: [command],
  name: `${command}: after and before a row`,
  async run({ arx, variant, truth }) {
    if (variant.faults.drift > 0) return;
    const ids = truth[list];
    const mayIgnore = variant.whole || (list === 'files' && variant.cursorless.includes('attachments'));
    const after = await arx(`${command} --limit 5 --after ${ids[60]} -o ndjson`);
    if (after.exit === 0) {
      const rows = idsOf(after);
      must(
        rows.length > 0 && rows.every((id, at) => id === ids[61 + at]),
        'rows after a cursor that are not after it',
      );
    } else {
      must(mayIgnore || variant.cursors.opaque, `--after: exit ${after.exit}`);
      mustRefuse(after, [2, 3, 6, 11]);
    }
    const before = await arx(`${command} --limit 5 --before ${ids[3]} -o ndjson`);
    if (before.exit === 0) mustEqual(idsOf(before).sort(), ids.slice(0, 3).sort(), 'rows before a cursor');
    else {
      must(
        mayIgnore || variant.cursors.opaque || variant.cursors.before !== 'follows',
        `--before: exit ${before.exit}`,
      );
      mustRefuse(before, [2, 3, 6, 11]);
    }
  },
});

/** More rows than some services give or allow in one page. */
const MANY_ROWS = 200;

/** A page of many rows: the first of the list, read in smaller pages where the service refuses the size, which is said. */
const manyRows = (command: string, list: 'threads' | 'letters' | 'files'): Check => ({
  commands: [command],
  name: `${command}: ${MANY_ROWS} rows`,
  async run(context) {
    const { variant, truth } = context;
    const ran = await context.arx(`${command} --limit ${MANY_ROWS} -o ndjson`);
    if (list === 'letters' && !hasMessages(context, ran)) return;
    mustSucceed(ran);
    const isRefused =
      !variant.whole && variant.limit.above === 'refused' && variant.limit.maximum < MANY_ROWS;
    const says = /refuses pages of 200 rows/.test(ran.stderr);
    must(says === isRefused, isRefused ? 'not a word about the page size' : 'the page size is not refused');
    if (variant.faults.drift > 0) return;
    const shown = idsOf(ran);
    // Without cursors that work, one page is all there is.
    const isOnePage =
      variant.cursors.opaque || (list === 'files' && variant.cursorless.includes('attachments'));
    const expected = isOnePage ? Math.min(MANY_ROWS, variant.limit.maximum) : MANY_ROWS;
    mustEqual(shown, truth[list].slice(0, expected), 'rows');
  },
});

/** A page, and the next one as a notice says how to read it. */
const asSaid = (command: string, list: 'threads' | 'letters' | 'files'): Check => ({
  commands: [command],
  name: `${command}: goes on as it says`,
  async run(context) {
    const { arx, variant, truth } = context;
    const ran = await arx(`${command} --limit 4 -o ndjson`);
    if (list === 'letters' && !hasMessages(context, ran)) return;
    mustSucceed(ran);
    if (variant.faults.drift > 0) return;
    const [, said] = /next page: arx (.+?); all rows: /.exec(ran.stderr) ?? [];
    must(
      said !== undefined || ran.stderr.includes('a larger --limit'),
      `not a word about more rows: ${ran.stderr}`,
    );
    const next = await arx(said ?? `${command} --limit 8 -o ndjson`);
    const isOnePage = variant.whole || (list === 'files' && variant.cursorless.includes('attachments'));
    if (isOnePage && next.exit !== 0) return mustRefuse(next, [11]);
    mustSucceed(next);
    if (said !== undefined) mustEqual(idsOf(next), truth[list].slice(4, 8), 'rows');
    else must(idsOf(next).length > 4, 'no more rows');
  },
});

type SelectedList = 'conversations' | 'messages' | 'attachments';

/** A date in the middle of the records. */
const SINCE = '2019-05-20';

/** All records that match options which no service applies, and that their cost is said. `oddly`: fields of a wrong type may hide some. */
const selected = (
  command: string,
  options: string,
  list: SelectedList,
  idsWith: (archive: OtherArchive, variant: Variant) => string[],
): Check => ({
  commands: [command],
  name: `${command}: every row ${options}`,
  async run(context) {
    const { variant, service, truth } = context;
    const ran = await context.arx(`${command} --all ${options} -o ndjson`);
    if (list === 'messages' && !hasMessages(context, ran)) return;
    must(ran.exit !== 0 || /needs the whole list/.test(ran.stderr), 'not a word about the cost');
    const matching = new Set(idsWith(service.archive, variant));
    const all = { conversations: truth.threads, messages: truth.letters, attachments: truth.files }[list];
    const expected = all.filter((id) => matching.has(id));
    must(expected.length > 0 && expected.length < all.length, 'a check that selects nothing');
    if (variant.name !== 'odd-fields' || list === 'attachments')
      return mustList(ran, expected, refusalsOf(variant, list));
    const shown = idsOf(ran);
    const isSaid = /do(?:es)? not show/.test(ran.stderr);
    must(isSaid || shown.length === expected.length, 'not a word about rows without the field');
    must(shown.length > 0 && shown.every((id) => matching.has(id)), 'rows that do not match');
  },
});

/** The first rows of an order of the whole list. */
const ordered = (
  command: string,
  sort: string,
  list: SelectedList,
  sorted: (archive: OtherArchive, variant: Variant) => string[],
): Check => ({
  commands: [command],
  name: `${command}: the first rows by ${sort}`,
  async run(context) {
    const { variant, service } = context;
    const ran = await context.arx(`${command} --sort ${sort} --limit 5 -o ndjson`);
    if (list === 'messages' && !hasMessages(context, ran)) return;
    must(ran.exit !== 0 || /needs the whole list/.test(ran.stderr), 'not a word about the cost');
    const expected = sorted(service.archive, variant);
    const refusals = refusalsOf(variant, list);
    // Rows whose field is of a wrong type stand last, and a list that was cut lacks some.
    if (variant.name === 'odd-fields' && list !== 'attachments') return mustSucceed(ran);
    if (refusals.includes(ran.exit)) return mustRefuse(ran, refusals);
    mustSucceed(ran);
    mustEqual(idsOf(ran), expected.slice(0, 5), 'rows');
  },
});

const byNumber = <T>(rows: readonly T[], key: (row: T) => number): T[] =>
  rows.toSorted((a, b) => key(a) - key(b));

/** Checks of lists. */
export const LIST_CHECKS: readonly Check[] = [
  REPORT,
  SEARCH,
  COUNTED,
  selected('messages ls', '--subject glass', 'messages', ({ letters }) =>
    letters.flatMap(({ id, title }) => (/\bglass\b/.test(title) ? [id] : [])),
  ),
  selected('messages ls', `--since ${SINCE}`, 'messages', ({ letters }) =>
    letters.flatMap(({ id, sentAt }) => (sentAt >= Date.parse(SINCE) ? [id] : [])),
  ),
  selected('messages ls', `--on ${SINCE}`, 'messages', ({ letters }) =>
    letters.flatMap(({ id, sentAt }) => (new Date(sentAt).toISOString().startsWith(SINCE) ? [id] : [])),
  ),
  selected(
    'conversations ls',
    `--until ${SINCE} --subject glass`,
    'conversations',
    ({ threads }, { records }) =>
      threads.flatMap((one) =>
        one.startedAt < Date.parse(SINCE) && /\bglass\b/.test(one.title) ? [records.idOf(one)] : [],
      ),
  ),
  selected('attachments ls', '--name "*1?.*"', 'attachments', ({ files }, { records }) =>
    files.flatMap((one) => (/1.\..*$/.test(one.filename) ? [records.idOf(one)] : [])),
  ),
  ordered('messages ls', '-date', 'messages', ({ letters }) =>
    byNumber(letters, ({ sentAt }) => -sentAt).map(({ id }) => id),
  ),
  ordered('conversations ls', 'started', 'conversations', ({ threads }, { records }) =>
    byNumber(threads, ({ startedAt }) => startedAt).map(records.idOf),
  ),
  asSaid('conversations ls', 'threads'),
  asSaid('messages ls', 'letters'),
  asSaid('attachments ls', 'files'),
  manyRows('conversations ls', 'threads'),
  manyRows('messages ls', 'letters'),
  manyRows('attachments ls', 'files'),
  firstPage('conversations ls', 'threads'),
  firstPage('messages ls', 'letters'),
  firstPage('attachments ls', 'files'),
  pageBeside('conversations ls', 'threads'),
  pageBeside('attachments ls', 'files'),
  {
    commands: ['conversations ls'],
    name: 'conversations ls: as a table with titles',
    async run({ arx, variant, service }) {
      if (variant.faults.drift > 0) return;
      const ran = await arx('conversations ls --limit 3', { columns: 160 });
      mustSucceed(ran);
      const first = service.archive.threads.at(variant.order === 'newest first' ? -1 : 0)!;
      must(ran.stdout.includes(first.title), 'the title is not shown');
      must(ran.stdout.includes(variant.records.idOf(first)), 'the id is not shown');
    },
  },
  {
    commands: ['conversations ls'],
    name: 'conversations ls: the default page',
    async run({ arx, variant, truth }) {
      const ran = await arx('conversations ls --json');
      mustSucceed(ran);
      const { data, summary } = JSON.parse(ran.stdout) as {
        data: { id: string }[];
        summary: { complete: boolean };
      };
      must(data.length > 0 && (variant.whole || data.length < 300), `${data.length} rows`);
      if (variant.faults.drift === 0)
        mustEqual(
          data.map(({ id }) => id),
          truth.threads.slice(0, data.length),
          'rows',
        );
      must(summary.complete ? variant.whole : true, 'a part of the list is called complete');
    },
  },
  {
    commands: ['conversations ls'],
    name: 'conversations ls: with -v, where the rows and their ids are',
    async run({ arx, variant }) {
      if (variant.faults.rough > 0) return;
      const { stderr } = await arx('conversations ls -v --limit 5');
      must(/conversations: .*rows/.test(stderr), 'not a word about rows');
      must(stderr.includes(variant.records.idField), 'not a word about ids');
    },
  },
  {
    commands: ['conversations ls'],
    name: 'conversations ls: fields of a wrong type are left out, with one notice each',
    async run({ arx, variant, service }) {
      const ran = await arx('conversations ls --limit 30 --json');
      mustSucceed(ran);
      const notices = ran.stderr.split('\n').filter((line) => /field|type/.test(line));
      const isOdd = variant.name === 'odd-fields';
      must(
        isOdd ? notices.length > 0 && notices.length < 6 : notices.length === 0,
        `${notices.length} notices: ${notices[0] ?? ''}`,
      );
      if (!isOdd) return;
      const { data } = JSON.parse(ran.stdout) as { data: Record<string, unknown>[] };
      for (const [at, row] of data.entries()) {
        must(row['id'] === service.archive.threads[at]!.id, 'another row');
        must(['number', 'undefined'].includes(typeof row['message_count']), 'a count that is no number');
      }
    },
  },
  {
    commands: ['conversations show'],
    name: 'conversations show: one with its messages',
    async run(context) {
      const { id, letters } = someThread(context);
      const ran = await context.arx(`conversations show ${id} --json`);
      if (!MESSAGES_ARE_READ(context)) {
        // The conversation is there, its messages are not.
        mustRefuse(
          ran,
          context.variant.messages === 'never answers' ? [10] : [3],
          /its messages cannot be listed/,
        );
        must((JSON.parse(ran.stdout) as { id: string }).id === id, 'the conversation is not shown');
        return;
      }
      const refusals = refusalsOf(context.variant);
      if (refusals.includes(ran.exit)) return mustRefuse(ran, refusals);
      mustSucceed(ran);
      const shown = JSON.parse(ran.stdout) as { id: string; messages: { data: { id: string }[] } };
      must(shown.id === id, `shows ${shown.id} for ${id}`);
      mustEqual(
        shown.messages.data.map((one) => one.id),
        letters,
        'messages',
      );
    },
  },
  {
    commands: ['conversations show'],
    name: 'conversations show: one that is not there',
    async run({ arx, variant }) {
      mustRefuse(await arx('conversations show nobody-77'), [6, ...refusalsOf(variant)], /nobody-77|list/);
    },
  },
  {
    commands: ['conversations export'],
    name: 'conversations export: a thread in each form, or why it is not whole',
    async run(context) {
      const { id, letters } = someThread(context);
      for (const format of ['mbox', 'md', 'html']) {
        const ran = await context.arx(
          `conversations export ${id} --format ${format} --to out.${format} -o ndjson`,
        );
        const refusals = refusalsOf(context.variant);
        if (refusals.includes(ran.exit) && ran.stdout === '') continue;
        must([0, 3, 8, 10, 11, 12].includes(ran.exit), saidBy(ran));
        const [report] = recordsOf(ran);
        if (report === undefined) continue;
        // Where messages cannot be listed, those that the record of the conversation holds are written.
        if (MESSAGES_ARE_READ(context) && ran.exit === 0)
          must(report['messages'] === letters.length, `${report['messages']} messages of ${letters.length}`);
        else must(ran.exit !== 0 || report['complete'] === true, 'not complete, and nothing is said');
      }
    },
  },
  {
    commands: ['messages ls'],
    name: 'messages ls: of one conversation, one page',
    async run(context) {
      const { id, letters } = someThread(context);
      const ran = await context.arx(`messages ls --conversation ${id} -o ndjson`);
      if (!hasMessages(context, ran)) return;
      if (ran.exit !== 0) return mustRefuse(ran, [2, 3, 8, 11]);
      const strange = idsOf(ran).filter((one) => !letters.includes(one));
      must(strange.length === 0, `${strange.length} messages of other conversations`);
    },
  },
  {
    commands: ['messages ls'],
    name: 'messages ls: of one conversation, all of them',
    async run(context) {
      const { id, letters } = someThread(context);
      const ran = await context.arx(`messages ls --conversation ${id} --walk -o ndjson`);
      if (!hasMessages(context, ran)) return;
      mustList(ran, letters, refusalsOf(context.variant));
    },
  },
  {
    commands: ['messages ls'],
    name: 'messages ls: all of them',
    async run(context) {
      const ran = await context.arx('messages ls --walk -o ndjson');
      if (!hasMessages(context, ran)) return;
      mustList(ran, context.truth.letters, refusalsOf(context.variant));
    },
  },
  {
    commands: ['messages ls'],
    name: 'messages ls: the first message of each conversation',
    async run(context) {
      const ran = await context.arx('messages ls --opening --walk -o ndjson');
      if (!hasMessages(context, ran)) return;
      // No message here says that it is the first. Where each is, nothing could show it.
      if (ran.exit !== 0) return mustRefuse(ran, [2, 3, 6, 8, 11]);
      const first = new Set(context.service.archive.letters.filter((one) => one.isFirst).map(({ id }) => id));
      const expected = context.truth.letters.filter((id) => first.has(id));
      mustEqual(idsOf(ran), expected, 'first messages');
    },
  },
  {
    commands: ['sequence show'],
    name: 'sequence show: one page',
    async run({ arx, service, variant }) {
      const ran = await arx('sequence show arc_reconstruction --limit 20 -o ndjson');
      mustSucceed(ran);
      const all = service.archive.sequences.get('arc_reconstruction')!;
      const expected = variant.whole ? all : all.slice(0, Math.min(20, variant.limit.maximum));
      mustEqual(
        idsOf(ran, variant.records.idField),
        expected.map(({ entry }) => entry),
        'entries',
      );
      const places = recordsOf(ran).map((row) =>
        String(row['reported'] ?? row['sequence'] ?? row['Sequence'] ?? row['position']),
      );
      mustEqual(
        places,
        expected.map(({ place }) => String(place)),
        'positions',
      );
    },
  },
  {
    commands: ['sequence watch'],
    name: 'sequence watch: one read',
    async run({ arx, service, variant }) {
      const ran = await arx('sequence watch arc_reconstruction --reads 1 -o ndjson');
      // A service that states no drift and no checked positions cannot be watched.
      if (ran.exit !== 0) return mustRefuse(ran, [3]);
      mustSucceed(ran);
      const all = service.archive.sequences.get('arc_reconstruction')!;
      const [reading] = recordsOf(ran);
      const positions = Number(reading?.['positions']);
      const isPossible = positions === all.length || positions <= variant.limit.maximum;
      mustEqual([String(isPossible)], ['true'], `number of positions, ${positions}`);
    },
  },
  {
    commands: ['sequence show'],
    name: `sequence show: ${MANY_ROWS} entries`,
    async run({ arx, service, variant }) {
      const ran = await arx(`sequence show arc_reconstruction --limit ${MANY_ROWS} -o ndjson`);
      mustSucceed(ran);
      const all = service.archive.sequences.get('arc_reconstruction')!;
      const expected = variant.whole ? all : all.slice(0, variant.limit.maximum);
      mustEqual(
        idsOf(ran, variant.records.idField),
        expected.map(({ entry }) => entry),
        'entries',
      );
    },
  },
  {
    commands: ['sequence show'],
    name: 'sequence show: every entry',
    async run({ arx, service, variant }) {
      const ran = await arx('sequence show arc_reconstruction --all -o ndjson');
      const expected = service.archive.sequences.get('arc_reconstruction')!.map(({ entry }) => entry);
      mustList(ran, expected, refusalsOf(variant), variant.records.idField);
    },
  },
  {
    commands: ['sequence show'],
    name: 'sequence show: one that is not there',
    async run({ arx, variant }) {
      const refusals = variant.faults.rough > 0 ? [6, 9, 10] : [6];
      mustRefuse(await arx('sequence show no_such_order'), refusals, /no_such_order/);
    },
  },
];
