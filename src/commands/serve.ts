// `arx serve`: the very handler of the embedded archive, on a port; loopback unless told otherwise.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { TIERS, type Tier } from '../contract/token.ts';
import { Fault } from '../faults.ts';
import { SERVE_PORT } from '../local.ts';
import { wholeNumber } from './input.ts';

const Port = wholeNumber(0).refine((port) => port <= 65_535, 'must be a port from 0 to 65535');

export const Input = z.object({
  host: z.string().min(1).default('127.0.0.1'),
  port: Port.default(SERVE_PORT),
  assetPort: Port.optional(),
  database: z.string().optional(),
  maxTier: z.enum(TIERS).optional(),
  drift: z.string().optional(),
  driftSeed: wholeNumber(0).optional(),
  driftFaults: z.string().optional(),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  if (app.world.signal.aborted) return;
  const drift = await driftOf(input);
  const archive = await app.local(databaseDir(input, app));
  const { listen } = await import('../service/port.ts');
  const { createAssetService, createService } = await import('../service/index.ts');
  const announced = app.settings.asset_url.value;
  const assets = await listen(createAssetService(archive), {
    host: input.host,
    port: input.assetPort ?? (input.port === 0 ? 0 : input.port + 1),
  }).catch(refused);
  const service = createService(archive, {
    assetUrl: announced ?? assets.url,
    version: app.version,
    maxTier: input.maxTier ?? highestTier(input.host),
    ...(drift === undefined ? {} : { drift }),
  });
  const api = await listen(service, { host: input.host, port: input.port }).catch(async (error: unknown) => {
    await assets.close(0);
    return refused(error);
  });
  const line = {
    type: 'listening',
    base_url: api.url,
    asset_url: announced ?? assets.url,
    pid: app.world.pid,
    database: archive.database.engine,
  };
  await app.printer.report(line, () => [`listening on ${line.base_url}, files on ${line.asset_url}`]);
  await ended(app.world.signal);
  // What runs may end; ten seconds is the interface's word for "cleanly" (faults R1).
  await Promise.all([api.close(10_000), assets.close(10_000)]);
}

/** Anyone who reaches an open port may ask for a token, so beyond this machine only the lowest tier is given. */
function highestTier(host: string): Tier {
  const loopback = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return loopback ? 'mirror' : 'external';
}

async function driftOf(input: Input) {
  if (input.drift === undefined) {
    if (input.driftSeed === undefined && input.driftFaults === undefined) return undefined;
    throw new Fault('usage', '--drift-seed and --drift-faults go with --drift');
  }
  const { parseDrift } = await import('../service/rules/drift.ts');
  try {
    return parseDrift(input.drift, input.driftSeed ?? 1, input.driftFaults);
  } catch (error) {
    throw new Fault('usage', `--drift: ${(error as Error).message}`, { cause: error });
  }
}

function databaseDir(input: Input, app: App): string | undefined {
  if (input.database === undefined) return undefined;
  const [, scheme, path] = /^(\w+):(.+)$/.exec(input.database) ?? [];
  if (scheme !== 'sqlite' || path === undefined) {
    throw new Fault('usage', `--database takes sqlite:PATH in this version, not ${scheme ?? input.database}`);
  }
  return resolve(app.world.cwd, path);
}

function refused(error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE')
    throw new Fault('usage', 'the port is in use', { hint: 'arx serve --port 0 takes a free one' });
  if (code === 'EACCES') throw new Fault('usage', 'the port needs more rights than this user has');
  if (code === 'EADDRNOTAVAIL') throw new Fault('usage', 'no such address on this machine');
  throw error;
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
