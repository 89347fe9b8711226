// Opens the local archive in this process, and connects the client to it without a port.
import { createInProcessTransport, EMBEDDED_BASE_URL } from '../client/in-process.ts';
import type { Transport } from '../client/transport.ts';
import { reasonOf } from '../config/private-file.ts';
import { NO_FOLDERS } from '../disk/make-folder.ts';
import { Fault, NOTHING_CHANGED } from '../faults.ts';
import type { OpenArchive, ArchiveLocation } from '../service/index.ts';
import type { World } from '../world.ts';

/** The default port of `arx serve`; files are on the next port. */
export const DEFAULT_API_PORT = 4747;

/**
 * The address of files in rows of the local archive. It is the one that `arx serve` would use, so that rows are the same
 * with and without a port.
 */
export const DEFAULT_ASSET_URL = `http://127.0.0.1:${DEFAULT_API_PORT + 1}`;

/** Opens an archive. Throws Fault 'usage', 'not_found', 'store', 'disk' or what the database's failure means. */
export async function openLocalArchive(
  place: ArchiveLocation,
  world: World,
  notice?: (text: string) => void,
): Promise<OpenArchive> {
  const service = await import('../service/index.ts');
  const kept = NOTHING_CHANGED;
  const { startOwn } = world;
  const startReads = startOwn && (() => startOwn('reads-process'));
  try {
    return await service.openArchive({
      ...place,
      now: world.now,
      randomBytes: world.randomBytes,
      sleep: world.sleep,
      startReads,
      onLongWait: () => notice?.('waiting for another process that writes to the archive'),
    });
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (error instanceof service.DatabaseAccessError) throw service.accessFault(error, kept);
    if (error instanceof service.OtherFilesLocation) {
      throw new Fault('usage', error.message, { kept, hint: error.hint, cause: error });
    }
    if (error instanceof service.NewerSchema) {
      throw new Fault('store', error.message, { kept, hint: error.hint, cause: error });
    }
    if (error instanceof service.OlderSchema) {
      throw new Fault('store', error.message, {
        kept,
        hint: 'arx import or arx serve brings it up to date',
        cause: error,
      });
    }
    if (error instanceof service.NoArchive) {
      throw new Fault('not_found', 'dir' in place ? `no archive in ${place.dir}` : error.message, {
        ...('dir' in place ? { hint: 'arx config path prints the folder of the local archive' } : {}),
        cause: error,
      });
    }
    const { why: reason, hint } =
      error instanceof service.ArchiveUnreadable ? error : { why: reasonOf(error), hint: undefined };
    const where = 'dir' in place ? place.dir : 'the database';
    const message = `cannot open the archive in ${where}`;
    if (DISK_CODES.has(codeOf(error)))
      throw new Fault('disk', `${message}: ${reasonOf(error)}`, { kept, cause: error });
    throw new Fault('store', `${message}: ${reason}`, {
      kept,
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}

/** Codes of the disk that refuses a new archive; others are of what is there. */
const DISK_CODES = new Set([NO_FOLDERS, 'EROFS', 'ENOSPC', 'EDQUOT']);

/** The address of the local archive, of its files, and the transport to both. */
export type LocalConnection = { baseUrl: string; assetUrl: string; transport: Transport };

/** Returns the connection to an archive that is open in this process. */
export async function connectLocalArchive(
  archive: OpenArchive,
  options: {
    assetUrl: string | undefined;
    version: string;
    run: AbortSignal;
    log(text: string): void;
    failed(requestId: string, error: unknown): void;
  },
): Promise<LocalConnection> {
  const { createAssetService, createService, failureText } = await import('../service/index.ts');
  const assetUrl = options.assetUrl ?? DEFAULT_ASSET_URL;
  const onFailure = (requestId: string, error: unknown): void => {
    options.failed(requestId, error);
    options.log(`${requestId} failed: ${failureText(error)}`);
  };
  const services = {
    [EMBEDDED_BASE_URL]: createService(archive, { assetUrl, version: options.version, onFailure }),
    [new URL(assetUrl).origin]: createAssetService(archive, { onFailure }),
  };
  const transport = createInProcessTransport(services, options.run);
  return { baseUrl: EMBEDDED_BASE_URL, assetUrl, transport };
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
