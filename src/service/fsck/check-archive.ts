// Checks a whole archive without changing it: the database, the relations of all rows, and every stored byte.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FsckReport } from '../../contract/reports/archive.ts';
import type { Archive } from '../store/archive.ts';
import { SHARDS } from '../store/files/blobs.ts';
import { filesPlaceOf } from '../store/meta-table/files-location.ts';
import { indexedUpTo } from '../store/search/index-state.ts';
import { checkEvents, checkWrittenColumn, recordsNamed, WRITTEN_COLUMNS } from './events.ts';
import { checkFiles, checkNamedFiles, type HashFiles } from './files.ts';
import { createFindings, type CheckName, type Findings, type FindingsState } from './findings.ts';
import { missingIndexes } from './indexes.ts';
import { checkMetaTable } from './meta-table.ts';
import { checkMissingNumbers } from './missing-numbers.ts';
import { beginPagesCheck, type CheckPagesElsewhere, type PagesCheck } from './pages.ts';
import { numbersBefore } from './recent.ts';
import { ATTACHMENT_RULES, checkRowRules, EVENT_RULES, MESSAGE_RULES, type RuleSet } from './row-rules.ts';
import { checkIndexedMessages, checkSampledWords, checkSearchTables } from './search-index.ts';
import { checkStoredMessages } from './stored-messages.ts';
import { checkValueTypes, TYPED_TABLES } from './value-types.ts';

/** Where a check stands, for another run that continues it. */
export type FsckState = {
  began_at: string;
  since: NonNullable<FsckReport['since']> | null;
  step: string;
  /** What the step has done: numbers up to this one. */
  after: number;
  findings: FindingsState;
  /** What SQLite found in the pages of the file, null while that is not known. */
  pages: string[] | null;
};

/** How files are hashed, how the check is interrupted and continued, and who learns its progress. */
export type FsckOptions = {
  hash: HashFiles;
  checkPagesElsewhere?: CheckPagesElsewhere;
  signal: AbortSignal;
  /** Called with what is checked now, and how much of it is done. */
  progress(state: { label: string; done: number; total: number; unit: string }): void;
  /** Check only what was added or changed since this time, in milliseconds. */
  since?: number | undefined;
  /** The state of an interrupted check to continue. What it checked is not read again. */
  resume?: FsckState | undefined;
  /** Called with each state from which the check could be continued. */
  checkpoint?(state: FsckState): void;
};

/**
 * Numbers that are checked together, by all checks that need their rows: each page of the file is read once then. It stays far below
 * the time limit of a statement.
 */
const NUMBERS_AT_ONCE = 2_048;

/** Memory for pages of SQLite: the rows of {@link NUMBERS_AT_ONCE} messages, and the upper pages of all indexes. */
const CACHE_KIB = 64 * 1024;

/** A part of a check that can be continued: `after` is the last argument of `done` in an earlier run, 0 in the first. */
type Step = { name: string; run(after: number, done: (after: number) => void): Promise<void> };

/**
 * Checks an archive, in memory that does not grow with it. Others may write meanwhile: what they add may be left out,
 * but is never reported as damage. Throws the errors of the database that do not mean damage, and the reason of the
 * signal.
 */
