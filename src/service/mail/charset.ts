// Decodes text by the charset that a mail declares.
import { type Buffer, isAscii, isUtf8 } from 'node:buffer';
import { rememberResults } from './remember-results.ts';

/** Code pages that the Encoding Standard does not name (`cp932` and the like), by their number. */
const CODE_PAGES: Record<string, string> = {
  '932': 'shift_jis',
  '936': 'gbk',
  '949': 'euc-kr',
  '950': 'big5',
};

/** Charsets in which ASCII is what it is. */
const WITH_ASCII = new Set([
  'utf-8',
  'utf8',
  'us-ascii',
  'ascii',
  'iso-8859-1',
  'iso-8859-15',
  'windows-1252',
]);

/** Returns bytes as text, by {@link decoderFor}. */
export function decodeText(content: Buffer, declared = 'utf-8'): string {
  return WITH_ASCII.has(declared.toLowerCase()) && isAscii(content)
    ? content.toString('latin1')
    : decoderFor(declared).decode(content);
}

/**
 * Returns the decoder of a declared charset. Knows the labels of the Encoding Standard, private `x-` names and common
 * code pages. Any other charset is decoded as windows-1252, which accepts all bytes.
 */
export function decoderFor(declared = 'utf-8'): InstanceType<typeof TextDecoder> {
  return decoderOf(declared);
}

const decoderOf = rememberResults((declared: string): InstanceType<typeof TextDecoder> => {
  const label = declared.trim().toLowerCase();
  const codePage = CODE_PAGES[/^\D+(\d{3})$/.exec(label)?.[1] ?? ''];
  for (const name of [label, codePage, label.replace(/^x-/, '')]) {
    try {
      if (name !== undefined) return new TextDecoder(name);
    } catch {
      // Try the next name.
    }
  }
  return new TextDecoder('windows-1252');
});

/** Returns whether bytes are valid in a declared charset, US-ASCII when none is declared (RFC 2045 5.2). */
export function isValidIn(declared: string | undefined, content: Buffer): boolean {
  const charset = (declared ?? 'us-ascii').toLowerCase();
  if (charset === 'us-ascii' || charset === 'ascii') return isAscii(content);
  if (charset === 'utf-8' || charset === 'utf8') return isUtf8(content);
  try {
    new TextDecoder(charset, { fatal: true }).decode(content);
    return true;
  } catch {
    return false;
  }
}
