// The local archives that a run has open: each place is opened once and closed at the end.
import type { ErrorCode } from '../contract/error.ts';
import { Fault } from '../faults.ts';
import { openLocalArchive } from './local-archive.ts';
import { offlineFault } from './offline.ts';
import type { OpenArchive, ArchiveLocation } from '../service/index.ts';
import type { World } from '../world.ts';

/** Failed requests that are kept: those that a command may still report. */
const MAX_FAILURES = 20;

/** The code of a service that cannot reach its archive. */
const UNAVAILABLE: ErrorCode = 'store_unavailable';

/** The archives of a run. */
export type LocalArchives = {
  /** Opens the archive at `place`, which is the local one from then on; without it, the local one. */
  open(place?: ArchiveLocation): Promise<OpenArchive>;
  /** Opens the local archive for reading, with the database that is there. Throws Fault 'not_found' where there is none. */
  openForReading(): Promise<OpenArchive>;
  /** Keeps why the service in this process could not answer a request. */
  failed(requestId: string, error: unknown): void;
  /**
   * Returns the Fault for a database that failed in the middle of a command or is damaged, also where its service answered that it is busy because
   * the disk fails or no descriptor is left; any other error comes back as it is.
   */
  faultOf(error: unknown): Promise<unknown>;
  close(): Promise<void>;
};

/**
 * Returns the archives; that in the folder `dir` is the local one until a command names another. `firstSteps` is asked what to do
 * where that one is not there.
 */
export function createLocalArchives(
  dir: string,
  {
    isOffline,
    world,
    notice,
    firstSteps,
  }: {
    isOffline: boolean;
    world: World;
    notice: (text: string) => void;
    firstSteps: () => Promise<string>;
  },
): LocalArchives {
  const archives = new Map<string, Promise<OpenArchive>>();
  const failures = new Map<string, unknown>();
  let current: ArchiveLocation = { dir };
  const open = (place = current): Promise<OpenArchive> => {
    current = place;
    if (isOffline && 'url' in place) throw offlineFault('the database', world);
    // What was opened to be made is there to be read.
    const name = JSON.stringify({ ...place, mustExist: undefined });
    const opened =
      archives.get(name) ??
      openLocalArchive(place, world, notice).catch(async (error: unknown) => {
        const isMissing = error instanceof Fault && error.kind === 'not_found';
        if (!isMissing || !('dir' in place) || place.dir !== dir) throw error;
        const hint = await firstSteps();
        throw new Fault('not_found', `no archive yet in ${dir}`, { ...error.detail, hint });
      });
    archives.set(name, opened);
    return opened;
  };
  return {
    open,
    openForReading: async () => {
      const { readOnlyIfNotWritable } = await import('../service/index.ts');
      return open({ ...readOnlyIfNotWritable(current), mustExist: true });
    },
    faultOf: async (error) => {
      if (archives.size === 0 || world.signal.aborted) return error;
      const { code, request_id: requestId = '' } = error instanceof Fault ? error.detail : {};
      if (error instanceof Fault && (code !== UNAVAILABLE || !failures.has(requestId))) return error;
      const { accessErrorOf, storeFault, withSystemCode } = await import('../service/index.ts');
      const cause = error instanceof Fault ? failures.get(requestId) : error;
      const fault = storeFault(accessErrorOf('dir' in current ? withSystemCode(cause, current.dir) : cause));
      if (!(fault instanceof Fault)) return error;
      // Of what passes by itself the service said enough.
      return error instanceof Fault && fault.kind !== 'disk' ? error : fault;
    },
    failed(requestId, error) {
      failures.set(requestId, error);
      if (failures.size > MAX_FAILURES) failures.delete(failures.keys().next().value!);
    },
    close: async () => {
      for (const archive of archives.values()) {
        // The command that asked for an archive reported why it could not be opened.
        await archive.then(
          (opened) => opened.close(),
          () => {},
        );
      }
    },
  };
}