export async function checkArchive(archive: Archive, options: FsckOptions): Promise<FsckReport> {
  const { database, blobs } = archive;
  const { resume, checkpoint } = options;
  const began_at = resume?.began_at ?? new Date(archive.now()).toISOString();
  const findings = createFindings(resume?.findings);
  if (database.engine === 'sqlite') await database.all(`PRAGMA cache_size = -${CACHE_KIB}`);
  const since = resume === undefined ? await recentFrom(archive, options) : (resume.since ?? undefined);
  const pages =
    since === undefined
      ? beginPagesCheck(database, options.checkPagesElsewhere, resume?.pages, options.signal)
      : undefined;
  const steps =
    pages === undefined
      ? recentSteps(archive, since!, findings, options)
      : fullSteps(archive, pages, findings, options);
  const first = Math.max(
    0,
    steps.findIndex(({ name }) => name === resume?.step),
  );
  try {
    for (const [at, { name, run }] of steps.slice(first).entries()) {
      options.signal.throwIfAborted();
      const done = (after: number): void =>
        checkpoint?.({
          began_at,
          since: since ?? null,
          step: name,
          after,
          findings: findings.state(),
          pages: pages?.known() ?? null,
        });
      const after = at === 0 ? (resume?.after ?? 0) : 0;
      done(after);
      await run(after, done);
    }
  } finally {
    pages?.stop();
  }
  if (database.engine === 'sqlite' && findings.isSuspicious())
    await checkAllValueTypes(archive, findings, options);
  return {
    ...findings.report(database.engine, filesPlaceOf({ blobs }), since),
    ...(resume === undefined ? {} : { began_at }),
  };
}

/** Returns the numbers above which rows were added since the time of the options, undefined for a check of everything. */
async function recentFrom(archive: Archive, { since }: FsckOptions): Promise<FsckReport['since']> {
  if (since === undefined) return undefined;
  return { time: new Date(since).toISOString(), ...(await numbersBefore(archive.database, since)) };
}

function fullSteps(archive: Archive, pages: PagesCheck, findings: Findings, options: FsckOptions): Step[] {
  const { database } = archive;
  return [
    { name: 'indexes', run: () => checkIndexes(archive, findings) },
    ...groupsOf(archive, findings).map((group): Step => ({
      name: group.label,
      run: (after, done) => inRanges(archive, group, after, findings, options, done),
    })),
    {
      name: 'search',
      run: () =>
        findings.guard('search', 'search index', async () => {
          const upto = await indexedUpTo(database);
          await checkSearchTables(archive, upto, findings, async (done) => {
            await letSignalsIn(options);
            options.progress({ label: 'search', done, total: Math.max(done, upto), unit: 'rows' });
          });
          await checkSampledWords(archive, { after: 0, upto }, findings);
        }),
    },
    { name: 'files', run: (after, done) => checkAllFiles(archive, after, findings, options, done) },
    { name: 'meta', run: () => findings.guard('engine', 'meta', () => checkMetaTable(archive, findings)) },
    {
      // Last: where another process does it, it runs beside all others.
      name: 'pages of the file',
      run: async () => {
        if (database.engine !== 'sqlite') return;
        options.progress({ label: 'pages', done: 0, total: 1, unit: 'files' });
        await findings.guard('engine', 'integrity_check', async () => {
          for (const line of await pages.result()) findings.add('engine', 'SQLite finds', line);
          findings.checked('engine', 1);
        });
      },
    },
  ];
}

