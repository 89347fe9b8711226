// Whose request it is: the address of the connection, or the one that a proxy we trust says it speaks for.
import { BlockList, isIP } from 'node:net';

export type TrustedProxies = {
  /** Whether what this address says of others is believed. */
  trusts(address: string): boolean;
};

export const NO_PROXIES: TrustedProxies = { trusts: () => false };

/** Addresses and networks (`10.0.0.0/8`, `::1`). Throws an Error for one that is neither. */
export function parseTrustedProxies(networks: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits, ...rest] = network.split('/');
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const size = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
    if (family === 0 || rest.length > 0 || size > most)
      throw new Error(`${network} is no address or network`);
    list.addSubnet(address, size, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    trusts: (address) => {
      const family = isIP(address);
      return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/**
 * The last address of X-Forwarded-For that no trusted proxy has: what stands before it its sender may have made up.
 * Without one, or with a text that is no address, it is that of the connection.
 */
export function clientAddress(
  connection: string | undefined,
  forwarded: readonly string[],
  proxies: TrustedProxies,
): string {
  let peer = normalizeAddress(connection ?? 'unknown');
  if (forwarded.length === 0) return peer;
  const hops = forwarded.join(',').split(',');
  while (proxies.trusts(peer)) {
    const before = normalizeAddress((hops.pop() ?? '').trim());
    if (isIP(before) === 0) break;
    peer = before;
  }
  return peer;
}

/** An IPv4 address in the form of IPv6 is the same address. */
export function normalizeAddress(address: string): string {
  if (!address.startsWith(':')) return address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
