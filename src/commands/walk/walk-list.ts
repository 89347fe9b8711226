// Walks any list as the user asked: frozen rows to stdout, the frozen log, the report, progress and the faults of the run.
import { resolve } from 'node:path';
import type { App } from '../../app.ts';
import type { RowChanges } from '../../client/remembered-rows.ts';
import type { WalkReport } from '../../contract/reports/walk.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { frozenProgressText } from '../../format/terminal/progress-text.ts';
import { plainText } from '../../format/terminal/styled-line.ts';
import { walkLines } from '../../format/views/index.ts';
import type { View } from '../../format/views/view.ts';
import { recordCompletion } from '../../walk/log/completion.ts';
import { openFrozenLog } from '../../walk/log/frozen-log.ts';
import { addUnresolvedRows, findExisting, readUnresolvedRows } from '../../walk/log/unresolved-rows.ts';
import type { ReadNote, WalkOutcome } from '../../walk/options.ts';
import type { Identified, Source } from '../../walk/source.ts';
import { MIN_PAGE_ROWS } from '../../walk/observed-paging.ts';
import { walk } from '../../walk/walk.ts';
import {
  changedRows,
  countContradictions,
  missingRowsFault,
  type StatedTotals,
} from '../lists/contradictions.ts';
import { withoutUndefined } from '../shared/input.ts';
import { checkOutputFile } from '../shared/output-file.ts';
import { withWalkFolder } from './walk-folder.ts';
import type { WalkInput } from './walk-input.ts';
import { mayReplace, writeReport } from './walk-report-file.ts';
import { countWalkFaults } from './walk-verdict.ts';
import { isWithheld, listStatus, sayWithheld, withheldInSummary } from '../lists/withheld-rows.ts';

/** What is walked. `Row` is a row of the walk, `Shown` what is printed of it. */
export type ListToWalk<Row extends Identified, Shown extends object> = {
  source: Source<Row>;
  /** What one row is called. */
  noun: string;
  view: View<Shown>;
  shown: (row: Row) => Shown;
  /** Which frozen rows are printed; absent: every one. `fault` says after the last row why these may not be right. */
  filter?: { matches: (row: Row) => boolean; fault: () => Fault | undefined; isUndecided: () => boolean };
  /** Returns the rows about which answers differed, positions aside. */
  changes: () => RowChanges;
  /** Returns how the status of a page contradicted its rows, where that is known. */
  contradiction?: () => string | undefined;
  /** The numbers of rows that its pages state. */
  totals: StatedTotals;
  /** What a frozen log says it is of. `list` names a list of the address; absent: its conversations. */
  subject: { base_url: string; list?: string };
  /** Rows of the largest page that the service gives. */
  pageRows: number;
  /** Why the list cannot be cross-checked although that was asked for; absent: it can, or it was not asked for. */
  noCrossCheck?: string;
};

/** Rows of one read: few requests, and little to read again when a page was wrong. */
const DEFAULT_LIMIT = 100;

/**
 * Prints the frozen rows in order, each once, and returns how many. A fault of the walk, and drift above `failOnDrift`, are counted in `app`.
 * Throws the fault when nothing was frozen.
 */
export async function walkList<Row extends Identified, Shown extends object>(
  list: ListToWalk<Row, Shown>,
  input: WalkInput,
  app: App,
): Promise<number> {
  if (input.resume && input.freeze === undefined) throw new Fault('usage', '--resume goes with --freeze DIR');
  const { report, force } = input;
  checkOutputFile('--report', { file: report, force }, app);
  // It is checked before the walk, which may take an hour, whether the report can be written.
  const checked =
    report === undefined || report === '-'
      ? input
      : { ...input, force: await mayReplace({ report, force }, app) };
  if (input.freeze === undefined) return runWalk(list, checked, app, undefined);
  const dir = resolve(app.world.cwd, input.freeze);
  return withWalkFolder(dir, app, () => runWalk(list, checked, app, dir));
}

