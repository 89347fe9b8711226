// How the state of a file is shown: whether it can be had, and whether its bytes were compared with its hash.
import type { Attachment } from '../../contract/attachment.ts';
import { fileStateOf, reasonOf, type FileState } from '../../contract/attachment-file.ts';
import type { Style } from '../../format/terminal/styled-line.ts';
import type { Check } from '../state.ts';

/** Returns a word for the state of a file, with its style. */
export function stateWord(
  state: FileState,
  check: Check | undefined,
): { text: string; style: Style | undefined } {
  switch (check?.state) {
    case 'verified':
      return { text: 'verified', style: 'good' };
    case 'checking':
      return { text: 'checking', style: 'dim' };
    case 'failed':
      return { text: 'FAILED', style: 'bad' };
    default:
      return { text: state, style: state === 'available' ? undefined : 'warn' };
  }
}

/** Returns why a file cannot be had. */
export function reasonText(row: Attachment): string {
  const reason = reasonOf(row);
  const words =
    fileStateOf(row) === 'withheld' ? 'its bytes are withheld' : 'the archive never had its bytes';
  return reason === null ? words : `${words} (${reason})`;
}
