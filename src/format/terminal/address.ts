// Addresses that a terminal may link to (OSC 8): the text stays as it is, and a click opens the address.
import { lazy } from '../../lazy.ts';

/** Terminals refuse longer addresses; VTE has the lowest limit, 2083. */
const MAX_ADDRESS_LENGTH = 2000;
const PRINTABLE = /^[!-~]+$/;
const ESCAPE = '\u001b';

/**
 * Returns an address in the form that may be sent to a terminal, undefined for any other. Addresses come from archives, so
 * only http, https and file are linked, without user names (`https://bank.example@evil.example`), and everything that is not
 * printable ASCII is encoded.
 */
export function linkableAddress(address: string): string | undefined {
  if (address.length > MAX_ADDRESS_LENGTH || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!['http:', 'https:', 'file:'].includes(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  return url.href.length <= MAX_ADDRESS_LENGTH && PRINTABLE.test(url.href) ? url.href : undefined;
}

/** Returns painted text that links to a linkable address. */
export function linked(text: string, address: string): string {
  return `${ESCAPE}]8;;${address}${ESCAPE}\\${text}${ESCAPE}]8;;${ESCAPE}\\`;
}

const linkMarks = lazy(() => /\p{Cc}\]8;;[^\p{Cc}]*\p{Cc}\\/gu);

/** Returns text without links, for programs that may not know them. */
export function withoutLinks(text: string): string {
  return text.replaceAll(linkMarks(), '');
}
