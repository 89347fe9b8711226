// The one rule for which host names and addresses mean this machine.

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4_LOOPBACK = new RegExp(`^127(?:\\.${OCTET}){3}$`);

/**
 * Returns whether a host is this machine: `localhost`, 127.0.0.0/8, `::1`, or an IPv4-mapped address of 127.0.0.0/8.
 * Takes a host as in a URL or from a socket: any case, an IPv6 address with or without brackets, no port.
 * Names below `.localhost` do not count: some resolvers ask DNS for them, and plain http would carry a token away.
 * IPv6 addresses count only in their short form, which is what `URL` and sockets give.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name === 'localhost' || name === '::1') return true;
  if (!name.startsWith('::ffff:')) return IPV4_LOOPBACK.test(name);
  const mapped = name.slice('::ffff:'.length);
  return IPV4_LOOPBACK.test(mapped) || /^7f[\da-f]{2}:[\da-f]{1,4}$/.test(mapped);
}
