// `arx doctor`: checks this installation and, where a base URL is set, finds out what the service there can do.
import * as z from 'zod';
import type { App } from '../app.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { ServiceFinding } from '../contract/reports/service.ts';
import { checks, type Check } from '../config/doctor.ts';
import { Fault } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import { checkView, serviceFindingView, serviceReportLines } from '../format/views/index.ts';

export const Input = z.object({});

/** Stored files that are checked: enough to notice a lost disk, few enough to answer at once. */
const MAX_CHECKED_FILES = 200;

/** Runs `arx doctor`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const rows = await checkInstallation(app);
  const baseUrl = app.settings.base_url.value;
  if (baseUrl === undefined) await printChecks(rows, app);
  else await printService(baseUrl, rows, app);
  const failed = rows.filter(({ verdict }) => verdict === 'fail').length;
  if (failed > 0) app.addFault(new Fault('store', `${failed} of ${plural(rows.length, 'check')} failed`));
}

function checkInstallation(app: App): Promise<Check[]> {
  const { settings, directories, tokens: store, world } = app;
  return checks({
    settings,
    directories,
    store,
    env: world.env,
    nodeVersion: world.nodeVersion,
    uid: world.uid,
    now: world.now,
    health: async () => (await app.anonymousClient()).health(),
    openArchive: async () => {
      const archive = await app.openArchive({ dir: directories.data, mustExist: true });
      const { spotCheckFiles } = await import('../service/administration.ts');
      const { looked, missing, damaged } = await spotCheckFiles(archive, MAX_CHECKED_FILES);
      if (missing + damaged > 0) {
        throw new Fault(
          'integrity',
          `of ${looked} stored files checked, ${missing} are missing and ${damaged} are damaged`,
        );
      }
      const found = await archive.database.get<{ n: number }>(
        'SELECT COALESCE(MAX(n), 0) AS n FROM messages',
      );
      return `${found?.n ?? 0} messages; ${looked} stored files checked`;
    },
  });
}

async function printChecks(rows: readonly Check[], app: App): Promise<void> {
  const failed = rows.filter(({ verdict }) => verdict === 'fail').length;
  const warned = rows.filter(({ verdict }) => verdict === 'warn').length;
  await app.printer.list(checkView, {
    status: failed > 0 ? 'fail' : warned > 0 ? 'warn' : 'ok',
    rows: [...rows],
    summary: () => ({ checks: rows.length, failed, warned, complete: true }),
  });
}

/** Prints what is known of this installation and of the service. Adds the fault of a service that cannot be examined. */
async function printService(baseUrl: string, rows: readonly Check[], app: App): Promise<void> {
  const { reportOnService } = await import('./doctor/report.ts');
  let url: URL;
  try {
    url = parseBaseUrl(baseUrl, { insecureHttp: app.settings.insecure_http.value });
  } catch (error) {
    await printChecks(rows, app);
    throw error;
  }
  const installation = rows.map(({ name, verdict, detail }): ServiceFinding => ({
    about: 'installation',
    check: name,
    verdict,
    found: detail,
    meaning: null,
  }));
  const { report, fault } = await reportOnService(url, installation, app);
  if (app.printer.isOneRowPerLine)
    await app.printer.list(serviceFindingView, {
      rows: report.findings,
      summary: () => ({ requests: report.requests, complete: report.stopped === null }),
    });
  else await app.printer.report(report, (canvas) => serviceReportLines(report, canvas));
  if (fault !== undefined) app.addFault(fault);
}
