// The headings of tables that differ from the names of the fields that their columns show.

/** Heading → fields of records, the likeliest first. Headings that are fields themselves are left out. */
export const FIELDS_OF_HEADING = new Map<string, readonly string[]>([
  ['archive', ['origin']],
  ['check', ['name']],
  ['city', ['origin_city', 'value']],
  ['client', ['client_id']],
  ['conversation', ['conversation_id']],
  ['event', ['event_id']],
  ['expires', ['effective_expires_at']],
  ['files', ['attachments']],
  ['first_message', ['first_message_id']],
  ['last', ['last_at']],
  ['message', ['message_id']],
  ['messages', ['message_count']],
  ['parent', ['parent_id']],
  ['place', ['offset']],
  ['profile', ['name']],
  ['received', ['received_at']],
  ['sender', ['value']],
  ['source', ['value']],
  ['started', ['started_at']],
  ['tier', ['access_tier']],
  ['type', ['content_type', 'value']],
  ['uptime', ['uptime_ms']],
  ['url', ['file_url']],
]);
