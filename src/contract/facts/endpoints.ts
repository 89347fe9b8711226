// Facts about endpoints: section 4 of the interface.
import { MAX_RAW_BYTES, MAX_TEXT_BYTES } from '../content.ts';
import { MAX_BATCH_EVENTS } from '../event-types.ts';
import { HEADERS, TIER_HEADER } from '../routes.ts';
import { ARC_RECONSTRUCTION, MIRROR_RELAY } from '../sequence.ts';
import { assumed, documented, type Fact } from './fact.ts';

const MIB = 1024 * 1024;

/** Facts about endpoints (interface 4), in the order in which they are shown. */
export const ENDPOINT_FACTS: readonly Fact[] = [
  ...documented('4', [
    [
      'paths',
      'Two prefixes: /api/… and /v1/…. Bodies are JSON. A token is sent as Authorization: Bearer <token>.',
    ],
  ]),
  ...assumed('4', [
    [
      'other methods',
      'HEAD is answered like GET without a body. OPTIONS is 204 with allow, also for *. Anything else is 405.',
    ],
    [
      'HTTP',
      'HTTP/1.1, and HTTP/1.0 without Transfer-Encoding. Expect is 100-continue, else 417 expectation_failed. Upgrade is ignored, and the connection closed after the answer. TE, Trailer and trailers are ignored.',
    ],
    [
      'host',
      'A request names one host. A service on a loopback address answers to names of this machine and to those it was given, any other to every name; else 400. Of a target that is a whole URL the host counts, not the Host header.',
    ],
    [
      'query',
      'A known parameter may be given once, else 400. Unknown ones are ignored. Percent escapes must be UTF-8, and values visible characters.',
    ],
    [
      'tier of the reader',
      `A success for a request with a token has the header ${TIER_HEADER}, but for /api/webhooks/ingest: the tier that the service gives the token now, lower than that of the token where it was started with a lower --max-tier.`,
    ],
    [
      'list body',
      '{object: "list", status, data, has_more, drift_ratio, integrity}. A client also accepts rows in another field (items, results, the name of the resource, data.items …), a bare array, a map by id, edges with nodes, and JSON:API.',
    ],
  ]),
  ...documented('4.1', [
    [
      'token request',
      'client_id, observer_tier and requested_tier, all required. A success is a token (2.3).',
    ],
    ['refusal', 'observer_not_permitted where the observer tier does not allow the requested scope.'],
  ]),
  ...assumed('4.1', [['token request', 'Other fields are ignored.']]),
  ...documented('4.2', [
    ['parameters', 'origin_city filters; limit is the page size.'],
    ['body', 'status (stable or partial) and data (attachments).'],
    ['rule 1', 'Where no row of the page is redacted, status is stable.'],
    [
      'rule 2',
      'Where any row is redacted, the HTTP status is 206, status is partial, and file_url of that row is null.',
    ],
  ]),
  ...assumed('4.2', [
    [
      'parameters',
      'Filters redacted, content_type, source and message_id; cursors starting_after and ending_before, as in 4.7.',
    ],
    [
      'filters',
      'origin_city, content_type and source match only rows that show the value: no redacted row, and none above the reader’s tier.',
    ],
    ['pages with filters', 'A page has limit rows, or all that are left. It is never short for its filters.'],
    ['one row', 'GET /v1/attachments/<id> gives one row, with 200 also where it is redacted.'],
  ]),
  ...documented('4.3', [
    ['parameters', 'view is raw or lore; include_stego and include_pipeline are true or false.'],
    [
      'lore view',
      'With view=lore and include_pipeline=true the response is the content record (2.2) with its pipeline.',
    ],
  ]),
  ...assumed('4.3', [
    [
      'defaults',
      'view=raw, include_stego=false, include_pipeline=false. Any other spelling of a value is 400 request_invalid.',
    ],
    [
      'raw view',
      'The stored message (raw_base64, sha256, bytes), its headers in order, its decoded text and html, its position and the ids of its attachments.',
    ],
    [
      'raw view, withheld files',
      'Where a file of the message is redacted or above the reader’s tier, raw_base64, raw_url, sha256 and bytes are absent, withheld names the files, and text and html are read without them. parts are the parts of a mail in order: its texts, and the place of each file by its id. They are absent for a damaged mail. The text of an imported file, which tells its size, is null.',
    ],
    [
      'raw view, large messages',
      `raw_base64 holds up to ${MAX_RAW_BYTES / MIB} MiB of stored bytes. Above that, raw_url takes its place: {asset_url}/messages/<id>/<tier>/<last day>/<signature>. It works like a file_url and answers 403 once a file of the message is redacted.`,
    ],
    [
      'damaged messages',
      'The stored bytes are hashed at every read. Where the hash is not that of import, both views are 500 message_damaged.',
    ],
    [
      'raw view, text',
      `text and html are the parts that a mail reader shows, with line breaks as sent. Parts of forwarded messages are included; the returned message in a delivery report is not. Each has at most ${MAX_TEXT_BYTES / MIB} MiB as JSON. Headers are read up to 128 KiB. truncated names what was cut.`,
    ],
    [
      'stego',
      'carriers lists zero-width characters in subject, text and html, and bytes after the end of an attachment’s format.',
    ],
    ['tier', 'A message above the reader’s tier is 403 observer_not_permitted.'],
  ]),
  ...documented('4.4', [['sequence name', `${ARC_RECONSTRUCTION} is a sequence name.`]]),
  ...assumed('4.4', [
    [
      'response',
      'name, status, total, displaced, drift_ratio, integrity, has_more and data: positions with entry, reported, checked and offset. Pages use the cursors of 4.7; entries are the cursors.',
    ],
    [
      'second sequence',
      `${MIRROR_RELAY}: events in order of arrival against the order of their effects. It needs the scope read:mirror.`,
    ],
  ]),
  ...documented('4.5', [
    [
      'health',
      'GET /api/health is listed as an index surface. What that means and the shape of its response are not shown.',
    ],
  ]),
  ...assumed('4.5', [
    [
      'response',
      'status, service, version, time, asset_url, database, ingest_batch, integrity, drift_ratio, counts, schema, files_writable, read_only and uptime_ms. integrity and counts are what a reader of the tier external may know. It needs no token and answers within two seconds, or is 503.',
    ],
    [
      'probes',
      '/api/health/live asks nothing of the database. /api/health/ready is 503 where the archive cannot be read, its schema has another version, or a service that should write has only a standby of its database.',
    ],
  ]),
  ...documented('4.6', [
    ['request', 'id, type (section 6) and payload, all required.'],
    ['acknowledgement', 'accepted, event_id and type (both echoed), and status queued.'],
  ]),
  ...assumed('4.6', [
    [
      'same id again',
      'The same id with the same body is acknowledged again and has no second effect. With another body it is 409 event_conflict. Bodies are the same where the type and the value of the payload are: white space, order of keys, escapes and spelling of numbers (1.0, 1, 10e-1; -0 and 0) do not count. Numbers are compared by their exact value, also where 64 bits would round it.',
    ],
    [
      'payload',
      'It is kept byte for byte as it was first sent, and listed so. Events that earlier versions stored are listed as canonical JSON.',
    ],
    [
      'pages of the list',
      'A page ends early, with has_more, before the event that would bring its payloads above 8 MiB. It has one event at least.',
    ],
    [
      'errors',
      '400 event_invalid and event_type_unknown, 409 event_conflict, 413 and 415. 429 for an event about an unknown record where 100,000 events wait already, and where one mirror layer is announced more than 600 times a minute. 503 with retry-after. A body in which a key has two values is event_invalid. So are, in a payload, NUL, half of a surrogate pair, more than 32 levels, and a number beyond the range of 64 bits (1e400). A number may have any number of digits. The sequence of message.reordered must be a whole number below 2^53.',
    ],
    ['durability', 'An event is acknowledged only after the commit. Many requests share one commit.'],
    [
      'effect',
      'A served archive applies an event in the transaction that stores it. Where others are queued before it, or it cannot be applied, it is queued and applied later, usually within milliseconds, so a list that is read at once may not show it. With the embedded archive the acknowledgement comes after that.',
    ],
    [
      'many events',
      `A body of application/x-ndjson holds up to ${MAX_BATCH_EVENTS} envelopes, one per line. The answer is {status, data}. data has one result for each line that is not blank, in their order: an acknowledgement, or accepted false with event_id (null where the line has no valid one) and error. A line that is not JSON in UTF-8 is refused alone. ingest_batch in the health reply announces this.`,
    ],
  ]),
  ...documented('4.7', [
    [
      'parameters',
      'starting_after: items after this cursor. ending_before: items before this cursor. limit: the page size.',
    ],
    ['rule 1', 'In a well-ordered window starting_after and ending_before are symmetric.'],
    ['rule 2', 'Where starting_after is later than ending_before, the response is 409 sequence_conflict.'],
    [
      'rule 3',
      'The same cursor can return other neighbours, a page boundary can move without a write, and ending_before can return a later segment. Diagnostic logs report the drift ratio. A client should freeze the smallest reliable window, cross-check it against /messages, and go on only when the sequence is stable.',
    ],
  ]),
  ...assumed('4.7', [
    [
      'windows',
      'Cursors are ids of rows and are not part of the window. Rows come in ascending order in both directions. ending_before alone gives the rows directly before it. Equal cursors are an empty window with has_more false, since neither is later than the other.',
    ],
    [
      'drift ratio',
      `drift_ratio in the body and the header ${HEADERS.drift}. It is 0 unless drift is injected; then it rises over the first 100 list reads.`,
    ],
    [
      'injected drift',
      'Lists of conversations, messages and attachments are answered wrongly on purpose. 404, 409, single records, sequences and events are not. A service with a drift log answers truth=true on such a list with the true rows and drift_ratio 0; any other service ignores truth. A test service can also remove rows, send ending_before pages in descending order, refuse parameters that the interface does not show, and have a smaller largest page.',
    ],
    ['one conversation', 'GET /v1/conversations/<id> gives the conversation with its first 100 messages.'],
  ]),
  ...documented('4.8', [['/messages', 'The surface against which conversation windows are cross-checked.']]),
  ...assumed('4.8', [
    [
      '/messages',
      'GET /messages and GET /v1/messages: windows of messages in order of position. conversation=<id> selects one conversation. opening=true gives the first message of each conversation, in the order of conversations.',
    ],
    [
      'search',
      'GET /v1/search?q=… gives the messages that match a query, with matched, snippet and marks, which snippets=false leaves out; sort is relevance, newest or oldest. The body also has total, order, index (how far the index goes, and how many messages and files are withheld from the search) and notes. count=true gives only the number, facet=year, from, type, city or conversation the numbers by that field, of a conversation with its subject. A page goes on with starting_after, a message that the same search found. Nothing is found, counted or ranked by what the reader does not get.',
    ],
  ]),
];
