// `arx events types`: lists the event types with the fields of their payload.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { payloadFields } from '../../contract/ingest.ts';
import { EVENT_MEANINGS, EVENT_TYPES } from '../../contract/event-types.ts';
import { eventTypeView } from '../../format/views/index.ts';

export const Input = z.object({});

/** Runs `arx events types`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const rows = EVENT_TYPES.map((type) => {
    const fields = payloadFields(type);
    const payload = fields.map(({ name, required }) => (required ? name : `${name}?`));
    return { type, meaning: EVENT_MEANINGS[type], payload, fields };
  });
  await app.printer.list(eventTypeView, {
    status: 'stable',
    rows,
    summary: () => ({ rows: rows.length, complete: true }),
  });
}
