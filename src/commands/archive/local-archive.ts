// The local archive of commands that write to it or log in to it.
import type { App } from '../../app.ts';
import type { OpenArchive } from '../../service/index.ts';

/**
 * Returns the local archive. One that cannot be written is opened for reading. Throws Fault 'not_found' where there is none: only
 * a command that is asked for an archive makes one.
 */
export async function openLocalArchive({
  directories,
  openArchive,
}: Pick<App, 'directories' | 'openArchive'>): Promise<OpenArchive> {
  const { readOnlyIfNotWritable } = await import('../../service/index.ts');
  return openArchive({ ...readOnlyIfNotWritable({ dir: directories.data }), mustExist: true });
}
