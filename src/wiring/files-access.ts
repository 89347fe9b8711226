// Where files may be fetched from, and by which transport.
import type { Client } from '../client/index.ts';
import type { Session } from '../config/session.ts';
import type { LimitValues } from '../download/download-limits.ts';
import type { FileAccess } from '../download/file-request.ts';
import { Fault } from '../faults.ts';
import { lazy } from '../lazy.ts';
import type { World } from '../world.ts';
import type { Connection } from './connection.ts';
import type { Recording } from './recording.ts';

/** What the access to files is made from. */
type FileAccessOptions = {
  connection: Connection;
  recording: Recording;
  session(): Promise<Session>;
  anonymousClient(): Promise<Client>;
  /** Origins named by `--allow-asset-host`. */
  allowedHosts: readonly string[];
  hasFileSockets: boolean;
  timeoutMs: number;
  world: World;
};

/** The access of a run to files, opened when it is first needed. */
export type RunFiles = {
  access(): Promise<FileAccess>;
  /** Limits the downloads. Call it before {@link RunFiles.access}. */
  limit(values: LimitValues): void;
  /** Closes the sockets. */
  close(): void;
};

/** Returns the access of a run to files. */
export function createFiles(options: FileAccessOptions): RunFiles {
  let limits: LimitValues | undefined;
  let close = (): void => {};
  const access = lazy(async (): Promise<FileAccess> => {
    const opened = await openFileAccess(options);
    close = opened.close;
    if (limits === undefined) return opened.access;
    const { createDownloadLimits } = await import('../download/download-limits.ts');
    return { ...opened.access, limits: createDownloadLimits(limits, options.world) };
  });
  return {
    access,
    limit: (values) => {
      limits = values;
    },
    close: () => close(),
  };
}

/** Opens the access to files. Returns also how to close its sockets. */
async function openFileAccess(options: FileAccessOptions): Promise<{ access: FileAccess; close(): void }> {
  const { connection, timeoutMs, world } = options;
  const { trustedAssetOrigin, allowedOriginsOf } = await import('../download/allowed-origins.ts');
  const { baseUrl, assetUrl, transport } = await connection.connect();
  // Without a configured address the health reply of the service names it. `trustedAssetOrigin` decides whether that is trusted.
  const announced = assetUrl === undefined ? await announcedAddress(options) : undefined;
  const trusted = announced === undefined ? undefined : trustedAssetOrigin(announced, new URL(baseUrl));
  const known = [baseUrl, assetUrl, trusted].filter((url) => url !== undefined);
  const allowedOrigins = allowedOriginsOf(known, options.allowedHosts);
  const access = {
    transport: options.recording.wrap(transport, 'files'),
    allowedOrigins,
    baseUrl,
    timeoutMs,
    secrets: async () => (await options.session()).knownSecrets(),
  };
  if (!options.hasFileSockets) return { access, close: () => {} };
  const { createPipelinedTransport } = await import('../download/pipelined-http/transport.ts');
  const sockets = createPipelinedTransport({
    ...connection.timeouts,
    monotonic: world.monotonic,
    fallback: transport,
  });
  return { access: { ...access, transport: sockets.transport }, close: sockets.close };
}

/**
 * Returns the address of the files that the health reply names. Returns undefined where the service has no such reply, or
 * one of another shape, which the interface leaves open (4.5).
 */
async function announcedAddress({
  anonymousClient,
}: Pick<FileAccessOptions, 'anonymousClient'>): Promise<string | undefined> {
  const client = await anonymousClient();
  try {
    return (await client.health()).body.asset_url;
  } catch (error) {
    if (error instanceof Fault && isWithoutHealth(error)) return undefined;
    throw error;
  }
}

/**
 * Whether there is no health reply, or one that cannot be read. Another service than ours may refuse it, or answer 503 where
 * only a part of it is down. A redirect leads elsewhere.
 */
function isWithoutHealth({ kind, detail }: Fault): boolean {
  const { status, isFromOurService = false } = detail;
  if (isFromOurService) return false;
  return status === undefined ? kind === 'protocol' : status < 300 || status >= 400;
}
