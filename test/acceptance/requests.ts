// Requests to every route of the interface, valid and invalid, with the expected results.
import type { ErrorCode } from '../../src/contract/error.ts';
import { MAX_REQUEST_BYTES, MAX_TOKEN_REQUEST_BYTES } from '../../src/contract/scalars.ts';
import { pathOf, ROUTES, type RouteName } from '../../src/contract/routes.ts';
import { Fault, type FaultKind } from '../../src/faults.ts';
import type { Bench } from './client-setups.ts';

/** `files` is the origin of the attachment files, `nowhere` what no route serves. */
type Place = RouteName | 'files' | 'nowhere';
type Ask = (bench: Bench) => Promise<unknown>;
export type Good = [place: Place, what: string, status: number, ask: Ask];
export type Bad = [place: Place, what: string, code: ErrorCode, kind: FaultKind, ask: Ask, only?: 'port'];

const REQUEST = { client_id: 'acceptance', observer_tier: 'internal', requested_tier: 'internal' };
const moved = (id: string, sequence: number) => ({
  id,
  type: 'message.reordered',
  payload: { id: 'msg_2', entry: 'entry_2', sequence },
});
const JSON_TYPE = { 'content-type': 'application/json' };
/** A path of each route that answers 2xx to the owner. */
const PATHS = Object.fromEntries(
  (Object.keys(ROUTES) as RouteName[]).map((name) => [
    name,
    pathOf(name, {
      id: name === 'attachment' ? 'att_1' : name === 'conversation' ? 'conv_1' : 'msg_1',
      name: 'arc_reconstruction',
    }) + (name === 'search' ? '?q=letter' : ''),
  ]),
) as Record<RouteName, string>;
export const NAMES = Object.keys(ROUTES) as RouteName[];
const SCOPED = NAMES.filter((name) => ROUTES[name].scope !== null);
const EVENT = JSON.stringify(moved('evt_scoped', 5));
const asked = (name: RouteName) =>
  ROUTES[name].method === 'GET'
    ? {}
    : { headers: JSON_TYPE, body: name === 'ingest' ? EVENT : JSON.stringify(REQUEST) };

