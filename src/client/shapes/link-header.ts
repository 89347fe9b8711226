// Reads the Link header (RFC 8288): the addresses that it gives by their relation, as `next` and `prev`.

/** One link: its address, and its parameters as text. */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,<>"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,<>"]+))?)*)/g;
/** One parameter of a link: its name, and its value in quotation marks or without. */
const PARAMETER = /;\s*([^\s=;,<>"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,<>"]+)))?/g;

/** Returns the first address of each relation, by its name in lower case, as `{ href }`. Addresses are as received: they may be relative, or of another server. */
export function linksOf(header: string | undefined): Record<string, { href: string }> {
  const links = new Map<string, { href: string }>();
  for (const [, href = '', parameters = ''] of header?.matchAll(LINK) ?? []) {
    const named = [...parameters.matchAll(PARAMETER)];
    const [, , quoted, plain] = named.find(([, name]) => name?.toLowerCase() === 'rel') ?? [];
    for (const relation of (quoted ?? plain ?? '').toLowerCase().split(/\s+/))
      if (relation !== '' && !links.has(relation)) links.set(relation, { href });
  }
  return Object.fromEntries(links);
}