/** The check of what is new: rows above the numbers of `since`, what they are part of, and the records that later events name. */
function recentSteps(
  archive: Archive,
  since: NonNullable<FsckReport['since']>,
  findings: Findings,
  options: FsckOptions,
): Step[] {
  const { database } = archive;
  const [messages, attachments, events] = groupsOf(archive, findings) as [Group, Group, Group];
  const from = { messages: since.messages, attachments: since.attachments, events: since.events };
  const files: Group = {
    label: 'files',
    parts: [
      {
        check: 'files',
        table: 'attachments',
        column: 'n',
        work: (range) => checkNamedFiles(archive, range, findings, options.hash),
      },
    ],
  };
  const ranges = (group: Group, name: string, least: number): Step => ({
    name,
    run: (after, done) => inRanges(archive, group, Math.max(after, least), findings, options, done),
  });
  const older = (
    check: CheckName,
    group: Group,
    table: string,
    numbersOf: (range: Range) => Promise<number[]>,
    span: { table: string; from: number },
  ): Step => ({
    name: `older ${table}`,
    run: async (after, done) => {
      const parts = await countedParts(
        archive,
        group.parts.filter((part) => part.table === table),
        findings,
      );
      const work = async (range: Range): Promise<void> => {
        for (const n of await numbersOf(range)) await checkRange(parts, { after: n - 1, to: n }, findings);
      };
      const part: Part = { check, table: span.table, column: 'n', work };
      await inRanges(
        archive,
        { label: table, parts: [part] },
        Math.max(after, span.from),
        findings,
        options,
        done,
      );
    },
  });
  const named = (kind: 'msg' | 'att', upto: number) => (range: Range) =>
    recordsNamed(archive, range, { kind, upto });
  const ofEvents = { table: 'events', from: from.events };
  return [
    { name: 'indexes', run: () => checkIndexes(archive, findings) },
    ranges(messages, 'messages', from.messages),
    older(
      'conversations',
      messages,
      'conversations',
      async ({ after, to }) => {
        const rows = await database.all<{ n: number }>(
          'SELECT DISTINCT conversation AS n FROM messages WHERE n > $1 AND n <= $2 AND conversation <= $3',
          [after, to, from.messages],
        );
        return rows.map(({ n }) => n);
      },
      { table: 'messages', from: from.messages },
    ),
    ranges(attachments, 'attachments', from.attachments),
    ranges(events, 'events', from.events),
    older('events', messages, 'messages', named('msg', from.messages), ofEvents),
    older('events', attachments, 'attachments', named('att', from.attachments), ofEvents),
    {
      name: 'search',
      run: () =>
        findings.guard('search', 'search index', async () =>
          checkSampledWords(archive, { after: from.messages, upto: await indexedUpTo(database) }, findings),
        ),
    },
    ranges(files, 'files', from.attachments),
    { name: 'meta', run: () => findings.guard('engine', 'meta', () => checkMetaTable(archive, findings)) },
  ];
}

/** Finds indexes that are missing. */
async function checkIndexes({ database }: Archive, findings: Findings): Promise<void> {
  await findings.guard('engine', 'indexes', async () => {
    for (const name of await missingIndexes(database)) findings.add('engine', 'index missing', name);
  });
}

type Range = { after: number; to: number };

/** A check of the rows of a table, whose column holds the numbers by which they are read. */
type Part = {
  check: CheckName;
  table: string;
  column: string;
  /** The greatest number that is checked, where it is not that of the column. */
  upto?: () => Promise<number>;
  work: (range: Range) => Promise<void>;
};

/** Parts that are checked together, range by range, because they read the same rows. */
type Group = { label: string; parts: readonly Part[] };

/** Returns the checks of all rows, in groups of the tables that have the same numbers. */
function groupsOf(archive: Archive, findings: Findings): Group[] {
  const { database } = archive;
  const numbers = (check: CheckName, column: string, prefix: string): Part => ({
    check,
    table: check,
    column,
    work: (range) => checkMissingNumbers(database, { check, table: check, column, prefix }, range, findings),
  });
  const rules = (set: RuleSet): Part => ({
    ...set,
    work: (range) => checkRowRules(database, set, range, findings),
  });
  const written = (table: 'messages' | 'attachments'): Part[] =>
    WRITTEN_COLUMNS.filter(({ check }) => check === table).map((column) => ({
      check: table,
      table,
      column: 'n',
      work: (range) => checkWrittenColumn(archive, column, range, findings),
    }));
  return [
    {
      label: 'messages',
      parts: [
        numbers('messages', 'n', 'msg_'),
        ...MESSAGE_RULES.map(rules),
        ...written('messages'),
        {
          check: 'stored messages',
          table: 'messages',
          column: 'n',
          work: (range) => checkStoredMessages(archive, range, findings),
        },
        {
          check: 'search',
          table: 'messages',
          column: 'n',
          upto: () => indexedUpTo(database),
          work: (range) => checkIndexedMessages(archive, range, findings),
        },
      ],
    },
    {
      label: 'attachments',
      parts: [numbers('attachments', 'n', 'att_'), rules(ATTACHMENT_RULES), ...written('attachments')],
    },
    {
      label: 'events',
      parts: [
        numbers('events', 'n', 'event '),
        numbers('events', 'applied', 'ordinal '),
        rules(EVENT_RULES),
        {
          check: 'events',
          table: 'events',
          column: 'n',
          work: (range) => checkEvents(archive, range, findings),
        },
      ],
    },
  ];
}

