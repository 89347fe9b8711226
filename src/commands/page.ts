// Prints one page of a list, with its completeness in the summary.
import type { App } from '../app.ts';
import { Fault } from '../faults.ts';
import type { View } from '../format/views/view.ts';
import type { Window } from './input.ts';

type Page<Row> = {
  data: Row[];
  status?: string | undefined;
  has_more?: boolean | undefined;
  drift_ratio?: number | undefined;
};

/**
 * Prints a page. `complete` is true only where the page is the whole list and the service says so. `fault` says why rows may
 * be missing or wrong; it is counted in `app`.
 */
export async function printPage<Row extends { id: string }>(
  app: App,
  view: View<Row>,
  page: Page<Row>,
  window: Window,
  fault?: Fault,
): Promise<void> {
  const { status, has_more, drift_ratio } = page;
  const isFromEndToEnd = window.after === undefined && window.before === undefined;
  const complete = has_more === false && isFromEndToEnd && fault === undefined;
  const last = page.data.at(-1);
  await app.printer.list(view, {
    status,
    rows: page.data,
    summary: () => ({
      rows: page.data.length,
      has_more: has_more ?? null,
      drift_ratio: drift_ratio ?? null,
      complete,
    }),
  });
  // Tables and JSON have it in their summary.
  if (has_more === true && last !== undefined && app.printer.output === 'tsv') {
    app.notice(`more rows follow: --after ${last.id}`);
  }
  if (fault !== undefined) app.addFault(fault);
  else if (app.strict && !complete) app.addFault(new Fault('partial', 'the page is not the whole list'));
}
