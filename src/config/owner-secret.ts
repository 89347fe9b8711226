// The secret by which `arx login` shows a service on this machine that the same user runs both.
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from '../contract/loopback.ts';
import { Fault } from '../faults.ts';
import { ensurePrivateFolder, readPrivate, replacePrivate, type StoreWorld } from './private-file.ts';

/** The secret of one run of `arx serve`. */
export type OwnerSecret = {
  readonly secret: string;
  /** Writes the secret for the address of the service. Where it cannot be written, a notice says what that means. */
  publish(baseUrl: string): void;
  /** Removes what {@link OwnerSecret.publish} wrote, unless a later service has the address. Never throws. */
  withdraw(): void;
};

/**
 * Returns a new secret. Each run of a service has its own, in a file named after its address. So what a client sends to a
 * program that took over the port of an earlier service is worth nothing.
 */
export function createOwnerSecret(configFolder: string, world: StoreWorld): OwnerSecret {
  const secret = Buffer.from(world.randomBytes(32)).toString('base64url');
  let path: string | undefined;
  return {
    secret,
    publish(baseUrl) {
      const file = fileOf(configFolder, new URL(baseUrl));
      try {
        ensurePrivateFolder(configFolder, world);
        replacePrivate(file, Buffer.from(secret), `${world.pid}-${secret.slice(0, 8)}`);
        path = file;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        world.notice(`arx login gets the tier external from this service: ${error.message}`);
      }
    },
    withdraw() {
      try {
        if (path !== undefined && readPrivate(path, world)?.toString() === secret) unlinkSync(path);
      } catch {
        // Without the service, the file opens nothing.
      }
    },
  };
}

/** Where to ask for a token, and what to send. */
export type OwnerLogin = { baseUrl: string; secret: string };

/**
 * Returns the secret of the service at `baseUrl`, and the address to send it to. Undefined where this user runs no service
 * there. `localhost` is replaced by the address that the file names: another user's program may listen on the other one.
 * Throws Fault 'store' for a file that is not ours alone.
 */
export function readOwnerSecret(
  configFolder: string,
  baseUrl: string,
  world: Pick<StoreWorld, 'uid' | 'notice'>,
): OwnerLogin | undefined {
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:' || !isLoopback(url.hostname)) return undefined;
  const hosts = url.hostname === 'localhost' ? ['127.0.0.1', '[::1]'] : [url.hostname];
  for (const host of hosts) {
    url.hostname = host;
    const secret = readPrivate(fileOf(configFolder, url), world)?.toString();
    if (secret !== undefined && /^[\w-]{43}$/.test(secret)) return { baseUrl: url.href, secret };
  }
  return undefined;
}

function fileOf(configFolder: string, { hostname, port }: URL): string {
  return join(configFolder, `owner-${hostname.replaceAll(/[^\w.]/g, '_')}-${port === '' ? '80' : port}`);
}
