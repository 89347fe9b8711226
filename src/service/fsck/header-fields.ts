// What lists show of a mail against the header of its stored bytes, read as the import reads it.
import { Buffer } from 'node:buffer';
import { parseHeader } from '../mail/header.ts';
import { summaryOf } from '../mail/mail-record.ts';
import type { MessageSummary } from '../records/import-items.ts';
import { storableSummary } from '../store/additions/message-batches.ts';

/** How each is called, and the fields of the header that it comes from. */
const SHOWN = [
  { column: 'key', field: 'message key', from: ['message-id'] },
  { column: 'date_ms', field: 'date', from: ['date'] },
  { column: 'sender', field: 'sender', from: ['from', 'sender'] },
  { column: 'subject', field: 'subject', from: ['subject'] },
] as const;

/** Words in another charset than UTF-8: their tables are the runtime's, and not every version has the same. */
const FOREIGN = /=\?(?!utf-?8[?*])/i;

type Difference = { problem: string; severity: 'damage' | 'notice' };

/** Where a row shows something else than the header that these bytes begin with; a notice where the runtime may be why. */
export function differences(bytes: Uint8Array, row: MessageSummary): Difference[] {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = parseHeader(raw, 0, raw.length);
  const read = storableSummary(summaryOf(header));
  return SHOWN.filter(({ column }) => read[column] !== row[column]).map(({ field, from }) =>
    from.some((name) => FOREIGN.test(header.fields.get(name) ?? ''))
      ? { problem: `${field} reads otherwise now, in its charset`, severity: 'notice' }
      : { problem: `${field} is not what they say`, severity: 'damage' },
  );
}

/** Whether the first bytes of a mail hold the whole of its header. */
export function endsHeader(bytes: Uint8Array): boolean {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return raw.includes('\n\n', 0, 'latin1') || raw.includes('\n\r\n', 0, 'latin1');
}
