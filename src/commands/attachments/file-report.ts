// Verified files on stdout: the report as one document or a tree of verdicts, or one file a line.
import type { App } from '../../app.ts';
import type { PullReport, VerifyReport } from '../../contract/reports/files.ts';
import { fileView, verifyLines } from '../../format/views/index.ts';
import { checksumLine } from '../../verify/checksum-list.ts';

export async function printFileReport(app: App, report: VerifyReport | PullReport): Promise<void> {
  const { output } = app.printer;
  if (output === 'tsv' || output === 'ndjson') {
    const { files, fixity, completeness, checked } = report;
    await app.printer.list(fileView, { rows: files, summary: () => ({ checked, fixity, completeness }) });
    return;
  }
  await app.printer.report(
    report,
    () => verifyLines(report, app.screen),
    () =>
      // What should be there: then `sha256sum -c` fails where we do, also on a file that has other content.
      report.files.flatMap(({ path, expected, verdict }) =>
        // A bag may have hashes of other algorithms, which sha256sum does not know.
        path === null || expected?.length !== 64 || verdict === 'withheld'
          ? []
          : [checksumLine(expected, path).slice(0, -1)],
      ),
  );
}
