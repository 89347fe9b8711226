// The client of a request: its address, which is that of the connection or one that a trusted proxy names, and what limits count.
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../../contract/loopback.ts';

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

/** A client. */
export type Peer = {
  /** Its address, for the log. */
  address: string;
  /** What limits count: the address, or the /64 network of an IPv6 address. A customer gets at least one such network. */
  limitKey: string;
  /** Whether it is this machine or a trusted proxy, which stand for many clients. */
  standsForMany: boolean;
};

/** Returns the client with this address. */
export function peerAt(address: string, proxies: TrustedProxies): Peer {
  return {
    address,
    limitKey: limitKeyOf(address),
    standsForMany: isLoopback(address) || proxies.trusts(address),
  };
}

/** Returns what limits count for an address: see {@link Peer}. All link-local addresses share one network, so they count alone. */
function limitKeyOf(address: string): string {
  if (isIP(address) !== 6 || isLoopback(address) || /^fe[89ab]/i.test(address)) return address;
  const [head = '', tail] = address.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end stands for two groups, which are never among the first four.
  const groups = after.length + (tail?.includes('.') === true ? 1 : 0);
  const zeros = tail === undefined ? 0 : 8 - before.length - groups;
  const all = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
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
