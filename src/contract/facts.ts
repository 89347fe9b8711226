// What `arx about api` says: each fact of the interface, and for everything it leaves "not shown" what we chose.
import { MAX_RAW_BYTES, MAX_TEXT_BYTES } from './content.ts';
import { ERROR_STATUS } from './error.ts';
import { MAX_BATCH_EVENTS } from './event.ts';
import { PAGE_LIMIT, MAX_RESPONSE_BYTES, MAX_REQUEST_BYTES } from './scalars.ts';
import { HEADERS } from './routes.ts';
import { ARC_RECONSTRUCTION, MIRROR_RELAY } from './sequence.ts';
import { SIGNATURE_TOLERANCE_S } from './signature.ts';
import { TIERS } from './token.ts';

/** `section` is one of the interface. A documented fact stands there; an assumption is what our service does. */
export type Fact = { section: string; topic: string; fact: string; origin: 'documented' | 'assumption' };

const documented = (section: string, topic: string, fact: string): Fact => ({
  section,
  topic,
  fact,
  origin: 'documented',
});
const assumption = (section: string, topic: string, fact: string): Fact => ({
  section,
  topic,
  fact,
  origin: 'assumption',
});

const MIB = 1024 * 1024;

export const FACTS: readonly Fact[] = [
  documented(
    '1',
    'integrity',
    'responses and error bodies carry a number from 0 to 1; a valid token does not make a record valid',
  ),
  assumption(
    '1',
    'integrity',
    'the share of checks that a record passes: hash of the stored bytes, text decodes, structure whole, date plausible, parent present, position after its parent’s',
  ),
  assumption(
    '1',
    'integrity',
    `of the whole archive: in the header ${HEADERS.integrity}, in health and in error bodies`,
  ),
  assumption(
    '1',
    'purpose',
    'not stated in full; this service archives mail, Slack exports and folders of files',
  ),

  documented(
    '2.1',
    'attachment',
    'id, filename, file_url, sha256, content_type, redacted, decorative_layer, first_visible, origin_city, source',
  ),
  documented(
    '2.1',
    'attachment',
    'a redacted row has file_url null and may lack content_type, origin_city and source',
  ),
  assumption(
    '2.1',
    'attachment',
    'message_id, sequence, bytes, detected_type, trailing_bytes and integrity are added; a redacted row lacks content_type, origin_city, source, bytes, detected_type and trailing_bytes',
  ),
  assumption(
    '2.1',
    'attachment',
    'file_url is null without redaction too where the archive knows of a file but does not hold its bytes',
  ),
  assumption('2.1', 'attachment', 'a row above the reader’s tier reads as redacted and is named by its id'),
  assumption(
    '2.1',
    'redacted',
    'a redaction holds for the bytes: every row with the same sha256 is redacted with it, also one that is imported later',
  ),
  assumption(
    '2.1',
    'file_url',
    '{asset_url}/files/<id>/<tier>/<signature>: the address is the permission, no token travels to it, and it does not expire',
  ),
  assumption(
    '2.1',
    'file_url',
    'files answer GET and HEAD with Range, If-Range, If-None-Match, etag and repr-digest (the sha256); 403 asset_redacted for redacted files at any address, 403 asset_forbidden for one that does not open the file',
  ),
  assumption('2.1', 'first_visible', 'true on the first row of the archive that has this content'),
  assumption(
    '2.1',
    'decorative_layer',
    'true for pictures shown inside a message and for content repeated across messages',
  ),
  assumption(
    '2.1',
    'origin_city',
    'nearest city within 50 km of the picture’s GPS position, else the city of the Slack time zone, else the label of the import; otherwise absent',
  ),
  documented(
    '2.2',
    'lore record',
    'id, glyph_trigger, classification, sequence_status, integrity, origin, source, and pipeline when asked for',
  ),
  assumption('2.2', 'glyph_trigger', 'the entry of the message, entry_<number>'),
  assumption(
    '2.2',
    'pipeline',
    'provider arx.import; one asset for each attachment, asset_type image, video, audio, text, document, archive or other, generation_job_id job_<number>, render_variant a, b, c in the order of parts',
  ),
  documented(
    '2.3',
    'token',
    'access_token, expires_at, scope, access_tier, issued_by, timeline_offset_ms, session_drift_ms, source_integrity',
  ),
  assumption(
    '2.3',
    'token',
    'issued_by is mirror; both offsets are 0 unless drift is injected; source_integrity is that of the archive',
  ),
  documented('2.4', 'event envelope', 'id, type, status, payload'),
  assumption(
    '2.4',
    'event envelope',
    'GET /api/webhooks/events lists them with sequence, received_at, effect and deliveries, and failures and error where applying one failed; effect is queued, applied, recorded, waiting, superseded or dead; status is partial while its effect is to come or never came, else stable; effect=queued, waiting, superseded or dead gives only those',
  ),
  documented(
    '2.5',
    'entry markers',
    'entry_<number> with a source (gateway, external, local) and a status (unverified, partial, stable)',
  ),
  assumption(
    '2.5',
    'entry status',
    'unverified: its bytes or text are in doubt; partial: its place or date is; stable: neither',
  ),
  assumption(
    '2.5',
    'conversation',
    'id, sequence, subject, status, source, message_count, first_message_id, started_at, last_at, integrity',
  ),
  assumption(
    '2.5',
    'message',
    'id, conversation_id, parent_id, entry, sequence, date, from, subject, source, status, attachments (their number), integrity',
  ),
  assumption(
    '2.5',
    'withheld',
    'a message above the reader’s tier stays in lists with from and subject null and status withheld',
  ),
  assumption(
    '2.5',
    'classification',
    'seed_token (opens a conversation), reply, orphan (its parent is not in the archive), bounce, automatic; other values pass',
  ),
  assumption(
    '2.5',
    'sequence_status',
    'linear, non_linear (moved, or before its parent), gap (its parent is not in the archive); other values pass',
  ),
  assumption('2.5', 'origin', 'derived for every record of an import; other values pass'),
  assumption('2.5', 'source', 'gateway for list mail, external, local for files; other values pass'),
  assumption('2.5', 'asset_type', 'image, video, audio, text, document, archive, other; other values pass'),

  documented('3', 'status', 'a list with a redacted row is partial with HTTP 206, otherwise stable'),
  assumption(
    '3',
    'transitions',
    'an event is queued when acknowledged; then applied, recorded, superseded, or waiting until its message arrives; one that cannot be applied is tried again after 1 s, doubled each time, and dead after 8 times, until it is delivered again',
  ),

  documented('4', 'paths', '/api/… and /v1/…, JSON bodies, Authorization: Bearer <token>'),
  assumption(
    '4',
    'other methods',
    'HEAD is answered as GET without a body, OPTIONS with 204 and allow, all else with 405',
  ),
  assumption(
    '4',
    'list body',
    '{object: "list", status, data, has_more, drift_ratio, integrity}; a client also takes {status, data}, {items, next} and a bare array',
  ),
  documented('4.1', 'token request', 'client_id, observer_tier, requested_tier'),
  assumption('4.1', 'token request', 'further fields are ignored'),
  documented('4.2', 'attachments', 'filters by origin_city, page size limit'),
  assumption(
    '4.2',
    'attachments',
    'filters redacted, content_type, source, message_id; cursors starting_after and ending_before; GET /v1/attachments/<id> for one row, 200 even where it is redacted',
  ),
  documented('4.3', 'content', 'view raw or lore, include_stego and include_pipeline true or false'),
  assumption(
    '4.3',
    'content',
    'defaults: view=raw, include_stego=false, include_pipeline=false; any other spelling is 400 request_invalid',
  ),
  assumption(
    '4.3',
    'raw view',
    'the message as stored (raw_base64, sha256, bytes), its headers in order, its decoded text and html, its place and the ids of its attachments',
  ),
  assumption(
    '4.3',
    'raw view',
    'where a file of the message is redacted or above the reader’s tier, raw_base64 and raw_url are absent, withheld names the files, and text and html are read without them',
  ),
  assumption(
    '4.3',
    'raw view',
    `raw_base64 is given up to ${MAX_RAW_BYTES / MIB} MiB of stored bytes; above that raw_url takes its place: {asset_url}/messages/<id>/<tier>/<signature>, which works like a file_url and answers 403 once a file of the message is redacted`,
  ),
  assumption(
    '4.3',
    'raw view',
    `text and html are the parts of the letter that are shown, those of forwarded messages too and those of a report’s message not, with their line breaks as sent; each has at most ${MAX_TEXT_BYTES / MIB} MiB as JSON, headers are read up to 128 KiB, and truncated names what was cut`,
  ),
  assumption(
    '4.3',
    'stego',
    'carriers: zero-width characters in subject, text and html, and bytes after the end of an attachment’s format',
  ),
  assumption('4.3', 'content', 'a message above the reader’s tier is 403 observer_not_permitted'),
  assumption(
    '4.4',
    'sequence',
    'name, status, total, displaced, drift_ratio, integrity, has_more and data: positions with entry, reported, checked and offset; paged by the cursors of 4.7 with entries as cursors',
  ),
  documented('4.4', 'sequence', `${ARC_RECONSTRUCTION} is a sequence name`),
  assumption(
    '4.4',
    'sequence',
    `${MIRROR_RELAY} is the second one: events by arrival against the order of their effects; it needs read:mirror`,
  ),
  assumption(
    '4.5',
    'health',
    'status, service, version, time, asset_url, database, ingest_batch, integrity, drift_ratio, counts, schema, files_writable, read_only, uptime_ms; needs no token; answers within two seconds or 503',
  ),
  assumption(
    '4.5',
    'health',
    '/api/health/live and /api/health/ready are for probes: live asks nothing of the database, ready is 503 where the archive cannot be read or its schema is another',
  ),
  documented(
    '4.6',
    'ingest',
    'id, type, payload; acknowledged with accepted, event_id, type and status queued',
  ),
  assumption(
    '4.6',
    'ingest',
    'the same id with the same body is acknowledged again without a second effect; with another body it is 409 event_conflict',
  ),
  assumption(
    '4.6',
    'ingest errors',
    '400 event_invalid and event_type_unknown, 409 event_conflict, 413, 415, 429 where 100,000 events wait already or one mirror layer is announced more than 600 times a minute, 503 with retry-after; numbers must be finite',
  ),
  assumption(
    '4.6',
    'ingest',
    'acknowledged only after the commit, which many requests share; a served archive applies events after that, in most cases within milliseconds, so a list read at once may not show it; the embedded one applies them before',
  ),
  assumption(
    '4.6',
    'many events',
    `a body of application/x-ndjson has up to ${MAX_BATCH_EVENTS} envelopes, one a line; the answer is {status, data} with an acknowledgement, or accepted false, event_id (null where the line has no valid one) and error, for each line that is not blank, in their order; a line that is not JSON in UTF-8 is refused alone; health says so with ingest_batch`,
  ),
  documented(
    '4.7',
    'windows',
    'starting_after and ending_before are symmetric; a misordered pair is 409 sequence_conflict',
  ),
  documented(
    '4.7',
    'drift',
    'the same cursor can return another neighbourhood, the page boundary can move, ending_before can return a later segment',
  ),
  assumption(
    '4.7',
    'windows',
    'cursors are exclusive ids of rows; rows come in ascending order in both directions; a lone ending_before gives the rows directly before it; equal cursors are an empty window',
  ),
  assumption(
    '4.7',
    'drift',
    `the reported ratio is in drift_ratio and the header ${HEADERS.drift}; it is 0 unless drift is injected, and then rises over the first 100 list reads`,
  ),
  assumption(
    '4.7',
    'injected drift',
    'lists of conversations, messages and attachments lie; 404, 409, single records, sequences and events do not; a service that keeps a drift log answers truth=true in the query of such a list with the true rows and drift_ratio 0, any other ignores it',
  ),
  assumption(
    '4.7',
    'conversation',
    'GET /v1/conversations/<id> gives one with the list of its first 100 messages',
  ),
  documented('4.8', '/messages', 'the cross-check surface for conversation windows'),
  assumption(
    '4.8',
    '/messages',
    'GET /messages and GET /v1/messages: windows of messages by position, conversation=<id> for one conversation, opening=true for the first message of each conversation in the order of conversations',
  ),

  documented('5', 'scopes', 'read:messages, read:attachments, read:sequence; the observer tier limits them'),
  assumption(
    '5',
    'tiers',
    `${TIERS.join(' < ')}; a tier may ask for itself and what is below; a service may have a ceiling`,
  ),
  assumption(
    '5',
    'tiers',
    'external: read:messages, read:attachments; internal adds read:sequence; mirror adds read:mirror',
  ),
  assumption(
    '5',
    'token endpoint',
    'needs no credentials, gives 60 tokens a minute to each peer, then 429, and refuses a foreign Origin; health, its probes and openapi.json need no token, everything else does',
  ),
  assumption(
    '5',
    'scope of endpoints',
    'attachments: read:attachments; conversations, messages and content: read:messages; sequences and events: read:sequence',
  ),
  assumption(
    '5',
    'errors',
    '401 token_invalid in the same words whatever is wrong, 401 token_expired with the time, 403 scope_missing',
  ),

  documented(
    '6',
    'event types',
    'message.reordered, attachment.reclassified, contact.flagged, sequence.diverged, mirror.detected',
  ),
  documented('6', 'payloads', 'message.reordered: id, entry, sequence; mirror.detected: layer'),
  documented(
    '6',
    'delivery faults',
    'out of order, the same id twice, present in the relay but not in the index',
  ),
  assumption(
    '6',
    'payloads',
    'attachment.reclassified: id, source, decorative_layer; contact.flagged: contact, trust, handler_trace; sequence.diverged: name, drift_ratio, threshold; further fields pass',
  ),
  assumption(
    '6',
    'effects',
    'message.reordered moves the message, attachment.reclassified changes the row, the rest is recorded; of two writers the greater id wins, whichever came first',
  ),
  assumption(
    '6',
    'signing and retries',
    `a service that was given secrets takes only events signed by Standard Webhooks 1.0 (v1, ${SIGNATURE_TOLERANCE_S} s of tolerance, any of its secrets), with no need for a token, else 401 signature_invalid; without secrets a token is enough; a sender repeats an event under the same id until it is acknowledged; there are no subscriptions`,
  ),
  assumption(
    '6',
    'emission',
    'no operation of this service emits events and it delivers to nobody; it takes them in and lists them',
  ),

  documented('7', 'error body', 'error.code, error.message, error.request_id (req_<id>), error.integrity'),
  documented('7', 'error codes', 'observer_not_permitted; sequence_conflict with 409'),
  assumption('7', 'error codes', `observer_not_permitted is ${ERROR_STATUS.observer_not_permitted}`),
  assumption(
    '7',
    'error codes',
    `the whole list: ${Object.entries(ERROR_STATUS)
      .map(([code, status]) => `${code} ${status}`)
      .join(', ')}`,
  ),

  documented('8', 'expiry', 'tokens expire at expires_at'),
  assumption('8', 'expiry', 'one hour after they were issued'),
  assumption(
    '8',
    'limit',
    `default ${PAGE_LIMIT.default}, from ${PAGE_LIMIT.minimum} to ${PAGE_LIMIT.maximum}; anything else is 400 limit_out_of_range`,
  ),
  assumption(
    '8',
    'rate limits',
    'none with a valid token; 300 requests without one a minute and address, then 429 with retry-after',
  ),
  assumption(
    '8',
    'payload size',
    `a request body has at most ${MAX_REQUEST_BYTES / MIB} MiB (413), a client reads answers of at most ${MAX_RESPONSE_BYTES / MIB} MiB`,
  ),

  documented('9', 'versioning', 'both prefixes are in use'),
  assumption(
    '9',
    'versioning',
    'neither prefix is older; fields and values are only ever added, and GET /openapi.json describes the service',
  ),
];
