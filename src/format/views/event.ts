// How events are shown: their types, the acknowledgement and the stored events (interface 2.4, 4.6, 6).
import type { Acknowledgement, Envelope } from '../../contract/event.ts';
import { exactJsonText } from '../../contract/exact-json.ts';
import type { RecordField } from '../../contract/record-fields.ts';
import type { Style } from '../terminal/styled-line.ts';
import type { View } from './view.ts';
import { ID } from './shared-columns.ts';

const EFFECT_STYLES = new Map<string, Style>([
  ['applied', 'good'],
  ['waiting', 'warn'],
  ['queued', 'warn'],
  ['superseded', 'dim'],
  ['dead', 'bad'],
]);

/** A stored event. */
export const eventView: View<Envelope> = {
  columns: [
    { name: 'id', of: (row) => row.id, ...ID },
    { name: 'type', of: (row) => row.type, whole: true, importance: 'essential' },
    { name: 'status', of: (row) => row.status, whole: true },
    {
      name: 'effect',
      of: (row) => row.effect,
      style: (row) => EFFECT_STYLES.get(row.effect ?? ''),
      whole: true,
    },
    {
      name: 'received',
      of: (row) => row.received_at,
      instant: (row) => row.received_at,
    },
    { name: 'deliveries', of: (row) => row.deliveries, align: 'right', importance: 'low' },
    { name: 'sequence', of: (row) => row.sequence, detail: true },
    { name: 'failures', of: (row) => row.failures, detail: true },
    { name: 'error', of: (row) => row.error, detail: true },
    {
      name: 'payload',
      of: (row) => (row.payload === undefined ? undefined : exactJsonText(row.payload)),
      minColumns: 12,
      importance: 'low',
    },
  ],
};

/** The acknowledgement of an event. */
export const acknowledgementView: View<Acknowledgement> = {
  columns: [
    { name: 'event', of: (row) => row.event_id, ...ID },
    { name: 'type', of: (row) => row.type, whole: true, importance: 'essential' },
    { name: 'accepted', of: (row) => row.accepted, style: (row) => (row.accepted ? 'good' : 'bad') },
    { name: 'status', of: (row) => row.status, whole: true },
  ],
};

/** An event type. `payload` has the names of its fields; an optional one ends with a question mark. */
export type EventTypeRow = {
  type: string;
  meaning: string;
  payload: readonly string[];
  fields: readonly RecordField[];
};

/** Returns fields as people read them: `contact (text), trust (text, optional)`. */
export function fieldWords(fields: readonly RecordField[]): string {
  return fields
    .map(({ name, type, required }) => `${name} (${type}${required ? '' : ', optional'})`)
    .join(', ');
}

/** An event type. */
export const eventTypeView: View<EventTypeRow> = {
  columns: [
    { name: 'type', of: (row) => row.type, ...ID },
    {
      name: 'payload',
      of: (row) => fieldWords(row.fields),
      field: 'fields',
      whole: true,
      importance: 'essential',
    },
    { name: 'meaning', of: (row) => row.meaning, minColumns: 20 },
  ],
};
