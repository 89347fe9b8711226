// What Linux says of a process.
import { readFileSync } from 'node:fs';

/** Returns state and start time of a process from the kernel, empty where it gives none. */
export function processOf(pid: number): { state: string; start: string } {
  const stat = statOf(pid);
  // The name in parentheses may have spaces. After it come the fields from 3 (state); 22 is the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
}
