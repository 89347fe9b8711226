// The local archive of commands that write to it.
import type { App } from '../app.ts';
import type { OpenArchive } from '../service/index.ts';

/** Returns the local archive, which is made where there is none. One that cannot be written is opened for reading. */
export async function openOrMakeArchive({
  directories,
  openArchive,
}: Pick<App, 'directories' | 'openArchive'>): Promise<OpenArchive> {
  const { readOnlyIfNotWritable } = await import('../service/index.ts');
  return openArchive(await readOnlyIfNotWritable({ dir: directories.data }));
}
