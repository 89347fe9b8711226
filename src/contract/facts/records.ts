// Facts about records and states: sections 1 to 3 of the interface.
import { HEADERS } from '../routes.ts';
import { assumed, documented, type Fact } from './fact.ts';

/** Facts about records, their fields and their states (interface 1, 2, 3), in the order in which they are shown. */
export const RECORD_FACTS: readonly Fact[] = [
  ...documented('1', [
    [
      'service',
      'The service is an archive of messages, conversations, attachments and sequences. Each record has an integrity number and a position in a sequence.',
    ],
    [
      'drift',
      'The sequence that the service reports can drift. The service reports the drift in its responses.',
    ],
    [
      'integrity',
      'Responses and error bodies carry an integrity number from 0 to 1. A valid token does not make a record valid.',
    ],
  ]),
  ...assumed('1', [
    [
      'integrity of a record',
      'The share of checks that the record passes: the stored bytes match their hash, the text decodes, the MIME structure is complete, the date is plausible, the parent message is present, the position comes after the parent’s. It is found out at import and when a position moves: bytes that are damaged later do not lower it, and reading them is an error.',
    ],
    [
      'integrity of the archive',
      `The mean over all messages and attachments whose integrity the reader sees. It is in the header ${HEADERS.integrity}, in the health reply and in every error body. Without a token it is that of the tier external.`,
    ],
    [
      'purpose',
      'The interface does not state it in full. Our service archives mail, exports of chats and folders of files.',
    ],
  ]),

  ...documented('2.1', [
    ['id', 'Identifier of the attachment.'],
    ['filename', 'Name of the file, as indexed. It is untrusted text.'],
    ['file_url', 'Address of the file on the current mirror. It is null when redacted is true.'],
    ['sha256', 'Hash of the file, taken when it was imported: 64 hexadecimal characters.'],
    ['content_type', 'MIME type at import. A redacted row may lack it.'],
    ['redacted', 'True when the bytes of the file are blocked.'],
    ['decorative_layer', 'True when the file belongs to the decorative layer.'],
    ['first_visible', 'True when the file was in the first visible sequence.'],
    ['origin_city', 'Lower-case city label from the import. A redacted row may lack it.'],
    ['source', 'Where the file came from, e.g. external. Lists show it on rows that are not redacted.'],
  ]),
  ...assumed('2.1', [
    [
      'fields that we add',
      'message_id, sequence, bytes, detected_type (found in the bytes), trailing_bytes (bytes after the end of the format), reason and integrity. A redacted row lacks content_type, origin_city, source, bytes, detected_type, trailing_bytes and integrity.',
    ],
    [
      'absent file',
      'Where the archive knows of a file but never had its bytes, redacted is false, file_url is null, sha256 is left out, and bytes is the size that the import declares, if any.',
    ],
    [
      'reason',
      'Why the file cannot be had: the reason of the redaction, or why the archive lacks the bytes. A row above the reader’s tier gives none.',
    ],
    [
      'tier',
      'A row above the reader’s tier looks like a redacted row with nothing but its place: id, sequence and message_id. Its filename is its id, and it also lacks sha256, decorative_layer and first_visible.',
    ],
    [
      'redacted',
      'A redaction applies to the bytes. Every row with the same sha256 is redacted, also a row that is imported later.',
    ],
    [
      'file_url',
      '{asset_url}/files/<id>/<tier>/<last day>/<signature>. The address itself is the permission: no token is sent to it. It expires at the end of its last day: days are counted from 1970-01-01 (UTC), and an address that is given out today lasts until the end of tomorrow. It also falls when the service lowers its highest tier.',
    ],
    [
      'file requests',
      'GET and HEAD with Range, If-Range and If-None-Match. GET may be 307 to another host, where the service is set up so. etag and repr-digest hold the sha256. A redacted file is 403 asset_redacted at an address that was given out before. Every other address that opens nothing is 403 asset_forbidden, whether the file exists or not. Stored bytes of another size are 500 asset_damaged. Files up to 1 MiB are hashed before the response begins; of larger ones the connection is cut before the last bytes where the hash differs. A range of a larger file is not hashed.',
    ],
    [
      'first_visible',
      'True on the first row that has these bytes. Rows above the tier of the row do not count.',
    ],
    [
      'decorative_layer',
      'True for pictures shown inside a message and for bytes that several messages repeat. Messages above the tier of the row do not count.',
    ],
    [
      'origin_city',
      'The nearest city within 50 km of the picture’s GPS position, else the city of the time zone of a chat user, else the label given at import, else absent.',
    ],
  ]),
  ...documented('2.2', [
    ['id', 'Identifier of the message: msg_<number>.'],
    ['glyph_trigger', 'Reference to the entry of the message.'],
    ['classification', 'Kind of message, e.g. seed_token.'],
    ['sequence_status', 'How the position of the message relates to its neighbours, e.g. non_linear.'],
    [
      'integrity, origin, source',
      'A number from 0 to 1; how the record was made, e.g. derived; where it came from, e.g. external.',
    ],
    [
      'pipeline',
      'Present when include_pipeline is true: provider, and assets with asset_id, asset_type, filename, generation_job_id and render_variant.',
    ],
    ['response', 'The response is an object with view (the view that was asked for) and data (the record).'],
  ]),
  ...assumed('2.2', [
    ['glyph_trigger', 'The entry of the message: entry_<number>.'],
    [
      'pipeline',
      'provider is arx.import. Each attachment is one asset. asset_type is image, video, audio, text, document, archive or other. generation_job_id is job_<number>. render_variant is a, b, c … in the order of the MIME parts.',
    ],
  ]),
  ...documented('2.3', [
    ['access_token', 'The bearer token.'],
    ['expires_at', 'End of its validity: ISO 8601 in UTC with milliseconds.'],
    [
      'scope, access_tier, issued_by',
      'The scopes (an array), the tier, and who issued the token, e.g. mirror.',
    ],
    [
      'timeline_offset_ms, session_drift_ms',
      'Offsets of the service’s clock in milliseconds. Both may be negative.',
    ],
    ['source_integrity', 'A number from 0 to 1.'],
  ]),
  ...assumed('2.3', [
    ['issued_by', 'Always mirror.'],
    ['timeline_offset_ms, session_drift_ms', 'Both are 0 unless drift is injected.'],
    ['source_integrity', 'The integrity of the archive for the tier of the token.'],
  ]),
  ...documented('2.4', [
    ['event envelope', 'id, type (section 6), status (e.g. partial) and payload (an object).'],
  ]),
  ...assumed('2.4', [
    [
      'event list',
      'GET /api/webhooks/events lists envelopes with sequence, received_at, effect and deliveries. failures and error are added where applying the event failed.',
    ],
    [
      'effect',
      'queued, applied, recorded, waiting, superseded or dead. The parameter effect selects queued, waiting, superseded or dead.',
    ],
    ['status', 'partial while the effect is still to come or never came, else stable.'],
  ]),
  ...documented('2.5', [
    [
      'entry markers',
      'entry_<number>, with a source (gateway, external, local) and a status (unverified, partial, stable).',
    ],
  ]),
  ...assumed('2.5', [
    [
      'entry status',
      'unverified: the bytes or the text are in doubt. partial: the position or the date is in doubt. stable: neither is.',
    ],
    [
      'conversation',
      'id, sequence, subject, status, source, message_count, first_message_id, started_at, last_at and integrity. The number in the id is that of the first message.',
    ],
    [
      'message',
      'id, conversation_id, parent_id, entry, sequence, date, from, subject, source, channel (of a chat), status, attachments (how many) and integrity.',
    ],
    [
      'withheld message',
      'A message above the reader’s tier stays in lists, with its status withheld and its place: id, entry, sequence, conversation_id and the number of its attachments. Its date, from, subject and parent_id are null; source, channel and integrity are absent.',
    ],
    [
      'withheld conversation',
      'A conversation with a message above the reader’s tier has the status withheld. started_at and last_at are null, and integrity is absent. Where its first message is above the tier, subject is null and source absent.',
    ],
    [
      'classification',
      'seed_token (opens a conversation), reply, orphan (its parent is not in the archive), bounce or automatic. A client accepts other values.',
    ],
    [
      'sequence_status',
      'linear, non_linear (moved, or placed before its parent) or gap (its parent is not in the archive). A client accepts other values.',
    ],
    ['origin', 'derived for every imported record. A client accepts other values.'],
    [
      'source',
      'gateway for mail of a mailing list, external for other mail and chats, local for files. A client accepts other values.',
    ],
    ['asset_type', 'image, video, audio, text, document, archive or other. A client accepts other values.'],
  ]),

  ...documented('3', [
    [
      'list status',
      'A list with a redacted row has status partial and HTTP status 206. Any other list is stable.',
    ],
    [
      'seen values',
      'Lists: stable, partial. Envelopes: partial. Acknowledgements: queued. Entry markers: unverified, partial, stable.',
    ],
  ]),
  ...assumed('3', [
    [
      'transitions of an event',
      'Acknowledged as queued; then applied, recorded or superseded, mostly at once. An event about an unknown message is waiting until the message arrives.',
    ],
    [
      'failed events',
      'An event that cannot be applied is tried again after 1 s; the wait doubles each time. After 8 failures it is dead, until it is delivered again.',
    ],
  ]),
];