/** Names the values over which other checks may have failed. In a sound archive there are none, so nobody looks for them. */
async function checkAllValueTypes(archive: Archive, findings: Findings, options: FsckOptions): Promise<void> {
  for (const typed of TYPED_TABLES) {
    const { check, table } = typed;
    await findings.guard(check, table, () => checkValueTypes(archive.database, typed, 'outside', findings));
    const work = (range: Range) => checkValueTypes(archive.database, typed, range, findings);
    await inRanges(archive, { label: check, parts: [{ ...typed, work }] }, 0, findings, options);
  }
}

/** Throws the reason of the signal. SQLite answers in the same turn of the event loop, in which no signal would arrive. */
async function letSignalsIn({ signal }: FsckOptions): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}

/** Parts with the greatest number that each checks. */
type CountedPart = { part: Part; last: number };

async function countedParts(
  archive: Archive,
  parts: readonly Part[],
  findings: Findings,
): Promise<CountedPart[]> {
  const counted: CountedPart[] = [];
  for (const part of parts) counted.push({ part, last: await totalOf(archive, part, findings) });
  return counted;
}

/** Runs all parts over the numbers of their columns above `from`, one range after the other. */
async function inRanges(
  archive: Archive,
  { label, parts }: Group,
  from: number,
  findings: Findings,
  options: FsckOptions,
  done: (after: number) => void = () => {},
): Promise<void> {
  const counted = await countedParts(archive, parts, findings);
  const total = Math.max(...counted.map(({ last }) => last));
  for (let after = from; after < total; after += NUMBERS_AT_ONCE) {
    await letSignalsIn(options);
    options.progress({ label, done: after - from, total: total - from, unit: 'rows' });
    await checkRange(counted, { after, to: after + NUMBERS_AT_ONCE }, findings);
    done(after + NUMBERS_AT_ONCE);
  }
}

async function checkRange(
  parts: readonly CountedPart[],
  { after, to }: Range,
  findings: Findings,
): Promise<void> {
  for (const { part, last } of parts) {
    if (after >= last) continue;
    const range = { after, to: Math.min(to, last) };
    const { check, table, work } = part;
    await findings.guard(check, `${table} ${after + 1} to ${range.to}`, () => work(range));
  }
}

async function totalOf({ database }: Archive, part: Part, findings: Findings): Promise<number> {
  const { check, table, column, upto } = part;
  let total = 0;
  await findings.guard(check, table, async () => {
    if (upto !== undefined) {
      total = await upto();
      return;
    }
    const greatest = await database.get<{ greatest: number | null }>(
      `SELECT MAX(${column}) AS greatest FROM ${table}`,
    );
    total = greatest?.greatest ?? 0;
  });
  return total;
}

/** Files that are hashed in one go, roughly. Starting to hash costs as much as hashing about a hundred of them. */
const FILES_AT_ONCE = 4096;

async function checkAllFiles(
  archive: Archive,
  from: number,
  findings: Findings,
  options: FsckOptions,
  done: (after: number) => void,
): Promise<void> {
  const width = await shardsAtOnce(archive);
  for (let at = from; at < SHARDS.length; at += width) {
    await letSignalsIn(options);
    options.progress({ label: 'files', done: at, total: SHARDS.length, unit: 'parts' });
    const shards = SHARDS.slice(at, at + width);
    await findings.guard('files', `${shards[0]}…`, () => checkFiles(archive, shards, findings, options.hash));
    done(at + width);
  }
}

async function shardsAtOnce({ database }: Archive): Promise<number> {
  const greatest = await database
    .get<{ n: number | null }>('SELECT MAX(n) AS n FROM attachments')
    .catch(() => undefined);
  const files = (greatest?.n ?? 0) + 1;
  return Math.max(1, Math.min(SHARDS.length, Math.floor((FILES_AT_ONCE * SHARDS.length) / files)));
}
