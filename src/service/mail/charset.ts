// Decodes text by the charset that a mail declares.
import { isAscii, isUtf8 } from 'node:buffer';

/** Code pages that the Encoding Standard does not name (`cp932` and the like), by their number. */
const CODE_PAGES: Record<string, string> = {
  '932': 'shift_jis',
  '936': 'gbk',
  '949': 'euc-kr',
  '950': 'big5',
};

/**
 * Returns the decoder of a declared charset. Knows the labels of the Encoding Standard, private `x-` names and common
 * code pages. Any other charset is decoded as windows-1252, which accepts all bytes.
 */
export function decoderFor(declared = 'utf-8'): InstanceType<typeof TextDecoder> {
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
}

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
