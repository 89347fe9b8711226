// Columns and styles that several records share.
import { formatMinute } from '../numbers.ts';
import type { Style } from '../terminal/styled-line.ts';
import { isoInstant } from '../../contract/instant-forms.ts';
import type { Column, OtherFields } from './view.ts';

/** How a table treats the id of a row: a shortened id cannot be used. */
export const ID = { style: 'id', whole: true, importance: 'essential' } as const;

/** The integrity of a record (interface 3). */
export const integrityColumn: Column<{ integrity?: number | undefined }> = {
  name: 'integrity',
  of: (row) => row.integrity,
  align: 'right',
  style: (row) => integrityStyle(row.integrity),
};

/** Returns the style of an integrity: none for 1, bad below 0.5. */
export function integrityStyle(integrity: number | undefined): Style | undefined {
  if (integrity === undefined || integrity === 1) return undefined;
  return integrity < 0.5 ? 'bad' : 'warn';
}

/** Returns the style of a status (interface 3). An unknown status has none. */
export function statusStyle(status: string | undefined): Style | undefined {
  return status === undefined ? undefined : STATUS_STYLES.get(status);
}

const STATUS_STYLES = new Map<string, Style>([
  ['stable', 'good'],
  ['partial', 'warn'],
  ['unverified', 'warn'],
]);

/** Returns an instant to the minute, '' where there is none. */
export function formatInstant(instant: string | null | undefined): string {
  return instant === null || instant === undefined ? '' : formatMinute(instant);
}

/** Returns fields that may stand for a column of instants. */
export function instants(...names: string[]): OtherFields {
  return {
    names,
    instant: (value) => isoInstant(value) ?? (typeof value === 'string' ? value : undefined),
  };
}

/** Returns whether a value is a number, also one that is written as text. */
export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
}

/** Returns the first twelve characters of a hash, which are enough to compare by eye. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}
