// How many rows an archive counts, and what to do first where the local one has none.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { noArchiveText } from '../../wiring/no-archive.ts';

type CountsApp = Pick<App, 'client' | 'isRemote' | 'log' | 'openArchive'>;

/** Returns how many rows of each kind our service counts (interface 4.5); none where it does not say. */
export async function countsOf(app: CountsApp): Promise<Record<string, number>> {
  try {
    const client = await app.client();
    if (app.isRemote) return (await client.health()).body.counts ?? {};
    // The health reply of the local archive has the same counts, and takes a start 2 ms.
    const { summariesOf } = await import('../../service/index.ts');
    const { conversations, messages, attachments } = (await summariesOf(await app.openArchive())).mirror;
    return { conversations, messages, attachments };
  } catch (error) {
    if (error instanceof Fault ? error.kind === 'interrupted' : app.isRemote) throw error;
    // What was asked for does not depend on it, so this is no fault of the run.
    app.log(`the archive does not say how many rows it has: ${(error as Error).message}`);
    return {};
  }
}

/** Says how to fill the local archive, if it has neither messages nor files. `rows`: how many rows a list showed; only without any this is asked. */
export async function noticeEmptyArchive(
  rows: number,
  app: CountsApp & Pick<App, 'isRemote' | 'notice' | 'settings' | 'tokens'>,
): Promise<void> {
  if (rows > 0 || app.isRemote) return;
  const { messages, attachments } = await countsOf(app);
  if (messages === 0 && attachments === 0) app.notice(await noArchiveText(app));
}
