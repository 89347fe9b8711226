// All facts of the interface in the order of its sections: the source of `arx about api` and of src/contract/README.md.
import { ENDPOINT_FACTS } from './endpoints.ts';
import type { Fact } from './fact.ts';
import { RECORD_FACTS } from './records.ts';
import { RULE_FACTS } from './rules.ts';

export type { Fact } from './fact.ts';

/** Every fact, grouped by section in the order of {@link SECTIONS}. */
export const FACTS: readonly Fact[] = [...RECORD_FACTS, ...ENDPOINT_FACTS, ...RULE_FACTS];

/** Sections of the interface: number → title. A citation such as `(interface 4.7)` names one of them. */
export const SECTIONS: ReadonlyMap<string, string> = new Map([
  ['1', 'What the service does'],
  ['2', 'Resources and their fields'],
  ['2.1', 'Attachment'],
  ['2.2', 'Content record (lore view)'],
  ['2.3', 'Token response'],
  ['2.4', 'Event envelope'],
  ['2.5', 'Other records'],
  ['3', 'States and transitions'],
  ['4', 'Endpoints'],
  ['4.1', 'POST /api/auth/token'],
  ['4.2', 'GET /v1/attachments'],
  ['4.3', 'GET /api/content/<message_id>'],
  ['4.4', 'GET /api/sequence/<sequence_name>'],
  ['4.5', 'GET /api/health'],
  ['4.6', 'POST /api/webhooks/ingest'],
  ['4.7', 'GET /v1/conversations'],
  ['4.8', '/messages'],
  ['5', 'Authentication'],
  ['6', 'Events'],
  ['7', 'Errors'],
  ['8', 'Limits'],
  ['9', 'Versioning'],
]);
