// What the interface shows, name by name: everything else in the document is our assumption.
import type { RouteName } from './routes.ts';

/** Fields that sections 2, 4 and 7 list, by schema. */
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

/** Query parameters that section 4 lists. */
export const DOCUMENTED_PARAMETERS: Partial<Record<RouteName, readonly string[]>> = {
  attachments: ['origin_city', 'limit'],
  content: ['view', 'include_stego', 'include_pipeline'],
  conversations: ['starting_after', 'ending_before', 'limit'],
};

/** Error codes that section 7 lists, at the routes it lists them for. */
export const DOCUMENTED_ERRORS: Partial<Record<RouteName, readonly string[]>> = {
  token: ['observer_not_permitted'],
  conversations: ['sequence_conflict'],
};

/** Where section 4 shows the shape of a success. */
export const DOCUMENTED_ANSWERS: readonly RouteName[] = ['token', 'attachments', 'ingest'];