// prettier-ignore
export const GOOD: Good[] = [
  ['token', 'own tier', 200, (b) => b.client().token(REQUEST)],
  ['token', 'a lower tier', 200, (b) => b.client().token({ ...REQUEST, requested_tier: 'external' })],
  ['attachments', 'none redacted', 200, (b) => b.client().attachments({ redacted: false })],
  ['attachments', 'one redacted', 206, (b) => b.client().attachments({ limit: 4 })],
  ['attachments', 'by city', 200, (b) => b.client().attachments({ origin_city: 'oslo', redacted: false })],
  ['attachments', 'above the tier', 206, (b) => b.client('external').attachments({ starting_after: 'att_4', limit: 1 })],
  ['attachment', 'open', 200, (b) => b.client().attachment('att_1')],
  ['attachment', 'redacted', 200, (b) => b.client().attachment('att_4')],
  ['content', 'raw', 200, (b) => b.client().content('msg_1')],
  ['content', 'raw with a withheld file', 200, (b) => b.client().content('msg_4', { view: 'raw' })],
  ['content', 'lore with everything', 200, (b) => b.client().content('msg_3', { view: 'lore', include_pipeline: true, include_stego: true })],
  ['sequence', 'arc_reconstruction', 200, (b) => b.client().sequence('arc_reconstruction', { limit: 5 })],
  ['sequence', 'mirror_relay as mirror', 200, (b) => b.client('mirror').sequence('mirror_relay')],
  ['health', 'without a token', 200, (b) => b.client('nobody').health()],
  ['live', 'without a token', 200, (b) => b.client('nobody').get('/api/health/live')],
  ['ready', 'without a token', 200, (b) => b.client('nobody').get('/api/health/ready')],
  ['ingest', 'taken in', 200, (b) => b.client().ingest(moved('evt_1', 9))],
  ['ingest', 'the same again', 200, (b) => b.client().ingest(moved('evt_1', 9))],
  ['ingest', 'an event about nothing we have', 200, (b) => b.client().ingest({ ...moved('evt_0', 9), payload: { id: 'msg_99', entry: 'entry_99', sequence: 1 } })],
  ['events', 'all', 200, (b) => b.client().events()],
  ['conversations', 'forward', 200, (b) => b.client('mirror').conversations({ starting_after: 'conv_1', limit: 2 })],
  ['conversations', 'backward', 200, (b) => b.client('mirror').conversations({ ending_before: 'conv_4', limit: 2 })],
  ['conversations', 'closed', 206, (b) => b.client().conversations({ starting_after: 'conv_1', ending_before: 'conv_6' })],
  ['conversations', 'equal cursors', 200, (b) => b.client().conversations({ starting_after: 'conv_2', ending_before: 'conv_2' })],
  ['conversation', 'with its messages', 200, (b) => b.client().conversation('conv_2')],
  ['messages', 'of one conversation', 200, (b) => b.client('mirror').messages({ conversation: 'conv_2' })],
  ['messages', 'openings', 206, (b) => b.client().messages({ opening: true })],
  ['messages_v1', 'some withheld', 206, (b) => b.client('external').get('/v1/messages?limit=6')],
  ['search', 'words', 200, (b) => b.client().get('/v1/search?q=letter&limit=2')],
  ['search', 'without snippets', 200, (b) => b.client().get('/v1/search?q=letter&snippets=false')],
  ['search', 'nothing found', 200, (b) => b.client('external').get('/v1/search?q=nothing+at+all&facet=from')],
  ['openapi', 'without a token', 200, (b) => b.client('nobody').get('/openapi.json')],
  ['files', 'whole', 200, async (b) => b.file(await b.address('att_1'))],
  ['files', 'the rest', 206, async (b) => b.file(await b.address('att_1'), 3)],
  ['files', 'HEAD', 200, async (b) => b.sendFile('HEAD', await b.address('att_1'))],
  ['files', 'OPTIONS', 204, async (b) => b.sendFile('OPTIONS', await b.address('att_1'))],
  ...NAMES.filter((name) => ROUTES[name].method === 'GET').map((name): Good => [
    name,
    'HEAD',
    [200, 206][Number(['attachments', 'conversations', 'messages', 'messages_v1'].includes(name))] ?? 200,
    (b) => b.send('HEAD', PATHS[name]),
  ]),
  ...NAMES.map((name): Good => [
    name,
    'OPTIONS',
    204,
    (b) => b.send('OPTIONS', PATHS[name], { as: 'nobody' }),
  ]),
];

