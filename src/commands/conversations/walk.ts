// `arx conversations walk`: the exact list, through frozen windows; what is not settled is never shown.
import { open, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { withLock } from '../../config/lock.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { LIMIT } from '../../contract/quantity.ts';
import { diskFault } from '../../disk-fault.ts';
import { Fault } from '../../faults.ts';
import { plain } from '../../format/line.ts';
import { conversationView, walkLines } from '../../format/views.ts';
import { addDoubts, readDoubts, stillThere } from '../../walk/doubts.ts';
import { openFrozenLog } from '../../walk/frozen-log.ts';
import { walk, type ReadNote, type WalkOutcome } from '../../walk/walk.ts';
import { present, wholeNumber, Window } from '../input.ts';
import { conversationSource } from './source.ts';

export const Input = Window.extend({
  crossCheck: z.enum(['off', 'boundary', 'full']).default('boundary'),
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
  report: z.string().min(1).optional(),
});
type Input = z.infer<typeof Input>;

/** Rows of one read unless --limit says otherwise: few requests, and a small loss where a window must be read again. */
const USUAL_LIMIT = 100;

export async function run(input: Input, app: App): Promise<void> {
  if (input.resume && input.freeze === undefined) throw new Fault('usage', '--resume goes with --freeze DIR');
  // A report that cannot be written is better known before an hour of walking than after it.
  if (input.report !== undefined) await (await openReport(input.report, app)).close();
  if (input.freeze === undefined) return walkAll(input, app, undefined);
  const dir = resolve(app.world.cwd, input.freeze);
  // Two walks into one log would break each other's chain.
  await withLock(join(dir, 'walk'), app.storeWorld, () => walkAll(input, app, dir));
}

async function walkAll(input: Input, app: App, dir: string | undefined): Promise<void> {
  const client = await app.client();
  const subject = {
    base_url: (await app.session()).origin,
    after: input.after ?? null,
    before: input.before ?? null,
  };
  const log =
    dir === undefined ? undefined : await openFrozenLog<Conversation>(dir, subject, { resume: input.resume });
  const doubts = dir === undefined ? { unplaced: [], late: [] } : await readDoubts(dir);
  /** What earlier runs saw and nobody has given out yet. */
  const pending = new Set([...doubts.unplaced, ...doubts.late]);
  const source = conversationSource(client);
  const windows = walk(source, {
    limit: Math.min(input.limit ?? USUAL_LIMIT, LIMIT.maximum),
    crossCheck: input.crossCheck,
    ...present({
      after: input.after,
      before: input.before,
      maxRequests: input.maxRequests,
      concurrency: input.concurrency,
      epsilon: input.confidence === undefined ? undefined : 1 - input.confidence,
      frozen: log?.state,
    }),
    signal: app.world.signal,
    log: (note) => app.log(spoken(note)),
  });
  const progress = app.progress({ besideRows: true });
  let outcome: WalkOutcome | undefined;
  let count = 0;

  async function* rows(): AsyncGenerator<Conversation> {
    // A killed run's output may be cut anywhere, so a resumed one gives the earlier windows again, from the log.
    for await (const row of log?.rows() ?? []) {
      pending.delete(row.id);
      yield row;
    }
    for (;;) {
      const next = await windows.next();
      if (next.done === true) {
        outcome = await withDoubts(next.value);
        // With nothing frozen there is nothing to show: the failure stands alone, as for any other command.
        if (outcome.fault !== undefined && outcome.report.conversations === 0) throw outcome.fault;
        return;
      }
      await log?.append(next.value);
      for (const row of next.value.rows) {
        pending.delete(row.id);
        yield row;
      }
      count += next.value.rows.length;
      progress.update({ label: 'frozen', done: count, unit: 'conversations' });
    }
  }

  try {
    await show();
  } finally {
    await progress.end();
    await log?.close();
    await tell();
  }
  if (outcome?.fault !== undefined) app.fail(outcome.fault);
  else if (outcome !== undefined && outcome.report.late.length > 0) {
    const late = `rows surfaced among frozen ones, written meanwhile or missed: ${outcome.report.late.join(', ')}`;
    if (app.strict) app.fail(new Fault('unstable', late));
    else app.notice(late);
  }

  /** A resumed walk does not see again what lies behind its frontier: what earlier runs saw there still counts. */
  async function withDoubts(found: WalkOutcome): Promise<WalkOutcome> {
    if (dir !== undefined) await addDoubts(dir, { unplaced: found.unplaced ?? [], late: found.report.late });
    if (found.fault !== undefined || pending.size === 0) return found;
    const there = await stillThere(source, pending, app.world.signal);
    const lost = there.find((id) => doubts.unplaced.includes(id));
    const late = [...new Set([...found.report.late, ...there.filter((id) => doubts.late.includes(id))])];
    if (lost === undefined) return { ...found, report: { ...found.report, late } };
    const fault = new Fault('unstable', `row ${lost} was seen by an earlier run and has no settled place`, {
      kept: `${found.report.conversations} conversations in frozen windows`,
      hint: 'walk again into a new folder',
    });
    return { report: { ...found.report, late, verdict: 'incomplete' }, fault };
  }

  async function show(): Promise<void> {
    await app.printer.list(conversationView, {
      rows: rows(),
      status: () => (outcome?.fault === undefined ? 'stable' : 'unstable'),
      summary: () => ({
        rows: outcome?.report.conversations ?? count,
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
    for (const line of walkLines(report, app.screen)) app.log(plain(line));
    if (input.report === undefined) return;
    try {
      const file = await openReport(input.report, app);
      await file.truncate();
      await file.writeFile(`${JSON.stringify(report, null, 2)}\n`).finally(() => file.close());
    } catch (error) {
      app.fail(diskFault(error, input.report) as Fault);
    }
  }
}

/** Made where it is missing, and left as it is until there is a report to put in. */
async function openReport(path: string, app: App): Promise<FileHandle> {
  try {
    return await open(resolve(app.world.cwd, path), 'a', 0o600);
  } catch (error) {
    throw diskFault(error, path);
  }
}

function spoken({ number, query, rows, drift_ratio, trouble }: ReadNote): string {
  const cursors = [
    query.after === undefined ? '' : ` after ${query.after}`,
    query.before === undefined ? '' : ` before ${query.before}`,
  ].join('');
  const drift = drift_ratio === undefined ? '' : `, drift ratio ${drift_ratio}`;
  return `read ${number}:${cursors} limit ${query.limit}: ${rows} rows${drift}${trouble === undefined ? '' : `; ${trouble}`}`;
}
