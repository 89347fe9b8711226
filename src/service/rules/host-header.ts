// Which names a service answers to: a page of another site that has its name point here (DNS rebinding) keeps its own.

/** The name in a Host header, without port, brackets or final dot, in lower case; undefined where it holds none. */
export function hostNameOf(header: string): string | undefined {
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+?)\.?)(?::\d*)?$/i.exec(header.trim()) ?? [];
  return (address ?? name)?.toLowerCase();
}

/** Whether an Origin header names the service that the Host header reaches, over http or https. */
export function isSameOrigin(origin: string, host: string | undefined): boolean {
  const own = host?.trim().toLowerCase();
  return own !== undefined && (origin === `http://${own}` || origin === `https://${own}`);
}
