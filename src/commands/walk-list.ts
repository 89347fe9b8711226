// Any list walked as its user asked: frozen windows to stdout, the log and its doubts, the report, progress, the verdict.
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { PAGE_LIMIT } from '../contract/scalars.ts';
import { Fault } from '../faults.ts';
import { plainText } from '../format/terminal/styled-line.ts';
import { frozenProgressText } from '../format/terminal/progress.ts';
import type { View } from '../format/views/view.ts';
import { walkLines } from '../format/views/index.ts';
import type { CrossCheckMode } from '../walk/decide/confirmation.ts';
import { addUnresolvedRows, readUnresolvedRows, findExisting } from '../walk/log/unresolved-rows.ts';
import { recordCompletion } from '../walk/log/completion.ts';
import { openFrozenLog } from '../walk/log/frozen-log.ts';
import type { Identified, Source } from '../walk/source.ts';
import type { ReadNote, WalkOutcome } from '../walk/options.ts';
import { walk } from '../walk/walk.ts';
import { withoutUndefined, wholeNumber, Window } from './input.ts';
import { lateRowsFault } from './late-rows.ts';
import { OutputFile } from './output-file.ts';
import { withWalkFolder } from './walk-folder.ts';
import { mayReplace, writeReport } from './walk-report-file.ts';

/** The options of every walk. */
export const WalkInput = Window.extend({
  concurrency: wholeNumber(1)
    .refine((count) => count <= 16, 'must be at most 16')
    .optional(),
  confidence: z
    .string()
    .regex(/^0\.\d{1,6}$/, 'must be a share like 0.999')
    .transform(Number)
    .refine((share) => share >= 0.5, 'must be at least 0.5')
    .optional(),
  maxRequests: wholeNumber(1).optional(),
  freeze: z.string().min(1).optional(),
  resume: z.boolean().default(false),
  report: OutputFile.optional(),
  force: z.boolean().default(false),
  failOnDrift: z
    .string()
    .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'must be a share from 0 to 1')
    .transform(Number)
    .optional(),
});
export type WalkInput = z.infer<typeof WalkInput> & { crossCheck: CrossCheckMode };

/** What is walked: where it is read, how its rows are shown, and what a frozen log says that it is of. */
export type WalkedList<Row extends Identified, Shown extends object> = {
  source: Source<Row>;
  /** What one row is. */
  noun: string;
  view: View<Shown>;
  shown: (row: Row) => Shown;
  /** `list` names it among those of the same address; absent: its conversations. */
  subject: { base_url: string; list?: string };
};

/** Rows of one read unless --limit says otherwise: few requests, and a small loss where a window must be read again. */
const USUAL_LIMIT = 100;

/**
 * Prints the frozen rows, in order, each once. What keeps the walk from being complete, and drift above `failOnDrift`,
 * are counted as faults; with nothing frozen the fault is thrown.
 */
export async function walkList<Row extends Identified, Shown extends object>(
  list: WalkedList<Row, Shown>,
  input: WalkInput,
  app: App,
): Promise<void> {
  if (input.resume && input.freeze === undefined) throw new Fault('usage', '--resume goes with --freeze DIR');
  const { report, force } = input;
  if (force && report === undefined && !app.isRecorded)
    throw new Fault('usage', '--force goes with --report FILE');
  // A report that cannot be written is better known before an hour of walking than after it.
  const given = report === undefined ? input : { ...input, force: await mayReplace({ report, force }, app) };
  if (input.freeze === undefined) return walkAll(list, given, app, undefined);
  const dir = resolve(app.world.cwd, input.freeze);
  await withWalkFolder(dir, app, () => walkAll(list, given, app, dir));
}

