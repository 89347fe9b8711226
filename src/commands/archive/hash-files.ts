// Hashes files of a folder in a pool of workers, for the check of an archive.
import type { App } from '../../app.ts';
import type { FsckOptions } from '../../service/fsck/check-archive.ts';

/** Returns the function with which a check hashes the files of a folder. */
export function hashFiles(app: Pick<App, 'world'>): FsckOptions['hash'] {
  const { signal, thread } = app.world;
  return async (dir, paths) => {
    const { openHashPool } = await import('../../verify/hash-pool.ts');
    const pool = openHashPool(dir, { algorithms: ['sha256'], signal, thread });
    try {
      pool.add(paths);
      return await pool.finish();
    } finally {
      await pool.stop();
    }
  };
}
