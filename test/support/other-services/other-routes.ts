// Token, health, content and ingest of another archive service.
import { createHash } from 'node:crypto';
import { json, type Answer } from './answer.ts';
import type { Letter, OtherArchive } from './archive.ts';
import type { Problem } from './errors.ts';
import type { WireRow } from './record-shapes.ts';
import type { Variant } from './variant.ts';

const SCOPES: Record<string, readonly string[]> = {
  external: ['read:attachments'],
  internal: ['read:messages', 'read:attachments', 'read:sequence'],
  mirror: ['read:messages', 'read:attachments', 'read:sequence', 'read:mirror'],
};
const RANK = ['external', 'internal', 'mirror'];

/** Returns the scope that a path needs. */
export function scopeOf(path: string): string | undefined {
  if (path.startsWith('/v1/attachments')) return 'read:attachments';
  if (path.startsWith('/api/sequence/')) return 'read:sequence';
  return /^\/(v1\/)?(messages|conversations)|^\/api\/content\//.test(path) ? 'read:messages' : undefined;
}

/** Returns a token for these scopes. It holds them in hexadecimal digits, so that nothing has to be stored. */
export const tokenFor = (scopes: readonly string[]): string =>
  `other-${Buffer.from(scopes.join(' ')).toString('hex')}`;

/** Returns the scopes of a token, or undefined where this service did not issue it. */
export function scopesOf(token: string | undefined): string[] | undefined {
  const digits = /^other-((?:[0-9a-f]{2})+)$/.exec(token ?? '')?.[1];
  return digits === undefined ? undefined : Buffer.from(digits, 'hex').toString().split(' ');
}

/** Issues a token (interface 4.1). */
export function issued(body: string): Answer | Problem {
  const { client_id, observer_tier, requested_tier } = parsedObject(body) ?? {};
  if (
    typeof client_id !== 'string' ||
    typeof observer_tier !== 'string' ||
    typeof requested_tier !== 'string'
  )
    return {
      status: 400,
      code: 'incomplete',
      message: 'client_id, observer_tier and requested_tier are needed',
    };
  const scope = SCOPES[requested_tier];
  if (scope === undefined) return { status: 422, code: 'no_such_tier', message: `no tier ${requested_tier}` };
  if (RANK.indexOf(observer_tier) < RANK.indexOf(requested_tier))
    return {
      status: 403,
      code: 'observer_not_permitted',
      message: `${observer_tier} may not obtain ${requested_tier} scope`,
    };
  return json({
    access_token: tokenFor(scope),
    expires_at: '2026-01-02T09:04:05.678Z',
    scope,
    access_tier: requested_tier,
    issued_by: 'mirror',
    timeline_offset_ms: -420,
    session_drift_ms: 37,
    source_integrity: 0.91,
  });
}

/** Answers GET /api/health, whose shape the interface does not show. */
export function healthOf({ health }: Variant): Answer {
  if (health === 'text') return { status: 200, type: 'text/plain', body: 'OK' };
  if (health === 'empty') return { status: 204, type: 'text/plain', body: '' };
  return json({ status: 'up', uptime_s: 86_400 });
}

/** Answers GET /api/content/<message_id>. Returns undefined where there is no such message. */
export function contentOf(
  { raw }: Variant,
  { letters }: OtherArchive,
  id: string,
  url: URL,
): Answer | Problem | undefined {
  const letter = letters.find((one) => one.id === id);
  if (letter === undefined) return undefined;
  const view = url.searchParams.get('view') ?? 'lore';
  if (view === 'lore')
    return json({ view, data: loreOf(letter, url.searchParams.get('include_pipeline') === 'true') });
  if (view !== 'raw') return { status: 400, code: 'no_such_view', message: 'view is raw or lore' };
  if (raw === 'text/plain') return { status: 200, type: 'text/plain; charset=utf-8', body: letter.body };
  return json({ view, data: rawOf(letter, raw === 'base64') });
}

function loreOf(letter: Letter, withPipeline: boolean): WireRow {
  const pipeline = {
    provider: 'kiln',
    assets: [
      {
        asset_id: `ast_${letter.number}`,
        asset_type: 'video',
        filename: `loop-${letter.number}.mp4`,
        generation_job_id: `job_${letter.number * 7}`,
        render_variant: 'b',
      },
    ],
  };
  return {
    id: letter.id,
    glyph_trigger: `entry_${letter.number}`,
    classification: 'seed_token',
    sequence_status: 'non_linear',
    integrity: 0.72,
    origin: 'derived',
    source: 'external',
    ...(withPipeline ? { pipeline } : {}),
  };
}

function rawOf(letter: Letter, withBytes: boolean): WireRow {
  const bytes = Buffer.from(letter.body);
  return {
    id: letter.id,
    author: letter.author,
    title: letter.title,
    body: letter.body,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    ...(withBytes ? { encoding: 'base64', raw_base64: bytes.toString('base64') } : {}),
  };
}

/** Takes in an event (interface 4.6). An id that is already there is acknowledged and not stored again. */
export function accepted({ acknowledgements }: Variant, events: WireRow[], body: string): Answer | Problem {
  const event = parsedObject(body);
  const { id, type, payload } = event ?? {};
  if (typeof id !== 'string' || typeof type !== 'string' || typeof payload !== 'object' || payload === null)
    return { status: 422, code: 'envelope', message: 'an event has id, type and payload' };
  if (acknowledgements === 'not accepted')
    return json({ accepted: false, event_id: id, type, status: 'queued' });
  if (!events.some((one) => one['id'] === id)) events.push(event!);
  const acknowledgement = { accepted: true, event_id: id, type, status: 'queued' };
  if (acknowledgements === 'wrapped') return json({ data: acknowledgement }, 202);
  if (acknowledgements === 'more fields')
    return json(
      { ...acknowledgement, position: events.length, integrity: '0.9', received_at: 1_700_000_000 },
      201,
    );
  return json(acknowledgement);
}

function parsedObject(text: string): WireRow | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as WireRow)
      : undefined;
  } catch {
    return undefined;
  }
}
