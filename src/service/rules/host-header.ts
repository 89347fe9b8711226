// Host and Origin headers. They tell requests of foreign web pages, which may reach us by DNS rebinding.

/** Returns the name in a Host header in lower case, without port, brackets or final dot; undefined where there is none. */
export function hostNameOf(header: string): string | undefined {
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+?)\.?)(?::\d*)?$/i.exec(header.trim()) ?? [];
  return (address ?? name)?.toLowerCase();
}

/** Returns whether an Origin header is the origin of the Host header, over http or https. */
export function isSameOrigin(origin: string, host: string | undefined): boolean {
  const own = host?.trim().toLowerCase();
  return own !== undefined && (origin === `http://${own}` || origin === `https://${own}`);
}
