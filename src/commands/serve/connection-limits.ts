// The limits of `arx serve`: connections in all and of one address, and the proxies whose X-Forwarded-For is believed.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { Fault } from '../../faults.ts';
import type { PortOptions } from '../../service/http/index.ts';
import { wholeNumber } from '../shared/input.ts';

/** The input of the options about connections. */
export const CONNECTION_LIMIT_INPUT = {
  trustProxy: z.string().min(1).optional(),
  maxConnections: wholeNumber(1).optional(),
  maxConnectionsPerAddress: wholeNumber(0).optional(),
};
const LimitsInput = z.object(CONNECTION_LIMIT_INPUT);

/** File descriptors kept for other things than connections: the database, files that are read, temporary ones. */
const RESERVED_DESCRIPTORS = 64;

/** Returns the limits of the ports. Throws Fault 'usage' for a proxy that is not an address. 0 connections an address: no limit. */
export async function connectionLimits(
  input: z.infer<typeof LimitsInput>,
): Promise<Pick<PortOptions, 'proxies' | 'limits'>> {
  const { parseTrustedProxies } = await import('../../service/http/index.ts');
  const perAddress = input.maxConnectionsPerAddress;
  const descriptors = await maxDescriptors();
  // Without free descriptors nothing works, so connections leave some: one that reads a file needs two.
  const available = Math.max(1, Math.floor((descriptors - RESERVED_DESCRIPTORS) * 0.8));
  const maxConnections = input.maxConnections ?? (available < MAX_CONNECTIONS ? available : undefined);
  try {
    return {
      ...(input.trustProxy === undefined
        ? {}
        : { proxies: parseTrustedProxies(input.trustProxy.split(',').map((one) => one.trim())) }),
      limits: {
        ...(maxConnections === undefined ? {} : { maxConnections }),
        ...(perAddress === undefined
          ? {}
          : { maxConnectionsPerAddress: perAddress === 0 ? Infinity : perAddress }),
      },
    };
  } catch (error) {
    throw new Fault('usage', `--trust-proxy: ${(error as Error).message}`, { cause: error });
  }
}

/** The default of a port, which most machines allow. */
const MAX_CONNECTIONS = 12_000;

/** Returns how many file descriptors the system allows this process, Infinity where it does not say. */
async function maxDescriptors(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
}
