// Columns that several records share.
import { formatMinute } from '../numbers.ts';
import type { Style } from '../terminal/styled-line.ts';
import type { Column } from './view.ts';

/** Identifiers are worth nothing cut. */
export const WHOLE = 40;

export const integrityColumn: Column<{ integrity?: number | undefined }> = {
  name: 'integrity',
  of: (row) => row.integrity,
  align: 'right',
  style: (row) => integrityStyle(row.integrity),
};

export function integrityStyle(integrity: number | undefined): Style | undefined {
  if (integrity === undefined || integrity === 1) return undefined;
  return integrity < 0.5 ? 'bad' : 'warn';
}

/** Status words of the interface (section 3); a word that is not known has no colour. */
export function statusStyle(status: string | undefined): Style | undefined {
  return status === undefined ? undefined : STATUS_STYLES.get(status);
}

const STATUS_STYLES = new Map<string, Style>([
  ['stable', 'good'],
  ['partial', 'warn'],
  ['unverified', 'warn'],
]);

export function formatInstant(instant: string | null | undefined): string {
  return instant === null || instant === undefined ? '' : formatMinute(instant);
}

/** The first twelve characters: enough to compare by eye. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}
