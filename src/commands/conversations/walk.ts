// `arx conversations walk`: the exact list, through frozen windows; what is not settled is never shown.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { LIMIT } from '../../contract/quantity.ts';
import { Fault } from '../../faults.ts';
import { plain } from '../../format/line.ts';
import { conversationView, walkLines } from '../../format/views.ts';
import { openFrozenLog } from '../../walk/frozen-log.ts';
import { walk, type ReadNote, type WalkOutcome } from '../../walk/walk.ts';
import { present, wholeNumber, Window } from '../input.ts';
import { conversationSource } from './source.ts';

export const Input = Window.extend({
  crossCheck: z.enum(['off', 'boundary', 'full']).default('boundary'),
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
  const client = await app.client();
  const subject = {
    base_url: (await app.session()).origin,
    after: input.after ?? null,
    before: input.before ?? null,
  };
  const log =
    input.freeze === undefined
      ? undefined
      : await openFrozenLog<Conversation>(resolve(app.world.cwd, input.freeze), subject, {
          resume: input.resume,
        });
  const windows = walk(conversationSource(client), {
    limit: Math.min(input.limit ?? USUAL_LIMIT, LIMIT.maximum),
    crossCheck: input.crossCheck,
    ...present({
      after: input.after,
      before: input.before,
      maxRequests: input.maxRequests,
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
    if (log !== undefined) yield* log.rows();
    for (;;) {
      const next = await windows.next();
      if (next.done === true) {
        outcome = next.value;
        // With nothing frozen there is nothing to show: the failure stands alone, as for any other command.
        if (outcome.fault !== undefined && outcome.report.conversations === 0) throw outcome.fault;
        return;
      }
      await log?.append(next.value);
      yield* next.value.rows;
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
    const path = resolve(app.world.cwd, input.report);
    await writeFile(path, `${JSON.stringify(report, null, 2)}\n`).catch((cause: unknown) => {
      app.fail(new Fault('disk', `cannot write the report ${path}`, { cause }));
    });
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
