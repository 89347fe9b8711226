// Prints the report of verified or pulled files: as one document, as a tree of verdicts, or one file per line.
import type { App } from '../../app.ts';
import type { PullReport, VerifyReport } from '../../contract/reports/files.ts';
import { fileView, verifyLines } from '../../format/views/index.ts';
import { checksumLine } from '../../verify/checksum-list.ts';

/** Prints the report in the output form of the run. */
export async function printFileReport(app: App, report: VerifyReport | PullReport): Promise<void> {
  if (app.printer.isOneRowPerLine) {
    const { files, fixity, completeness, checked } = report;
    await app.printer.list(fileView, {
      rows: files,
      summary: () => ({ checked, fixity, completeness, complete: completeness === 'complete' }),
    });
    return;
  }
  await app.printer.report(
    report,
    () => verifyLines(report, app.screen),
    () =>
      // Expected hashes, so that `sha256sum -c` fails on the same files as arx.
      report.files.flatMap(({ path, expected }) =>
        // A bag may have hashes of other algorithms; sha256sum reads only its own.
        path === null || expected?.length !== 64 ? [] : [checksumLine(expected, path).slice(0, -1)],
      ),
  );
}
