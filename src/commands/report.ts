// `arx report`: figures over a whole archive, as a summary, as JSON and as a page.
import * as z from 'zod';
import type { App } from '../app.ts';
import type { Health } from '../contract/health.ts';
import type { VerifyReport } from '../contract/reports/files.ts';
import type { ArchiveReport } from '../contract/reports/whole-archive.ts';
import { Fault } from '../faults.ts';
import { wholeArchiveLines } from '../format/views/index.ts';
import { noticeEmptyArchive } from './lists/archive-counts.ts';
import { verifyPath } from './attachments/verify.ts';
import { checkFree, checkOutputFile, OutputFile, writeHtmlPage } from './shared/output-file.ts';
import { readArchive } from './report/read-archive.ts';
import { sayWithheld } from './lists/withheld-rows.ts';

export const Input = z.object({
  html: OutputFile.optional(),
  verify: z.string().min(1).optional(),
  force: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  const { html, verify, force } = input;
  checkOutputFile('--html', { file: html, force }, app);
  if (html !== undefined && html !== '-') await checkFree(html, force, app);
  const verified = verify === undefined ? undefined : await verifyPath(verify, undefined, app);
  app.onInterrupt(() => ({
    kept: 'nothing was written',
    next: 'run the same command to read from the start',
  }));
  const report = await readReport(
    verified === undefined ? null : verificationOf(verify ?? '', verified.report),
    app,
  );
  if (html !== undefined) {
    const { archivePage } = await import('../format/html/archive-page.ts');
    await writeHtmlPage(html, archivePage(report, app.version), force, app);
  }
  if (html !== '-') await app.printer.report(report, (canvas) => wholeArchiveLines(report, canvas));
  const { attachments, conversations, messages } = report;
  await noticeEmptyArchive(attachments.total + messages.total, app);
  for (const fault of verified?.faults ?? []) app.addFault(fault);
  if (!app.strict) return;
  const rows = attachments.total + conversations.total + messages.total;
  const withheld = attachments.withheld + conversations.withheld + messages.withheld;
  sayWithheld({ rows, withheld }, app);
}

async function readReport(verification: ArchiveReport['verification'], app: App): Promise<ArchiveReport> {
  const session = await app.session();
  const { entry } = await session.bearer();
  const from = app.world.now();
  const health = await healthOf(app);
  const figures = await readArchive(health, app);
  const tier = await session.tier();
  return {
    version: 1,
    archive: session.origin,
    service: health?.service === undefined ? null : [health.service, health.version ?? ''].join(' ').trim(),
    read_from: new Date(from).toISOString(),
    read_until: new Date(app.world.now()).toISOString(),
    reader: {
      client_id: entry?.client_id ?? null,
      tier: tier ?? null,
      scope: entry?.scope ?? null,
    },
    ...figures,
    verification,
  };
}

/** Returns the health of the service; undefined where it does not say. */
async function healthOf(app: App): Promise<Health | undefined> {
  try {
    return (await (await app.client()).health()).body;
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    app.log(`the service does not say how it is: ${error.message}`);
    return undefined;
  }
}

function verificationOf(dir: string, report: VerifyReport): ArchiveReport['verification'] {
  const { checked, verdicts, bytes, fixity, completeness, bag, files } = report;
  const differing = files.filter(({ verdict }) => verdict !== 'match');
  return {
    dir,
    checked,
    verdicts,
    bytes,
    fixity,
    completeness,
    ...(bag === undefined ? {} : { bag }),
    differing,
  };
}