async function runWalk<Row extends Identified, Shown extends object>(
  {
    source,
    noun,
    view,
    shown,
    filter,
    changes,
    contradiction,
    totals,
    subject,
    pageRows,
    noCrossCheck,
  }: ListToWalk<Row, Shown>,
  input: WalkInput,
  app: App,
  dir: string | undefined,
): Promise<number> {
  const { after, before, maxRequests, concurrency, confidence, crossCheck } = input;
  if (noCrossCheck !== undefined && crossCheck !== 'full') app.notice(`no cross-check: ${noCrossCheck}`);
  const range = { after: after ?? null, before: before ?? null };
  const log =
    dir === undefined
      ? undefined
      : await openFrozenLog<Row>(
          dir,
          { ...subject, ...withoutUndefined({ tier: await (await app.session()).tier() }), ...range },
          { resume: input.resume },
        );
  const unresolved = dir === undefined ? { unplaced: [], late: [] } : await readUnresolvedRows(dir);
  /** Rows that earlier runs saw and no run has written out yet. */
  const pending = new Set([...unresolved.unplaced, ...unresolved.late]);
  const limit = Math.min(windowRowsOf(input), pageRows);
  const progress = app.progress();
  let frozen = log?.state?.ids.length ?? 0;
  const state = {
    rows: 0,
    earlier: frozen,
    noun,
    windows: 0,
    requests: 0,
    drift: undefined as number | undefined,
  };
  const again = `run the same command${input.resume ? '' : ' with --resume'}`;
  app.onInterrupt(() => {
    if (dir === undefined)
      return {
        kept: `${plural(input.report === '-' ? 0 : printed, 'row')} printed, no log was kept`,
        next: 'run the same command again, with --freeze DIR to be able to go on',
      };
    if (frozen === 0) return { kept: 'nothing was frozen', next: again };
    return {
      kept: `${plural(frozen, noun)} in frozen windows in ${input.freeze}`,
      next: `${again} to continue`,
    };
  });
  const showProgress = (): void =>
    progress.update({
      label: 'frozen',
      done: state.earlier + state.rows,
      unit: `${noun}s`,
      text: frozenProgressText(state, app.screen),
    });
  showProgress();
  const windows = walk(source, {
    limit,
    crossCheck,
    noun,
    ...withoutUndefined({ after, before, maxRequests, concurrency, frozen: log?.state }),
    ...(confidence === undefined ? {} : { epsilon: 1 - confidence }),
    endless: totals.endless,
    signal: app.world.signal,
    log: (note) => {
      app.log(logLine(note));
      state.requests = note.number;
      state.drift = note.drift_ratio ?? state.drift;
      showProgress();
    },
  });
  let outcome: WalkOutcome | undefined;
  let printed = 0;
  /** Rows that are withheld: of those that are printed, and of the whole list. */
  const withheld = { printed: 0, all: 0 };

  /** Counts a row of the list, and yields what is printed of it, if it is. */
  function* counted(row: Row): Generator<Shown> {
    pending.delete(row.id);
    const each = shown(row);
    const isHidden = isWithheld(each);
    if (isHidden) withheld.all += 1;
    if (filter?.matches(row) === false) return;
    printed += 1;
    if (isHidden) withheld.printed += 1;
    yield each;
  }

  async function* rows(): AsyncGenerator<Shown> {
    // The output of a killed run may be cut anywhere, so a resumed one prints the earlier windows again, from the log.
    for await (const row of log?.rows() ?? []) yield* counted(row);
    for (;;) {
      const next = await windows.next();
      if (next.done === true) {
        outcome = withKept(withCount(await withUnresolvedRows(next.value)));
        await recordEnd(outcome);
        // Without a frozen row there is nothing to show, so the run fails like any other command.
        if (outcome.fault !== undefined && outcome.report.conversations === 0) throw outcome.fault;
        return;
      }
      const window = next.value.rows;
      await log?.append(next.value);
      frozen += window.length;
      for (const row of window) yield* counted(row);
      Object.assign(state, {
        rows: state.rows + window.length,
        windows: state.windows + 1,
      });
    }
  }

  try {
    await printRows();
  } finally {
    await progress.end();
    await log?.close();
    await reportWalk();
  }
  if (outcome === undefined) return printed;
  countWalkFaults(outcome, input.failOnDrift, app);
  countContradictions(app, contradiction?.(), changes());
  const missing = crossCheck === 'full' ? missingCrossCheck(outcome.report, noCrossCheck, noun) : undefined;
  if (missing !== undefined) app.addFault(missing);
  const doubt = filter?.fault();
  if (doubt !== undefined) app.addFault(doubt);
  sayWithheld({ rows: printed, withheld: withheld.printed }, app);
  return printed;

  /** Returns the outcome; its fault says what stands in spite of it, and how to go on. */
  function withKept({ fault, ...found }: WalkOutcome): WalkOutcome {
    if (fault === undefined) return found;
    const isSpent = found.report.requests >= (maxRequests ?? Infinity);
    if (state.windows === 0 && isSpent)
      fault.detail.hint ??= 'raise --max-requests: they are too few for the first window';
    if (frozen === 0) return { ...found, fault };
    const [kept, hint] =
      dir === undefined
        ? [
            `${plural(printed, 'row')} printed, no log was kept`,
            'with --freeze DIR it can be continued (--resume)',
          ]
        : [`${plural(frozen, noun)} in frozen windows in ${input.freeze}`, `${again} to continue`];
    return { ...found, fault: new Fault(fault.kind, fault.message, { kept, hint, ...fault.detail }) };
  }

  /**
   * Returns the outcome with the unresolved rows of earlier runs. A resumed walk does not read again what is behind its
   * frontier, so it asks the service whether those rows still exist.
   */
  async function withUnresolvedRows(found: WalkOutcome): Promise<WalkOutcome> {
    if (dir !== undefined)
      await addUnresolvedRows(dir, { unplaced: found.unplaced ?? [], late: found.report.late });
    if (found.fault !== undefined || pending.size === 0) return found;
    const existing = await findExisting(source, pending, app.world.signal);
    const unplaced = existing.find((id) => unresolved.unplaced.includes(id));
    const late = [...found.report.late, ...existing.filter((id) => unresolved.late.includes(id))];
    const report = { ...found.report, late: [...new Set(late)] };
    if (unplaced === undefined) return { ...found, report };
    const fault = new Fault(
      'unstable',
      `row ${unplaced} was seen by an earlier run but its place in the list is undecided`,
      { hint: 'walk again into a new folder' },
    );
    return { report: { ...report, verdict: 'incomplete' }, fault };
  }

  /** Returns the outcome; the walk is not complete where the service counts more rows than it lists. */
  function withCount(found: WalkOutcome): WalkOutcome {
    if (found.fault !== undefined) return found;
    const isWhole = after === undefined && before === undefined;
    const fault = missingRowsFault(totals, { rows: frozen, isWhole }, app);
    return fault === undefined ? found : { report: { ...found.report, verdict: 'incomplete' }, fault };
  }

  /** Without this record a comparison cannot tell rows that are lost from rows that this walk did not reach. */
  async function recordEnd({ report, fault }: WalkOutcome): Promise<void> {
    if (dir === undefined || fault !== undefined) return;
    const finished_at = new Date(app.world.now()).toISOString();
    const { frozen, late, confidence } = report;
    await recordCompletion(dir, { head: frozen.head, finished_at, late, confidence });
  }

  async function printRows(): Promise<void> {
    if (input.report === '-') {
      for await (const _ of rows());
      return;
    }
    await app.printer.list(view, {
      rows: rows(),
      isLive: true,
      isAll: true,
      status: () =>
        listStatus({ isCutShort: isCutShort(), fault: outcome?.fault, withheld: withheld.printed }),
      summary: () => ({
        rows: printed,
        withheld: withheldInSummary(withheld.printed, filter?.isUndecided() === true),
        windows: outcome?.report.windows ?? 0,
        requests: outcome?.report.requests ?? 0,
        disagreements: outcome?.report.disagreements ?? 0,
        confidence: isCutShort() ? null : outcome?.report.confidence,
        ...changedRows(changes()),
        complete:
          outcome !== undefined &&
          outcome.fault === undefined &&
          filter?.fault() === undefined &&
          filter?.isUndecided() !== true,
      }),
    });
  }

  /** Whether the walk ended for another reason than the answers that it got: interrupted, no requests left, or no service reached. */
  function isCutShort(): boolean {
    return (
      outcome === undefined ||
      outcome.isSpent === true ||
      (outcome.fault !== undefined && !FAULTS_OF_ANSWERS.has(outcome.fault.kind))
    );
  }

  /** Logs the report and writes its file, of an incomplete walk too. */
  async function reportWalk(): Promise<void> {
    if (outcome === undefined) return;
    const report: WalkReport = {
      ...outcome.report,
      withheld: withheld.all,
      frozen: { ...outcome.report.frozen, file: log?.file ?? null },
    };
    const lines = walkLines(report, noun, app.screen, { isCutShort: isCutShort() });
    for (const line of lines) app.log(plainText(line));
    if (input.report !== undefined)
      await writeReport(report, { report: input.report, force: input.force }, app);
  }
}

