// The way to the archive: over the network where a base URL is set, else to the local archive in this process.
import type { Network } from '../client/network.ts';
import type { Transport } from '../client/transport.ts';
import type { Settings } from '../config/settings.ts';
import type { World } from '../world.ts';
import { connectLocalArchive } from './local-archive.ts';
import type { LocalArchives } from './local-archives.ts';
import { offlineFault } from './offline.ts';
import { lazy } from '../lazy.ts';

/** Timeouts of the network. */
export type Timeouts = { connectTimeoutMs: number; idleTimeoutMs: number };

/** The connection of a run to its archive. */
export type Connection = {
  /** Returns the address of the archive, of its files where it is known, and the transport to both. */
  connect(): Promise<{ baseUrl: string; assetUrl: string | undefined; transport: Transport }>;
  /** Returns the transport over the network. */
  network(): Promise<Transport>;
  readonly timeouts: Timeouts;
  close(): Promise<void>;
};

/** What a connection is made from. */
export type ConnectionOptions = {
  settings: Settings;
  archives: LocalArchives;
  version: string;
  /** `--offline`: nothing is sent over the network. */
  isOffline: boolean;
  /** `-vv`: returns the transport with a log of its requests. */
  logged(transport: Transport): Transport;
  log(text: string): void;
  /** Returns a transport over the network that shows what it waits for. */
  watch(transport: Transport): Transport;
  /** A connection to this host stands. */
  connected(host: string): void;
  world: World;
};

/** Returns a connection that opens nothing before its first use. */
export function createConnection(options: ConnectionOptions): Connection {
  const { settings, archives, version, isOffline, logged, log, watch, connected, world } = options;
  const timeoutMs = settings.timeout.value * 1000;
  const timeouts = {
    connectTimeoutMs: Math.min(timeoutMs, settings.connect_timeout.value * 1000),
    idleTimeoutMs: timeoutMs,
  };
  let opened: Promise<Network> | undefined;
  const network = lazy(async () => {
    if (isOffline) throw offlineFault(settings.base_url.value ?? 'the network', world);
    // undici's parser is small WebAssembly. Optimising it costs Node 20 more time and memory than it ever saves.
    if (world.nodeVersion.startsWith('v20.')) (await import('node:v8')).setFlagsFromString('--liftoff-only');
    opened = import('../client/network.ts').then(({ createNetwork }) =>
      createNetwork({
        ...timeouts,
        onConnect: (origin) => connected(new URL(origin).host),
        ...(settings.proxy.value === undefined ? {} : { proxy: settings.proxy.value }),
      }),
    );
    return opened;
  });
  const transport = async (): Promise<Transport> => logged(watch((await network()).transport));
  return {
    timeouts,
    network: transport,
    connect: lazy(async () => {
      const { base_url: base, asset_url: asset } = settings;
      if (base.value === undefined) {
        const archive = await archives.openForReading();
        return connectLocalArchive(archive, {
          assetUrl: asset.value,
          version,
          run: world.signal,
          log,
          failed: archives.failed,
        });
      }
      return { baseUrl: base.value, assetUrl: asset.value, transport: await transport() };
    }),
    close: async () => {
      await (await opened)?.close();
    },
  };
}
