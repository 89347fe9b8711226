// The address of the client: that of the connection, or the one that a trusted proxy names.
import { BlockList, isIP } from 'node:net';

/** The addresses of proxies whose X-Forwarded-For is believed. */
export type TrustedProxies = {
  /** Returns whether X-Forwarded-For is believed when this address sends it. */
  trusts(address: string): boolean;
};

/** Believes no X-Forwarded-For: the client is the address of the connection. */
export const NO_PROXIES: TrustedProxies = { trusts: () => false };

/** Returns the proxies with these addresses and networks (`10.0.0.0/8`, `::1`). Throws an Error for one that is neither. */
export function parseTrustedProxies(networks: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix, ...rest] = network.split('/');
    const family = isIP(address);
    const maxBits = family === 4 ? 32 : 128;
    const bits = prefix === undefined ? maxBits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity;
    if (family === 0 || rest.length > 0 || bits > maxBits) {
      throw new Error(`${network} is no address or network`);
    }
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return {
    trusts: (address) => {
      const family = isIP(address);
      return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/**
 * Returns the last address in X-Forwarded-For that is no trusted proxy: the client can have forged what stands before it.
 * Returns the address of the connection where there is no such header, or a text in it that is no address.
 */
export function clientAddress(
  connection: string | undefined,
  forwardedFor: readonly string[],
  proxies: TrustedProxies,
): string {
  let address = normalizeAddress(connection ?? 'unknown');
  if (forwardedFor.length === 0) return address;
  const hops = forwardedFor.join(',').split(',');
  while (proxies.trusts(address)) {
    const previous = normalizeAddress((hops.pop() ?? '').trim());
    if (isIP(previous) === 0) break;
    address = previous;
  }
  return address;
}

/** Returns an IPv4-mapped IPv6 address as the IPv4 address, any other as it is. */
export function normalizeAddress(address: string): string {
  if (!address.startsWith(':')) return address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
