// The OpenAPI 3.1 document of the service, built from the routes, parameters, schemas and error table it runs by.
import * as z from 'zod';
import { DOCUMENTED_ANSWERS, DOCUMENTED_ERRORS, DOCUMENTED_PARAMETERS } from './documented.ts';
import { ERROR_STATUS, type ErrorCode } from './error.ts';
import { MAX_BATCH_EVENTS } from './event-types.ts';
import { PARAMETERS } from './parameters.ts';
import type { RecordName } from './schema-list.ts';
import { HEADERS, ROUTES, TIER_HEADER, type Route, type RouteName } from './routes.ts';
import { originOf, recordSchemas, type JsonSchema } from './schemas.ts';
import { SIGNATURE_HEADERS, SIGNATURE_TOLERANCE_S } from './signature.ts';
import { SCOPES, TIERS } from './tier.ts';

type Shape = {
  request?: RecordName;
  /** The record of each line where the body may be application/x-ndjson. */
  lines?: RecordName;
  answer: readonly RecordName[];
  summary: string;
  errors: readonly ErrorCode[];
};

const WINDOW = ['limit_out_of_range', 'cursor_invalid', 'cursor_not_found', 'sequence_conflict'] as const;
const BODY = ['media_type_unsupported', 'payload_too_large'] as const;

const SHAPES: Record<RouteName, Shape> = {
  token: {
    request: 'TokenRequest',
    answer: ['Token'],
    summary: 'Obtain a bearer token',
    errors: [...BODY, 'observer_not_permitted', 'rate_limited'],
  },
  attachments: { answer: ['AttachmentList'], summary: 'The attachment catalogue', errors: WINDOW },
  attachment: { answer: ['Attachment'], summary: 'One attachment', errors: ['not_found'] },
  content: {
    answer: ['RawContent', 'LoreContent'],
    summary: 'One content record',
    errors: ['not_found', 'observer_not_permitted', 'message_damaged'],
  },
  sequence: {
    answer: ['Sequence'],
    summary: 'Positions of a named sequence',
    errors: [...WINDOW, 'not_found'],
  },
  health: { answer: ['Health'], summary: 'State of the service', errors: [] },
  live: { answer: ['Probe'], summary: 'Whether the process runs; asks nothing of the database', errors: [] },
  ready: {
    answer: ['Probe'],
    summary: 'Whether the archive can be read now; 503 with the same body where not',
    errors: [],
  },
  ingest: {
    request: 'IngestRequest',
    lines: 'IngestRequest',
    answer: ['Acknowledgement', 'BatchAcknowledgement'],
    summary:
      'Accept an event, or many with one a line; signed by Standard Webhooks where the service asks for it',
    errors: [
      ...BODY,
      'event_invalid',
      'event_type_unknown',
      'event_conflict',
      'signature_invalid',
      'read_only',
    ],
  },
  events: { answer: ['EnvelopeList'], summary: 'Events taken in', errors: WINDOW },
  conversations: { answer: ['ConversationList'], summary: 'Cursor windows of conversations', errors: WINDOW },
  conversation: {
    answer: ['ConversationWithMessages'],
    summary: 'One conversation with its first messages',
    errors: ['not_found'],
  },
  messages: {
    answer: ['MessageList'],
    summary: 'Cursor windows of messages, the cross-check surface',
    errors: [...WINDOW, 'not_found'],
  },
  messages_v1: { answer: ['MessageList'], summary: 'The same under /v1', errors: [...WINDOW, 'not_found'] },
  search: {
    answer: ['SearchPage'],
    summary: 'The messages that match a query',
    errors: ['limit_out_of_range', 'cursor_invalid', 'cursor_not_found'],
  },
  openapi: { answer: [], summary: 'This document', errors: [] },
};

