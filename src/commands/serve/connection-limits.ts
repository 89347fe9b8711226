// What `arx serve` takes from whom: connections in all and of one address, and proxies whose word counts.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { Fault } from '../../faults.ts';
import type { PortOptions } from '../../service/http/index.ts';
import { wholeNumber } from '../input.ts';

export const CONNECTION_LIMIT_INPUT = {
  trustProxy: z.string().min(1).optional(),
  maxConnections: wholeNumber(1).optional(),
  maxConnectionsPerAddress: wholeNumber(0).optional(),
};
const LimitsInput = z.object(CONNECTION_LIMIT_INPUT);

/** Descriptors for all but connections: the database, files that are read, what is opened for a moment. */
const RESERVED_DESCRIPTORS = 64;

/** Throws `usage` for a proxy that is no address. Zero connections of an address are any number. */
export async function connectionLimits(
  input: z.infer<typeof LimitsInput>,
): Promise<Pick<PortOptions, 'proxies' | 'limits'>> {
  const { parseTrustedProxies } = await import('../../service/http/index.ts');
  const perAddress = input.maxConnectionsPerAddress;
  const descriptors = await maxDescriptors();
  // Where they run out nothing works, so connections leave some: a reader of a file costs two.
  const room = Math.max(1, Math.floor((descriptors - RESERVED_DESCRIPTORS) * 0.8));
  const most = input.maxConnections ?? (room < MAX_CONNECTIONS ? room : undefined);
  try {
    return {
      ...(input.trustProxy === undefined
        ? {}
        : { proxies: parseTrustedProxies(input.trustProxy.split(',').map((one) => one.trim())) }),
      limits: {
        ...(most === undefined ? {} : { maxConnections: most }),
        ...(perAddress === undefined
          ? {}
          : { maxConnectionsPerAddress: perAddress === 0 ? Infinity : perAddress }),
      },
    };
  } catch (error) {
    throw new Fault('usage', `--trust-proxy: ${(error as Error).message}`, { cause: error });
  }
}

/** The port's own bound, which most machines allow. */
const MAX_CONNECTIONS = 12_000;

/** What the system allows this process, where it says so. */
async function maxDescriptors(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
}