async function walkAll<Row extends Identified, Shown extends object>(
  { source, noun, view, shown, subject }: WalkedList<Row, Shown>,
  input: WalkInput,
  app: App,
  dir: string | undefined,
): Promise<void> {
  const { after, before, maxRequests, concurrency, confidence, crossCheck } = input;
  const range = { after: after ?? null, before: before ?? null };
  const log =
    dir === undefined
      ? undefined
      : await openFrozenLog<Row>(dir, { ...subject, ...range }, { resume: input.resume });
  const doubts = dir === undefined ? { unplaced: [], late: [] } : await readUnresolvedRows(dir);
  /** What earlier runs saw and nobody has given out yet. */
  const pending = new Set([...doubts.unplaced, ...doubts.late]);
  const limit = Math.min(input.limit ?? USUAL_LIMIT, PAGE_LIMIT.maximum);
  const progress = app.progress({ besideRows: true });
  const sofar = {
    rows: 0,
    noun,
    windows: 0,
    last: 0,
    requests: 0,
    limit,
    drift: undefined as number | undefined,
  };
  const windows = walk(source, {
    limit,
    crossCheck,
    noun,
    ...withoutUndefined({ after, before, maxRequests, concurrency, frozen: log?.state }),
    ...(confidence === undefined ? {} : { epsilon: 1 - confidence }),
    signal: app.world.signal,
    log: (note) => {
      app.log(spoken(note));
      sofar.requests = note.number;
      sofar.drift = note.drift_ratio ?? sofar.drift;
      progress.update(frozenProgressText(sofar, app.screen));
    },
  });
  let outcome: WalkOutcome | undefined;

  async function* rows(): AsyncGenerator<Shown> {
    // A killed run's output may be cut anywhere, so a resumed one gives the earlier windows again, from the log.
    for await (const row of log?.rows() ?? []) {
      pending.delete(row.id);
      yield shown(row);
    }
    for (;;) {
      const next = await windows.next();
      if (next.done === true) {
        outcome = await withDoubts(next.value);
        await recordEnd(outcome);
        // With nothing frozen there is nothing to show: the failure stands alone, as for any other command.
        if (outcome.fault !== undefined && outcome.report.conversations === 0) throw outcome.fault;
        return;
      }
      const window = next.value.rows;
      await log?.append(next.value);
      for (const row of window) {
        pending.delete(row.id);
        yield shown(row);
      }
      Object.assign(sofar, {
        rows: sofar.rows + window.length,
        windows: sofar.windows + 1,
        last: window.length,
      });
    }
  }

  try {
    await show();
  } finally {
    await progress.end();
    await log?.close();
    await tell();
  }
  if (outcome !== undefined) judge(outcome, input, app);

  /** A resumed walk does not see again what lies behind its frontier: what earlier runs saw there still counts. */
  async function withDoubts(found: WalkOutcome): Promise<WalkOutcome> {
    if (dir !== undefined)
      await addUnresolvedRows(dir, { unplaced: found.unplaced ?? [], late: found.report.late });
    if (found.fault !== undefined || pending.size === 0) return found;
    const there = await findExisting(source, pending, app.world.signal);
    const lost = there.find((id) => doubts.unplaced.includes(id));
    const late = [...new Set([...found.report.late, ...there.filter((id) => doubts.late.includes(id))])];
    if (lost === undefined) return { ...found, report: { ...found.report, late } };
    const fault = new Fault('unstable', `row ${lost} was seen by an earlier run and has no settled place`, {
      storedIfPossible: `${found.report.conversations} ${noun}s in frozen windows`,
      hint: 'walk again into a new folder',
    });
    return { report: { ...found.report, late, verdict: 'incomplete' }, fault };
  }

  /** Without it a later comparison could not tell what is lost from what this walk did not reach. */
  async function recordEnd({ report, fault }: WalkOutcome): Promise<void> {
    if (dir === undefined || fault !== undefined) return;
    const finished_at = new Date(app.world.now()).toISOString();
    await recordCompletion(dir, { head: report.frozen.head, finished_at, late: report.late });
  }

  async function show(): Promise<void> {
    await app.printer.list(view, {
      rows: rows(),
      status: () => (outcome?.fault === undefined ? 'stable' : 'unstable'),
      summary: () => ({
        rows: outcome?.report.conversations ?? sofar.rows,
        windows: outcome?.report.windows ?? 0,
        requests: outcome?.report.requests ?? 0,
        disagreements: outcome?.report.disagreements ?? 0,
        confidence: outcome?.report.confidence ?? 0,
        complete: outcome !== undefined && outcome.fault === undefined,
      }),
    });
  }

  /** The report tells of an incomplete walk as well. */
  async function tell(): Promise<void> {
    if (outcome === undefined) return;
    const report = { ...outcome.report, frozen: { ...outcome.report.frozen, file: log?.file ?? null } };
    for (const line of walkLines(report, noun, app.screen)) app.log(plainText(line));
    if (input.report !== undefined)
      await writeReport(report, { report: input.report, force: input.force }, app);
  }
}

/** What the run ends with: its failure, rows that came late, and drift above what the user allows. */
function judge({ fault, report }: WalkOutcome, { failOnDrift }: WalkInput, app: App): void {
  const failure = fault ?? lateRowsFault(report.late, app);
  if (failure !== undefined) app.addFault(failure);
  if (failOnDrift === undefined) return;
  const { disagreements, requests, drift } = report;
  const denied = Math.min(1, disagreements / Math.max(1, requests));
  const grounds = [
    ...((drift.max ?? 0) > failOnDrift ? [`the service reported drift up to ${drift.max}`] : []),
    ...(denied > failOnDrift ? [`${disagreements} of ${requests} reads disagreed`] : []),
  ];
  if (drift.max === null)
    app.notice('the service reports no drift: --fail-on-drift looks at reads that disagreed alone');
  if (grounds.length === 0) return;
  const kept = `the list stands: verdict ${report.verdict}`;
  app.addFault(
    new Fault('unstable', `${grounds.join(', and ')}; ${failOnDrift} is allowed`, { storedIfPossible: kept }),
  );
}

function spoken({ number, surface, query, rows, drift_ratio, problem: trouble }: ReadNote): string {
  const cursors = [
    query.after === undefined ? '' : ` after ${query.after}`,
    query.before === undefined ? '' : ` before ${query.before}`,
  ].join('');
  const drift = drift_ratio === undefined ? '' : `, drift ratio ${drift_ratio}`;
  const what = surface === 'list' ? 'read' : 'cross-check';
  return `${what} ${number}:${cursors} limit ${query.limit}: ${rows} rows${drift}${trouble === undefined ? '' : `; ${trouble}`}`;
}