/** Lists that may hold redacted or withheld rows (interface 4.2 rule 2). */
const PARTIAL: ReadonlySet<RouteName> = new Set(['attachments', 'conversations', 'messages', 'messages_v1']);
const ANYWHERE = [
  'request_invalid',
  'expectation_failed',
  'header_too_large',
  'internal',
  'storage_damaged',
  'store_unavailable',
] as const satisfies readonly ErrorCode[];
const WITH_TOKEN = [
  'token_invalid',
  'token_expired',
  'scope_missing',
  'rate_limited',
] as const satisfies readonly ErrorCode[];

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The document as a plain object. `x-arx-origin` tells what the interface shows from what is our choice. */
export function buildOpenApi(version: string) {
  const names = Object.keys(ROUTES) as RouteName[];
  const paths: Record<string, Record<string, unknown>> = {};
  for (const name of names) {
    const { path, method } = ROUTES[name];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Archive service',
      version,
      description:
        'An archive of messages, conversations, attachments and sequences. x-arx-origin is "documented" where the ' +
        'interface shows it and "assumption" where it is the choice of this service.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths: {
      ...paths,
      '/files/{id}/{tier}/{last_day}/{signature}': served('file', 'Bytes of an attachment, at its file_url'),
      '/messages/{id}/{tier}/{last_day}/{signature}': served(
        'stored_message',
        'Stored bytes of a message, at its raw_url',
      ),
    },
    components: {
      schemas: recordSchemas((name) => `#/components/schemas/${name}`),
      headers: {
        [HEADERS.requestId]: header('Id of this request, req_<id>', { type: 'string' }),
        [HEADERS.integrity]: header('Mean integrity of the archive', {
          type: 'number',
          minimum: 0,
          maximum: 1,
        }),
        [HEADERS.drift]: header('Drift ratio the service reports of itself', { type: 'number', minimum: 0 }),
        [TIER_HEADER]: header('Tier that the service gives the token now', {
          type: 'string',
          enum: [...TIERS],
        }),
      },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `A token of ${ROUTES.token.path}. Scopes: ${SCOPES.join(', ')}.`,
          'x-arx-origin': 'documented',
        },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: SIGNATURE_HEADERS.signature,
          description:
            `Where the service was given secrets, in place of the token: Standard Webhooks 1.0, ` +
            `${Object.values(SIGNATURE_HEADERS).join(', ')}, ${SIGNATURE_TOLERANCE_S} s of tolerance.`,
          'x-arx-origin': 'assumption',
        },
      },
    },
  };
}

function operation(name: RouteName) {
  const route: Route = ROUTES[name];
  const shape = SHAPES[name];
  return {
    operationId: name,
    summary: shape.summary,
    'x-arx-origin': originOf(route.source !== 'ours'),
    ...(route.source === 'ours' ? {} : { 'x-arx-section': route.source }),
    security:
      route.scope === null
        ? []
        : [{ bearer: [route.scope] }, ...(name === 'ingest' ? [{ signature: [] }] : [])],
    parameters: [...pathParameters(route.path), ...queryParameters(name)],
    ...(shape.request === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { ...json(ref('schemas', shape.request)), ...ndjson(shape) },
          },
        }),
    responses: { ...successes(name), ...failures(name), ...(name === 'ready' ? UNREADY : {}) },
  };
}

/** The one failure with a body of its own: it tells a probe what is wrong. */
const UNREADY = {
  503: {
    description: 'The archive cannot be read now',
    headers: Object.fromEntries(Object.values(HEADERS).map((key) => [key, ref('headers', key)])),
    content: json({ oneOf: [ref('schemas', 'Probe'), ref('schemas', 'ErrorBody')] }),
    'x-arx-codes': { store_unavailable: 'assumption' },
  },
};