/** Faults that say that the answers are wrong. */
const FAULTS_OF_ANSWERS: ReadonlySet<string> = new Set(['unstable', 'protocol']);

/** Returns the fault of `--cross-check full` where some row was not compared with /messages. */
function missingCrossCheck(
  { cross_check, conversations, verdict }: WalkReport,
  noCrossCheck: string | undefined,
  noun: string,
): Fault | undefined {
  const kept = `the list stands: verdict ${verdict}`;
  if (noCrossCheck !== undefined) return new Fault('partial', `no cross-check: ${noCrossCheck}`, { kept });
  if (cross_check.unavailable === 0) return undefined;
  const rows = `${cross_check.unavailable} of ${plural(conversations, noun)}`;
  return new Fault('partial', `${rows} not cross-checked: /messages stopped answering`, { kept });
}

/** Returns how many rows a read of the walk asks for, also those that find out what the list supports. */
export function pageRowsOf(input: Pick<WalkInput, 'limit'>): number {
  return Math.max(MIN_PAGE_ROWS, windowRowsOf(input));
}

/** Returns how many rows a window has at most. */
function windowRowsOf({ limit }: Pick<WalkInput, 'limit'>): number {
  return Math.min(limit ?? DEFAULT_LIMIT, PAGE_LIMIT.maximum);
}

/** Returns the line of one read for the diagnostic log. */
function logLine({ number, surface, query, rows, drift_ratio, problem }: ReadNote): string {
  const after = query.after === undefined ? '' : ` after ${query.after}`;
  const before = query.before === undefined ? '' : ` before ${query.before}`;
  const what = surface === 'list' ? 'read' : 'cross-check';
  const drift = drift_ratio === undefined ? '' : `, drift ratio ${drift_ratio}`;
  const suffix = problem === undefined ? '' : `; ${problem}`;
  return `${what} ${number}:${after}${before} limit ${query.limit}: ${plural(rows, 'row')}${drift}${suffix}`;
}
