// Names of the fields, parameters and codes that the interface shows. Everything else in the OpenAPI document is our choice.
import type { RouteName } from './routes.ts';

/** Fields that the interface lists, by schema (interface 2, 4, 7). */
export const DOCUMENTED_FIELDS: Record<string, readonly string[]> = {
  Attachment: [
    'id',
    'filename',
    'file_url',
    'sha256',
    'content_type',
    'redacted',
    'decorative_layer',
    'first_visible',
    'origin_city',
    'source',
  ],
  AttachmentList: ['status', 'data'],
  LoreRecord: [
    'id',
    'glyph_trigger',
    'classification',
    'sequence_status',
    'integrity',
    'origin',
    'source',
    'pipeline',
  ],
  Pipeline: ['provider', 'assets'],
  Asset: ['asset_id', 'asset_type', 'filename', 'generation_job_id', 'render_variant'],
  LoreContent: ['view', 'data'],
  RawContent: ['view', 'data'],
  TokenRequest: ['client_id', 'observer_tier', 'requested_tier'],
  Token: [
    'access_token',
    'expires_at',
    'scope',
    'access_tier',
    'issued_by',
    'timeline_offset_ms',
    'session_drift_ms',
    'source_integrity',
  ],
  IngestRequest: ['id', 'type', 'payload'],
  Acknowledgement: ['accepted', 'event_id', 'type', 'status'],
  Envelope: ['id', 'type', 'status', 'payload'],
  MessageReordered: ['id', 'entry', 'sequence'],
  MirrorDetected: ['layer'],
  ErrorBody: ['error'],
  ErrorDetail: ['code', 'message', 'request_id', 'integrity'],
};

/** Query parameters that the interface lists, by route (interface 4). */
export const DOCUMENTED_PARAMETERS: Partial<Record<RouteName, readonly string[]>> = {
  attachments: ['origin_city', 'limit'],
  content: ['view', 'include_stego', 'include_pipeline'],
  conversations: ['starting_after', 'ending_before', 'limit'],
};

/** Error codes that the interface lists, by route (interface 7). */
export const DOCUMENTED_ERRORS: Partial<Record<RouteName, readonly string[]>> = {
  token: ['observer_not_permitted'],
  conversations: ['sequence_conflict'],
};

/** Routes for which the interface shows the body of a success (interface 4). */
export const DOCUMENTED_ANSWERS: readonly RouteName[] = ['token', 'attachments', 'ingest'];
