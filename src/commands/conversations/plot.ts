// `arx conversations plot DIR`: drift and reads over the windows of a frozen walk, in the terminal or as an HTML page.
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { PlotReport, WalkedWindow } from '../../contract/reports/walk.ts';
import { Fault } from '../../faults.ts';
import { windowView } from '../../format/views/index.ts';
import { walkPlot } from '../../format/plot/walk-plot.ts';
import { readFrozenWalk } from '../../walk/log/frozen-walk.ts';
import { checkOutputFile, OutputFile, writeHtmlPage } from '../shared/output-file.ts';

export const Input = z.object({
  dir: z.string().min(1),
  html: OutputFile.optional(),
  force: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  checkOutputFile('--html', { file: input.html, force: input.force }, app);
  const report = await readSeries(input.dir, app);
  if (report.walk.torn)
    app.notice(`${input.dir}: the log ends with an unfinished window, as a killed walk leaves it`);
  if (input.html !== undefined) {
    const { walkPage } = await import('../../format/html/walk-page.ts');
    await writeHtmlPage(input.html, walkPage(report, app.version), input.force, app);
  }
  if (input.html !== '-') await print(report, app);
  if (report.windows.length === 0 && !report.walk.complete)
    app.addFault(new Fault('partial', `${input.dir}: there are no windows to draw`));
}

async function readSeries(dir: string, app: App): Promise<PlotReport> {
  const windows: WalkedWindow[] = [];
  const { walk } = await readFrozenWalk(dir, resolve(app.world.cwd, dir), (line) => {
    app.world.signal.throwIfAborted();
    const { window, after, ids, reads, disagreements, drift_ratio } = line;
    windows.push({ window, after, conversations: ids.length, reads, disagreements, drift_ratio });
  });
  const drifts = windows.flatMap(({ drift_ratio }) => (drift_ratio === null ? [] : [drift_ratio]));
  return {
    version: 1,
    walk,
    reads: windows.reduce((sum, { reads }) => sum + reads, 0),
    disagreements: windows.reduce((sum, { disagreements }) => sum + disagreements, 0),
    drift: {
      first: drifts[0] ?? null,
      last: drifts.at(-1) ?? null,
      max: drifts.length === 0 ? null : drifts.reduce((max, drift) => Math.max(max, drift)),
    },
    windows,
  };
}

async function print(report: PlotReport, app: App): Promise<void> {
  if (!app.printer.isOneRowPerLine) return app.printer.report(report, () => walkPlot(report, app.screen));
  const { windows, reads, disagreements } = report;
  await app.printer.list(windowView, { rows: windows, summary: () => ({ reads, disagreements }) });
}