// prettier-ignore
export const BAD: Bad[] = [
  ['token', 'mirror for internal', 'observer_not_permitted', 'forbidden', (b) => b.client().token({ ...REQUEST, requested_tier: 'mirror' })],
  ['token', 'above the ceiling', 'observer_not_permitted', 'forbidden', (b) => b.client('nobody', 'low').token(REQUEST)],
  ['token', 'no such tier', 'request_invalid', 'usage', (b) => b.client().token({ ...REQUEST, observer_tier: 'king' })],
  ['token', 'no fields', 'request_invalid', 'usage', (b) => b.send('POST', PATHS.token, { headers: JSON_TYPE, body: '{}' })],
  ['token', 'no JSON', 'request_invalid', 'usage', (b) => b.send('POST', PATHS.token, { headers: JSON_TYPE, body: '{' })],
  ['token', 'a form', 'media_type_unsupported', 'protocol', (b) => b.send('POST', PATHS.token, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'client_id=a'})],
  ['token', 'too long', 'payload_too_large', 'usage', (b) => b.client().token({ ...REQUEST, client_id: 'x'.repeat(MAX_TOKEN_REQUEST_BYTES) })],
  ['attachments', 'limit 0', 'limit_out_of_range', 'usage', (b) => b.client().attachments({ limit: 0 })],
  ['attachments', 'limit 501', 'limit_out_of_range', 'usage', (b) => b.client().attachments({ limit: 501 })],
  ['attachments', 'limit given twice', 'limit_out_of_range', 'usage', (b) => b.client().get('/v1/attachments?limit=1&limit=2')],
  ['attachments', 'cursor of another list', 'cursor_invalid', 'usage', (b) => b.client().attachments({ starting_after: 'conv_1' })],
  ['attachments', 'cursor that is gone', 'cursor_not_found', 'not_found', (b) => b.client().attachments({ ending_before: 'att_999' })],
  ['attachments', 'misordered', 'sequence_conflict', 'conflict', (b) => b.client().attachments({ starting_after: 'att_3', ending_before: 'att_2' })],
  ['attachments', 'a flag misspelt', 'request_invalid', 'usage', (b) => b.client().attachments({ redacted: 'yes' })],
  ['attachments', 'no such message', 'not_found', 'not_found', (b) => b.client().attachments({ message_id: 'msg_999' })],
  ['attachment', 'no such', 'not_found', 'not_found', (b) => b.client().attachment('att_999')],
  ['content', 'no such', 'not_found', 'not_found', (b) => b.client().content('msg_999')],
  ['content', 'above the tier', 'observer_not_permitted', 'forbidden', (b) => b.client('external').content('msg_5')],
  ['content', 'view misspelt', 'request_invalid', 'usage', (b) => b.client().content('msg_1', { view: 'RAW' })],
  ['content', 'broken escape', 'request_invalid', 'usage', (b) => b.client().get('/api/content/%zz')],
  ['sequence', 'no such', 'not_found', 'not_found', (b) => b.client().sequence('nowhere')],
  ['sequence', 'mirror_relay below mirror', 'scope_missing', 'forbidden', (b) => b.client().sequence('mirror_relay')],
  ['sequence', 'misordered', 'sequence_conflict', 'conflict', (b) => b.client().sequence('arc_reconstruction', { starting_after: 'entry_2', ending_before: 'entry_1' })],
  ['sequence', 'cursor that is gone', 'cursor_not_found', 'not_found', (b) => b.client().sequence('arc_reconstruction', { starting_after: 'entry_99' })],
  ['health', 'the store is busy', 'store_unavailable', 'busy', (b) => b.client('nobody', 'busy').health()],
  ['health', 'the service has a bug', 'internal', 'busy', (b) => b.client('nobody', 'failing').health()],
  ['health', 'the store is damaged', 'storage_damaged', 'integrity', (b) => b.client('nobody', 'corrupt').health()],
  ['ingest', 'the service may only read', 'read_only', 'busy', (b) => b.client('internal', 'reading').ingest(moved('evt_2', 3))],
  ['ingest', 'the store is busy', 'store_unavailable', 'busy', (b) => b.client('internal', 'busy').ingest(moved('evt_2', 3))],
  ['ingest', 'payload lacks a field', 'event_invalid', 'conflict', (b) => b.client().ingest({ ...moved('evt_3', 3), payload: {} })],
  ['ingest', 'no JSON', 'event_invalid', 'conflict', (b) => b.send('POST', PATHS.ingest, { headers: JSON_TYPE, body: 'x' })],
  ['ingest', 'unknown type', 'event_type_unknown', 'conflict', (b) => b.client().ingest({ ...moved('evt_4', 3), type: 'message.deleted' })],
  ['ingest', 'same id, other body', 'event_conflict', 'conflict', (b) => b.client().ingest(moved('evt_1', 10))],
  ['ingest', 'without a type', 'media_type_unsupported', 'protocol', (b) => b.send('POST', PATHS.ingest, { body: EVENT })],
  ['ingest', 'not signed', 'signature_invalid', 'auth', (b) => b.client('internal', 'signed').ingest(moved('evt_6', 3))],
  ['ingest', 'too long', 'payload_too_large', 'conflict', (b) => b.client().ingest({ ...moved('evt_5', 3), payload: { text: 'x'.repeat(MAX_REQUEST_BYTES) } })],
  ['events', 'cursor that is gone', 'cursor_not_found', 'not_found', (b) => b.client().events({ starting_after: 'evt_none' })],
  ['conversations', 'M1 misordered', 'sequence_conflict', 'conflict', (b) => b.client().conversations({ starting_after: 'conv_3', ending_before: 'conv_1' })],
  ['conversations', 'no cursor', 'cursor_invalid', 'usage', (b) => b.client().conversations({ starting_after: '' })],
  ['conversations', 'cursor that is gone', 'cursor_not_found', 'not_found', (b) => b.client().conversations({ starting_after: 'conv_99' })],
  ['conversations', 'limit 1e2', 'limit_out_of_range', 'usage', (b) => b.client().conversations({ limit: '1e2' })],
  ['conversation', 'no such', 'not_found', 'not_found', (b) => b.client().conversation('conv_99')],
  ['messages', 'no such conversation', 'not_found', 'not_found', (b) => b.client().messages({ conversation: 'conv_99' })],
  ['messages', 'misordered', 'sequence_conflict', 'conflict', (b) => b.client().messages({ starting_after: 'msg_9', ending_before: 'msg_3' })],
  ['messages_v1', 'cursor of another list', 'cursor_invalid', 'usage', (b) => b.client().get('/v1/messages?starting_after=conv_1')],
  ['search', 'no query', 'request_invalid', 'usage', (b) => b.client().get('/v1/search')],
  ['search', 'a wrong query', 'request_invalid', 'usage', (b) => b.client().get('/v1/search?q=(letter')],
  ['search', 'a facet misspelt', 'request_invalid', 'usage', (b) => b.client().get('/v1/search?q=letter&facet=month')],
  ['search', 'cursor of another list', 'cursor_invalid', 'usage', (b) => b.client().get('/v1/search?q=letter&starting_after=conv_1')],
  ['search', 'cursor that is not found', 'cursor_not_found', 'not_found', (b) => b.client().get('/v1/search?q=letter&starting_after=msg_999')],
  ['nowhere', 'no such path', 'not_found', 'not_found', (b) => b.client().get('/v2/attachments')],
  ['files', 'redacted since its address was given', 'asset_redacted', 'forbidden', (b) => b.file(b.withdrawn)],
  ['files', 'forged', 'asset_forbidden', 'forbidden', async (b) => b.file((await b.address('att_1')).replace(/.{3}$/, 'AAA'))],
  ['files', 'address of another file', 'asset_forbidden', 'forbidden', async (b) => b.file((await b.address('att_1')).replace('att_1', 'att_2'))],
  ['files', 'no such', 'asset_forbidden', 'forbidden', async (b) => b.file((await b.address('att_1')).replace('att_1', 'att_999'))],
  ['files', 'from beyond its end', 'range_not_satisfiable', 'protocol', async (b) => b.file(await b.address('att_1'), 1000)],
  ['files', 'DELETE', 'method_not_allowed', 'protocol', async (b) => b.sendFile('DELETE', await b.address('att_1'))],
  ...NAMES.map((name): Bad => [
    name,
    'DELETE',
    'method_not_allowed',
    'protocol',
    (b) => b.send('DELETE', PATHS[name]),
  ]),
  ...SCOPED.flatMap((name): Bad[] => [
    [
      name,
      'without a token',
      'token_invalid',
      'auth',
      (b) => b.send(ROUTES[name].method, PATHS[name], { ...asked(name), as: 'nobody' }),
    ],
    [
      name,
      'with a token that is over',
      'token_expired',
      'auth',
      (b) => b.send(ROUTES[name].method, PATHS[name], { ...asked(name), as: 'expired' }),
    ],
    [
      name,
      'with a made-up token',
      'token_invalid',
      'auth',
      (b) =>
        b.send(ROUTES[name].method, PATHS[name], {
          ...asked(name),
          as: 'nobody',
          headers: { ...JSON_TYPE, authorization: `Bearer arx_${'A'.repeat(43)}` },
        }),
    ],
  ]),
  // Every tier has the other scopes, so that only these routes can lack theirs.
  ...SCOPED.filter((name) => ['read:sequence', 'write:events'].includes(ROUTES[name].scope ?? '')).map((name): Bad => [
    name,
    'for external',
    'scope_missing',
    'forbidden',
    (b) => b.send(ROUTES[name].method, PATHS[name], { ...asked(name), as: 'external' }),
  ]),
  // In-process nothing is limited and there are no lines to be too long: both belong to the port.
  ['health', 'headers of 20 KiB', 'header_too_large', 'protocol', (b) => b.send('GET', PATHS.health, { headers: { 'x-long': 'x'.repeat(20 * 1024) } }), 'port'],
  ['attachments', 'guessing on and on', 'rate_limited', 'busy', guess, 'port'],
];

/** The limit counts a peer's requests without a valid token, so this comes last. */
async function guess(bench: Bench): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    await bench
      .client('nobody')
      .attachments()
      .catch((error: unknown) => {
        if (error instanceof Fault && error.kind !== 'auth') throw error;
      });
  }
}
