// Facts about authentication, events, errors, limits and versions: sections 5 to 9 of the interface.
import { ERROR_STATUS } from '../error.ts';
import {
  MAX_JSON_DEPTH,
  MAX_INEXACT_NUMBERS,
  MAX_JSON_KEYS,
  MAX_JSON_VALUES,
  MAX_REQUEST_BYTES,
  MAX_RESPONSE_BYTES,
  MAX_TOKEN_REQUEST_BYTES,
  PAGE_LIMIT,
} from '../scalars.ts';
import { SIGNATURE_TOLERANCE_S } from '../signature.ts';
import { TIERS } from '../tier.ts';
import { assumed, documented, type Fact } from './fact.ts';

const MIB = 1024 * 1024;
const CODES = Object.entries(ERROR_STATUS).map(([code, status]) => `${code} ${status}`);

/** Facts about tokens, events, errors, limits and versions, in the order in which they are shown. */
export const RULE_FACTS: readonly Fact[] = [
  ...documented('5', [
    [
      'token',
      'A token comes from POST /api/auth/token. Its response states tier, scopes, expiry, and clock drift in milliseconds.',
    ],
    [
      'scopes',
      'read:messages, read:attachments and read:sequence. The observer tier limits the scopes that can be had.',
    ],
    [
      'origin',
      'A valid token does not make a record valid. Origin and sequence are checked apart; a valid token can come with an unverified origin.',
    ],
  ]),
  ...assumed('5', [
    [
      'tiers',
      `${TIERS.join(' < ')}. A tier may ask for itself and for lower ones. A service may set a highest tier. A token of a higher one, issued before, gives what a token of the highest gives.`,
    ],
    [
      'scopes of a tier',
      'external: read:messages and read:attachments. internal adds read:sequence and write:events. mirror adds read:mirror.',
    ],
    [
      'token endpoint',
      'It needs no credentials, gives each client address 60 tokens per minute (then 429), and refuses a foreign Origin. On loopback the user who runs the service gets a higher tier with a secret that `arx serve` writes for `arx login`. Health, its probes and openapi.json need no token; everything else does.',
    ],
    [
      'scope of an endpoint',
      'attachments: read:attachments. conversations, messages and content: read:messages. sequences and lists of events: read:sequence. sending events: write:events.',
    ],
    [
      'errors',
      '401 token_invalid in the same words whatever is wrong, 401 token_expired with the time of expiry, 403 scope_missing.',
    ],
  ]),

  ...documented('6', [
    [
      'message.reordered',
      'The position of a message changed, its body did not. Payload: id, entry, sequence (the new position).',
    ],
    ['attachment.reclassified', 'The source or the layer of an attachment changed.'],
    ['contact.flagged', 'The trust or the handler trace of a contact escalated.'],
    ['sequence.diverged', 'The drift of a sequence crossed a warning threshold.'],
    ['mirror.detected', 'A mirror layer has started to echo event envelopes. Payload: layer.'],
    [
      'delivery faults',
      'Envelopes can arrive out of order. The same id can arrive twice. An event can be in the relay and absent from the index. A receiver must tolerate all three.',
    ],
  ]),
  ...assumed('6', [
    [
      'other payloads',
      'attachment.reclassified: id, source, decorative_layer. contact.flagged: contact, trust, handler_trace. sequence.diverged: name, drift_ratio, threshold. Other fields are kept.',
    ],
    [
      'effects',
      'message.reordered moves the message. attachment.reclassified changes the row. The others are recorded. Where two events change the same field, the one that arrived later wins, whenever it is applied. An envelope has no time or version, and its id and position are chosen by its sender. So the order of delivery decides.',
    ],
    [
      'signatures',
      `A service that was given secrets accepts only events signed by Standard Webhooks 1.0 (v1, any of its secrets, clocks within ${SIGNATURE_TOLERANCE_S} s), and then needs no token; otherwise 401 signature_invalid. Without secrets a token is enough.`,
    ],
    [
      'retries',
      'A sender repeats an event with the same id until it is acknowledged. There are no subscriptions.',
    ],
    [
      'emission',
      'No operation of this service emits events, and it delivers to nobody. It accepts events and lists them.',
    ],
  ]),

  ...documented('7', [
    ['error body', 'error.code, error.message, error.request_id (req_<id>) and error.integrity.'],
    ['error codes', 'observer_not_permitted (its status is not shown) and sequence_conflict, which is 409.'],
  ]),
  ...assumed('7', [
    ['observer_not_permitted', `The status is ${ERROR_STATUS.observer_not_permitted}.`],
    ['all codes', `${CODES.join(', ')}.`],
  ]),

  ...documented('8', [
    ['expiry', 'Tokens expire at expires_at.'],
    ['limit', 'The parameter limit exists on the lists of attachments and conversations.'],
  ]),
  ...assumed('8', [
    ['expiry', 'One hour after the token was issued.'],
    [
      'limit',
      `Default ${PAGE_LIMIT.default}, from ${PAGE_LIMIT.minimum} to ${PAGE_LIMIT.maximum}. Anything else is 400 limit_out_of_range.`,
    ],
    [
      'rate limits',
      'None with a valid token. Without one, 300 requests per minute and address, then 429 with retry-after.',
    ],
    [
      'sizes',
      `A request body has at most ${MAX_REQUEST_BYTES / MIB} MiB, that of a token request ${MAX_TOKEN_REQUEST_BYTES / 1024} KiB (413). Path, method, token, scope and content type are checked before it is read. A client reads responses of at most ${MAX_RESPONSE_BYTES / MIB} MiB, with ${MAX_JSON_VALUES} values, ${MAX_JSON_KEYS} different field names, ${MAX_INEXACT_NUMBERS} numbers that JavaScript would round, and ${MAX_JSON_DEPTH} levels.`,
    ],
  ]),

  ...documented('9', [['versioning', 'Both prefixes are in use.']]),
  ...assumed('9', [
    [
      'versioning',
      'Neither prefix is newer. Fields and values are only ever added. GET /openapi.json describes the service.',
    ],
  ]),
];
