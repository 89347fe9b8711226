// Makes the clients of a run: with the token of its session, without one, and what else sends requests of the interface.
import type { App } from '../app.ts';
import type { Client } from '../client/index.ts';
import type { Directories } from '../config/directories.ts';
import type { StoreWorld } from '../config/private-file.ts';
import type { Session } from '../config/session.ts';
import type { Settings } from '../config/settings.ts';
import { lazy } from '../lazy.ts';
import type { World } from '../world.ts';
import type { Connection } from './connection.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { Recording } from './recording.ts';

/** The clients of a run. Nothing is connected before the first request. */
export type Clients = Pick<
  App,
  'client' | 'clientUntil' | 'signingClient' | 'anonymousClient' | 'apiTransport' | 'sendTo'
> & {
  /** Returns the client that asks for tokens: at our own service on this machine with the secret of its owner. */
  loginClient(): Promise<Client>;
};

/** What clients are made from. */
export type ClientsOptions = {
  settings: Settings;
  directories: Directories;
  connection: Connection;
  recording: Recording;
  session(): Promise<Session>;
  diagnostics: Pick<Diagnostics, 'log' | 'notice'>;
  storeWorld: StoreWorld;
  world: World;
};

/** Returns the clients. */
export function createClients(options: ClientsOptions): Clients {
  const { settings, directories, connection, recording, session, storeWorld, world } = options;
  const { log, notice } = options.diagnostics;
  const common = { retries: settings.retries.value, timeoutMs: settings.timeout.value * 1000, log };
  const secrets = async (): Promise<readonly string[]> => (await session()).knownSecrets();
  const clientWith = async (
    of: Session | undefined,
    more: {
      webhookSecrets?: readonly Uint8Array[];
      baseUrl?: string;
      ownerSecret?: string;
      world?: World;
    } = {},
  ): Promise<Client> => {
    const { createClient } = await import('../client/index.ts');
    const { baseUrl, transport } = await connection.connect();
    return createClient({
      ...common,
      baseUrl,
      transport: recording.wrap(transport, 'api'),
      bearer: async () => (await of?.bearer())?.token,
      secrets,
      ...(of === undefined
        ? {}
        : {
            renew: () => of.renew(),
            hintAfterRefusal: () => of.hintAfterRefusal(),
            tierGiven: (tier) => of.tierGiven(tier),
          }),
      remembers: settings.base_url.value !== undefined,
      insecureHttp: settings.insecure_http.value,
      world,
      notice,
      ...more,
    });
  };
  const anonymousClient = lazy(() => clientWith(undefined));
  return {
    client: lazy(async () => clientWith(await session())),
    clientUntil: async (signal) => clientWith(await session(), { world: { ...world, signal } }),
    signingClient: async (webhookSecrets) => clientWith(await session(), { webhookSecrets }),
    anonymousClient,
    loginClient: async () => {
      const { base_url: base, proxy } = settings;
      // A proxy would read the secret.
      if (base.value === undefined || proxy.value !== undefined) return anonymousClient();
      const { readOwnerSecret } = await import('../config/owner-secret.ts');
      const owner = readOwnerSecret(directories.config, base.value, storeWorld);
      return owner === undefined
        ? anonymousClient()
        : clientWith(undefined, { baseUrl: owner.baseUrl, ownerSecret: owner.secret });
    },
    apiTransport: async () => recording.wrap((await connection.connect()).transport, 'api'),
    sendTo: async (url) => {
      const { createSender } = await import('../client/api-call.ts');
      const own = await session();
      return createSender({
        ...common,
        transport: recording.wrap(await connection.network(), 'api'),
        bearer: async () => (await own.bearerFor(url))?.token,
        secrets,
        world,
      });
    },
  };
}
