// `arx serve`: the very handler of the embedded archive, on a port; loopback unless told otherwise.
import * as z from 'zod';
import type { App } from '../app.ts';
import { TIERS } from '../contract/token.ts';
import { Fault } from '../faults.ts';
import { SERVE_PORT } from '../local.ts';
import { DATABASE_INPUT, placeOf } from './database.ts';
import { wholeNumber } from './input.ts';
import { adversityOf, DRIFT_INPUT, openDriftLog } from './serve-drift.ts';

const Port = wholeNumber(0).refine((port) => port <= 65_535, 'must be a port from 0 to 65535');

const HostNames = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
  .refine((names) => names.every((name) => /^[^\s:/@[\]]+$/.test(name)), 'must be names separated by commas');

export const Input = z.object({
  host: z.string().min(1).default('127.0.0.1'),
  port: Port.default(SERVE_PORT),
  assetPort: Port.optional(),
  allowHost: HostNames.optional(),
  ...DATABASE_INPUT,
  maxTier: z.enum(TIERS).optional(),
  ...DRIFT_INPUT,
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  if (app.isRecorded)
    throw new Fault('usage', 'serve answers requests; --record is for commands that make them');
  if (app.world.signal.aborted) return;
  const adversity = await adversityOf(input, app);
  const archive = await app.local(placeOf(input, app));
  const log = input.driftLog === undefined ? undefined : await openDriftLog(input.driftLog, app);
  const { listen } = await import('../service/port.ts');
  const { createAssetService, createService, failureName, isLoopback } = await import('../service/index.ts');
  const announced = app.settings.asset_url.value;
  const onFailure = (requestId: string, error: unknown): void => {
    app.notice(`${requestId} failed: ${failureName(error)}`);
    if (app.world.env['ARX_DEBUG'] !== '1') return;
    for (const frame of framesOf(error)) app.notice(`${requestId} ${frame}`);
  };
  const loopback = isLoopback(input.host);
  const names = input.allowHost === undefined ? {} : { names: input.allowHost };
  const bound = { host: input.host, onFailure, ...names };
  const assets = await listen(createAssetService(archive, { onFailure }), {
    ...bound,
    port: input.assetPort ?? (input.port === 0 ? 0 : input.port + 1),
  }).catch(refused);
  const service = createService(archive, {
    assetUrl: announced ?? assets.url,
    version: app.version,
    // Anyone who reaches a port may ask for a token: other users of this machine, or everyone.
    maxTier: input.maxTier ?? (loopback ? 'internal' : 'external'),
    onFailure,
    ...adversity,
    ...(log === undefined ? {} : { driftLog: log.log }),
  });
  const api = await listen(service, { ...bound, port: input.port }).catch(async (error: unknown) => {
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
  await log?.close();
}

/** Where it was thrown, without the message, which could hold data. */
function framesOf(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '));
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
