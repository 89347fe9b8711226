// The lines of `sha256sum`: written so that `sha256sum -c` reads them, and read as it writes them.
import { Fault } from '../faults.ts';
import type { Expected } from './verdicts.ts';

/** One line with its newline. A name with a backslash, newline or return is escaped and the line marked by a backslash. */
export function sumsLine(sha256: string, path: string): string {
  const escaped = path.replace(/[\\\n\r]/g, (char) => ESCAPES[char]!);
  return `${escaped === path ? '' : '\\'}${sha256.toLowerCase()}  ${escaped}\n`;
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };
const UNESCAPES: Record<string, string> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' };

/**
 * The expectations of a sums file, in its order. Text and binary marks are alike, empty lines and # comments pass.
 * Fault `usage` naming the line for anything else, `unsafe` for a path that leaves the folder.
 */
export function parseSums(text: string): Expected[] {
  const expected: Expected[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, mark, sha256, name] = /^(\\?)([0-9a-fA-F]{64}) [ *](.+?)\r?$/s.exec(line) ?? [];
    if (sha256 === undefined || name === undefined)
      throw new Fault('usage', `line ${index + 1} is not a sha256 sum`);
    const path = mark === '' ? name : name.replace(/\\[\\nr]/g, (pair) => UNESCAPES[pair]!);
    if (isOutside(path)) throw new Fault('unsafe', `line ${index + 1} names a path outside the folder`);
    expected.push({ id: null, path: path.replace(/^(?:\.\/)+/, ''), sha256: sha256.toLowerCase() });
  }
  return expected;
}

/** Whether a relative path could leave its folder, on this or another system. */
export function isOutside(path: string): boolean {
  return path === '' || path.startsWith('/') || path.includes('\0') || /(?:^|\/)\.\.(?:\/|$)/.test(path);
}
