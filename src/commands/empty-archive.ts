// What to do first: said where a list has no rows because the local archive has none.
import type { App } from '../app.ts';
import { Fault } from '../faults.ts';

/** Says how to fill the local archive, if it has neither messages nor files. `rows`: how many rows a list showed; only without any this is asked. */
export async function noticeEmptyArchive(
  rows: number,
  app: Pick<App, 'client' | 'isRemote' | 'log' | 'notice'>,
): Promise<void> {
  if (rows > 0 || app.isRemote) return;
  try {
    const { counts = {} } = (await (await app.client()).health()).body;
    if (counts['messages'] === 0 && counts['attachments'] === 0)
      app.notice('no archive yet: arx import FILE, or arx login --base-url URL');
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    // The list was shown, so this is no fault of the run.
    app.log(`the archive does not say whether it is empty: ${error.message}`);
  }
}
