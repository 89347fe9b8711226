// Checksum lists in the format of `sha256sum`: lines that `sha256sum -c` reads, and a parser.
import { Fault } from '../faults.ts';
import type { ExpectedFile } from './verdicts.ts';

/**
 * Returns one line with its newline. A backslash, newline or carriage return in the name is escaped; then the line begins
 * with a backslash.
 */
export function checksumLine(sha256: string, path: string): string {
  const escaped = path.replace(/[\\\n\r]/g, (char) => ESCAPES[char]!);
  return `${escaped === path ? '' : '\\'}${sha256.toLowerCase()}  ${escaped}\n`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };
const UNESCAPES: Record<string, string> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' };

/**
 * Returns the files of a checksum list, in its order. The marks for text and binary files mean the same here; empty lines
 * and # comments are skipped. Throws Fault 'usage' with the line for anything else, 'unsafe' for a path that leaves the
 * folder.
 */
export function parseChecksumList(text: string): ExpectedFile[] {
  const expected: ExpectedFile[] = [];
  for (let number = 1, start = 0; start < text.length; number++) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? text.length : end);
    start += line.length + 1;
    if (line.trim() === '' || line.startsWith('#')) continue;
    const isEscaped = line.startsWith('\\');
    const at = isEscaped ? 1 : 0;
    const sha256 = line.slice(at, at + 64);
    const name = line.slice(at + 66, line.endsWith('\r') ? -1 : undefined);
    if (!HASH.test(sha256) || !MARK.test(line.slice(at + 64, at + 66)) || name === '')
      throw new Fault('usage', `line ${number} is not a sha256 sum`);
    const path = isEscaped ? name.replace(/\\[\\nr]/g, (pair) => UNESCAPES[pair]!) : name;
    if (leavesFolder(path)) throw new Fault('unsafe', `line ${number} names a path outside the folder`);
    expected.push({
      id: null,
      path: path.startsWith('./') ? path.replace(/^(?:\.\/)+/, '') : path,
      sha256: sha256.toLowerCase(),
    });
  }
  return expected;
}

const HASH = /^[0-9a-fA-F]{64}$/;
/** A space for a text file, a star for a binary one. */
const MARK = /^ [ *]$/;

/** Returns whether a relative path could lead out of its folder. */
export function leavesFolder(path: string): boolean {
  return path === '' || path.startsWith('/') || path.includes('\0') || /(?:^|\/)\.\.(?:\/|$)/.test(path);
}
