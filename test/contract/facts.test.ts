import { expect, test } from 'vitest';
import { FACTS, SECTIONS } from '../../src/contract/facts/index.ts';
import { DOCUMENTED_FIELDS } from '../../src/contract/documented.ts';
import { ERROR_STATUS } from '../../src/contract/error.ts';
import { PAYLOADS } from '../../src/contract/ingest.ts';
import { EVENT_TYPES } from '../../src/contract/event-types.ts';
import { ROUTES, type Route } from '../../src/contract/routes.ts';
import { RAMP_READS } from '../../src/service/fault-injection/drift.ts';
import { TOKEN_LIFETIME_MS } from '../../src/service/store/tokens.ts';

const text = (section: string, origin?: string) =>
  FACTS.filter((fact) => fact.section === section && (origin === undefined || fact.origin === origin))
    .map(({ topic, fact }) => `${topic}: ${fact}`)
    .join('\n');

test('every section of the interface has facts, in its order', () => {
  const withFacts = [...new Set(FACTS.map(({ section }) => section))];
  // Section 2 only introduces its subsections.
  expect(withFacts).toEqual([...SECTIONS.keys()].filter((section) => section !== '2'));
  expect(SECTIONS.size).toBe(22);
});

test('no fact stands twice, none is empty, each is one line', () => {
  expect(new Set(FACTS.map(({ fact, topic }) => topic + fact)).size).toBe(FACTS.length);
  for (const { fact, topic } of FACTS) expect(`${topic}: ${fact}`).toMatch(/^[^\n]{10,700}$/);
});

/** Each "not shown" of the interface, and a word of what we say of it. */
test.each([
  ['1', 'purpose', /archives mail/],
  ['2.5', 'fields of conversations', /message_count/],
  ['2.5', 'fields of messages', /parent_id/],
  ['2.5', 'classification', /seed_token/],
  ['2.5', 'sequence_status', /non_linear/],
  ['2.5', 'origin', /derived/],
  ['2.5', 'source', /gateway/],
  ['2.5', 'asset_type', /image, video/],
  ['3', 'transitions', /waiting/],
  ['4.2', 'other filters and pagination', /message_id; cursors/],
  ['4.3', 'shape of raw', /raw_base64/],
  ['4.3', 'defaults', /view=raw, include_stego=false, include_pipeline=false/],
  ['4.4', 'shape', /reported, checked and offset/],
  ['4.5', 'shape', /asset_url, database/],
  ['4.6', 'error responses', /event_invalid/],
  ['4.7', 'shape of the list', /ascending order/],
  ['4.8', 'method, query, response', /GET \/messages/],
  ['5', 'tiers', /external < internal < mirror/],
  ['5', 'credentials of the token endpoint', /needs no credentials/],
  ['5', 'scopes to endpoints', /attachments: read:attachments/],
  ['6', 'payloads of the other three', /contact, trust, handler_trace/],
  ['6', 'signing, retries, subscriptions', /Standard Webhooks[^]*no subscriptions/],
  ['6', 'emission and delivery target', /delivers to nobody/],
  ['7', 'status of observer_not_permitted', /observer_not_permitted: The status is 403/],
  ['7', 'the complete list', /store_unavailable 503/],
  ['8', 'limit', /Default 20, from 1 to 500/],
  ['8', 'rate limits', /429/],
  ['8', 'payload size', /1 MiB/],
  ['9', 'policy', /only ever added/],
])('%s %s: not shown, so an assumption says it', (section, _, words) => {
  expect(text(section, 'assumption')).toMatch(words);
});

test('what is documented is said so', () => {
  for (const field of DOCUMENTED_FIELDS['Attachment']!) expect(text('2.1', 'documented')).toContain(field);
  for (const field of DOCUMENTED_FIELDS['Token']!) expect(text('2.3', 'documented')).toContain(field);
  for (const type of EVENT_TYPES) expect(text('6', 'documented')).toContain(type);
});

test('the facts are those of the code', () => {
  for (const code of Object.keys(ERROR_STATUS)) expect(text('7')).toContain(code);
  for (const payload of Object.values(PAYLOADS)) {
    for (const field of Object.keys(payload.shape)) expect(text('6')).toContain(field);
  }
  expect(TOKEN_LIFETIME_MS).toBe(60 * 60 * 1000);
  expect(text('8')).toContain('One hour');
  expect(text('4.7')).toContain(`first ${RAMP_READS} list reads`);
  const withoutToken = Object.values<Route>(ROUTES).filter(({ scope }) => scope === null);
  expect(withoutToken.map(({ path }) => path)).toEqual([
    '/api/auth/token',
    '/api/health',
    '/api/health/live',
    '/api/health/ready',
    '/openapi.json',
  ]);
});