function pathParameters(path: string) {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(name: RouteName) {
  const { properties = {} } = z.toJSONSchema(PARAMETERS[name], { io: 'input' }) as JsonSchema;
  return Object.entries(properties).map(([parameter, { description, ...schema }]) => ({
    name: parameter,
    in: 'query',
    required: false,
    description,
    schema,
    'x-arx-origin': originOf(DOCUMENTED_PARAMETERS[name]?.includes(parameter)),
  }));
}

function successes(name: RouteName) {
  const [first, ...others] = SHAPES[name].answer.map((record) => ref('schemas', record));
  const content = json(
    first === undefined ? { type: 'object' } : others.length === 0 ? first : { oneOf: [first, ...others] },
  );
  const hasTier = ROUTES[name].scope !== null && name !== 'ingest';
  const headers = hasTier ? { ...OUR_HEADERS, [TIER_HEADER]: ref('headers', TIER_HEADER) } : OUR_HEADERS;
  const answer = (description: string, origin: string) => ({
    description,
    headers,
    content,
    'x-arx-origin': origin,
  });
  return {
    200: answer('Success', originOf(DOCUMENTED_ANSWERS.includes(name))),
    ...(PARTIAL.has(name)
      ? { 206: answer('Success; some rows are redacted or withheld', originOf(name === 'attachments')) }
      : {}),
  };
}

/** Error codes of one status share a response; `x-arx-codes` lists them with their origin. */
function failures(name: RouteName): Record<string, unknown> {
  const codes: ErrorCode[] = [
    ...SHAPES[name].errors,
    ...(ROUTES[name].scope === null ? [] : WITH_TOKEN),
    ...ANYWHERE,
  ];
  return failuresOf(codes, DOCUMENTED_ERRORS[name] ?? []);
}

function failuresOf(codes: readonly ErrorCode[], documented: readonly string[]): Record<string, unknown> {
  const statuses = [...new Set(codes.map((code) => ERROR_STATUS[code]))];
  return Object.fromEntries(
    statuses.map((status) => {
      const here = codes.filter((code) => ERROR_STATUS[code] === status);
      const response = {
        description: here.join(', '),
        headers: OUR_HEADERS,
        content: json(ref('schemas', 'ErrorBody')),
        'x-arx-codes': Object.fromEntries(here.map((code) => [code, originOf(documented.includes(code))])),
      };
      return [status, response];
    }),
  );
}

const OUR_HEADERS = Object.fromEntries(Object.values(HEADERS).map((name) => [name, ref('headers', name)]));

/** Files have an origin of their own (interface: {asset_url}); the address is the permission. */
const served = (operationId: string, summary: string) => ({
  servers: [{ url: '{asset_url}', variables: { asset_url: { default: 'http://127.0.0.1' } } }],
  get: {
    operationId,
    summary,
    'x-arx-origin': 'assumption',
    security: [],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'tier', in: 'path', required: true, schema: { enum: [...TIERS] } },
      { name: 'last_day', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'signature', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'range', in: 'header', required: false, schema: { type: 'string' } },
      { name: 'if-range', in: 'header', required: false, schema: { type: 'string' } },
      { name: 'if-none-match', in: 'header', required: false, schema: { type: 'string' } },
    ],
    responses: {
      200: { description: 'The whole file; etag and repr-digest hold its sha256', content: { '*/*': {} } },
      206: { description: 'The range asked for', content: { '*/*': {} } },
      304: { description: 'The file the client has' },
      ...failuresOf(
        [
          'asset_redacted',
          'asset_forbidden',
          'not_found',
          'range_not_satisfiable',
          'asset_damaged',
          ...ANYWHERE,
        ],
        [],
      ),
    },
  },
});

function header(description: string, schema: JsonSchema) {
  return { description, schema, 'x-arx-origin': 'assumption' };
}

/** OpenAPI 3.1 has no schema for lines: each is described, the whole is text. */
function ndjson({ lines }: Shape) {
  if (lines === undefined) return {};
  const description = `One ${lines} a line, at most ${MAX_BATCH_EVENTS}`;
  return { 'application/x-ndjson': { schema: { type: 'string', description } } };
}

function json(schema: JsonSchema) {
  return { 'application/json': { schema } };
}
