// Compares the row of a mail with the header of its stored bytes, parsed as the import parses it.
import { Buffer } from 'node:buffer';
import { parseMailHeader } from '../mail/header.ts';
import { summaryOf } from '../mail/mail-record.ts';
import type { MessageSummary } from '../records/import-items.ts';
import { storableSummary } from '../records/storable-text.ts';

/** Compared values, their names in findings, and the header fields that they come from. */
const COMPARED = [
  { value: 'key', name: 'message key', fields: ['message-id'] },
  { value: 'date_ms', name: 'date', fields: ['date'] },
  { value: 'sender', name: 'sender', fields: ['from', 'sender'] },
  { value: 'subject', name: 'subject', fields: ['subject'] },
] as const;

/** An encoded word in a charset other than UTF-8. Node decodes it, and its tables differ between versions. */
const OTHER_CHARSET = /=\?(?!utf-?8[?*])/i;

type Difference = { problem: string; severity: 'damage' | 'notice' };

/** Returns how a row differs from the header of `bytes`. A difference that Node's decoder can explain is a notice. */
export function headerDifferences(bytes: Uint8Array, row: MessageSummary): Difference[] {
  const header = parseMailHeader(bytes);
  const parsed = storableSummary(summaryOf(header));
  return COMPARED.filter(({ value }) => parsed[value] !== row[value]).map(({ name, fields }) =>
    fields.some((field) => OTHER_CHARSET.test(header.fields.get(field) ?? ''))
      ? { problem: `${name} decodes differently now`, severity: 'notice' }
      : { problem: `${name} differs from the stored header`, severity: 'damage' },
  );
}

/** Returns whether the first bytes of a mail contain the end of its header. */
export function containsHeader(bytes: Uint8Array): boolean {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return raw.includes('\n\n', 0, 'latin1') || raw.includes('\n\r\n', 0, 'latin1');
}
