// The steps of a check: of a whole archive, or of its new rows.
import type { FsckReport } from '../../contract/reports/archive.ts';
import type { Archive } from '../store/archive.ts';
import { SHARDS } from '../store/files/blobs.ts';
import { indexedUpTo } from '../store/search/index-state.ts';
import { recordsNamed } from './events.ts';
import { checkFiles, checkNamedFiles, type HashFiles } from './files.ts';
import type { CheckName, Findings } from './findings.ts';
import { missingIndexes } from './indexes.ts';
import { checkMetaTable } from './meta-table.ts';
import type { PagesCheck } from './pages.ts';
import {
  checkRange,
  countedParts,
  inRanges,
  letSignalsIn,
  type Group,
  type Part,
  type Range,
  type RangeOptions,
} from './ranges.ts';
import { groupsOf } from './row-checks.ts';
import { checkSampledWords, checkSearchTables } from './search-index.ts';

/** How files are hashed, how a step is interrupted, and who learns its progress. */
export type StepOptions = RangeOptions & { hash: HashFiles };

/** A part of a check that can be continued: `after` is the last argument of `done` in an earlier run, 0 in the first. */
export type Step = { name: string; run(after: number, done: (after: number) => void): Promise<void> };

/** Returns the steps of a check of the whole archive. */
export function fullSteps(
  archive: Archive,
  pages: PagesCheck,
  findings: Findings,
  options: StepOptions,
): Step[] {
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

/** Returns the steps of a check of new rows: those above the numbers of `since`, what they are part of, and the records that later events name. */
export function recentSteps(
  archive: Archive,
  since: NonNullable<FsckReport['since']>,
  findings: Findings,
  options: StepOptions,
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

/** Files that are hashed in one go, roughly. Starting to hash costs as much as hashing about a hundred of them. */
const FILES_AT_ONCE = 4096;

async function checkAllFiles(
  archive: Archive,
  from: number,
  findings: Findings,
  options: StepOptions,
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
