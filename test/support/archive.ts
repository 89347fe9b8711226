// A sample archive in a temporary folder, inserted directly: cities, threads, redacted and withheld rows, files of many sizes.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service, ServiceResponse } from '../../src/contract/exchange.ts';
import type { Tier } from '../../src/contract/tier.ts';
import {
  createService,
  openArchive,
  type Archive,
  type ArchiveLocation,
  type ServiceOptions,
} from '../../src/service/index.ts';
import { createFaultPlan, type FaultOptions } from '../../src/service/fault-injection/index.ts';
import { higherTier } from '../../src/service/rules/tiers.ts';
import type { OwnProcess } from '../../src/world.ts';
import type { Statements, Value } from '../../src/service/store/sql/database.ts';
import { freshPlace } from './engine.ts';
import { checkedByOpenApi } from './openapi-check.ts';
import { tempFolder } from './temp-folder.ts';
import { sha256Of } from './digest.ts';

export const CITIES = ['lisbon', 'kyoto', 'oslo', 'valparaiso', 'nairobi'] as const;
export const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
export const ASSET_URL = 'http://127.0.0.1:9';

export type SampleOptions = {
  conversations?: number;
  /** Messages in each conversation; the first opens it, the others answer the one before. */
  messages?: number;
  /** Attachments in all, on messages from the first on, one each and then again. */
  attachments?: number;
  /** Every so many attachments one is redacted; 0: none. */
  redactEvery?: number;
  /** Every so many messages one belongs to tier mirror, with its attachments; 0: none. */
  mirrorEvery?: number;
  service?: Partial<ServiceOptions>;
  /** Faults that the service injects. */
  faults?: FaultOptions;
  /** Where it is made, if not where the run makes all archives. */
  place?: ArchiveLocation;
  /** What runs the long reads of SQLite. */
  startReads?: () => OwnProcess;
};

export type Sample = {
  archive: Archive;
  service: Service;
  dir: string;
  place: ArchiveLocation;
  /** Sets the clock of the archive forward by so many milliseconds. */
  advance(ms: number): void;
  /** Closes it and leaves its folder to another process. */
  leave(): Promise<void>;
  close(): Promise<void>;
};

/** Deterministic in everything but the folder's name. The clock stands still at {@link START} until it is advanced. */
export async function sampleArchive(options: SampleOptions = {}): Promise<Sample> {
  const dir = tempFolder('sample');
  let time = START;
  let serial = 0;
  const randomBytes = (count: number) => {
    serial += 1;
    return createHash('sha512').update(`sample ${serial}`).digest().subarray(0, count);
  };
  const place = options.place ?? (await freshPlace(dir));
  const archive = await openArchive({
    sleep,
    ...place,
    ...(options.startReads === undefined ? {} : { startReads: options.startReads, isServed: true }),
    now: () => time,
    randomBytes,
  });
  await archive.database.transaction((statements) => seed(statements, options));
  // Attachment n holds the bytes `file n`.
  for (let n = 1; n <= Math.min(options.attachments ?? 10, 50); n += 1) {
    await archive.blobs.put(fileHash(n), Buffer.from(`file ${n}`));
  }
  return {
    archive,
    dir,
    place,
    service: servedBy(archive, options),
    advance: (ms) => {
      time += ms;
    },
    async leave() {
      await archive.close();
      // Made elsewhere, it left nothing there.
      if (options.place !== undefined) await rm(dir, { recursive: true, force: true });
    },
    async close() {
      await archive.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Transport faults break responses; all others are checked against the OpenAPI document. */
function servedBy(archive: Archive, { service: options, faults }: SampleOptions): Service {
  const service = createService(archive, {
    assetUrl: ASSET_URL,
    version: '0.0.0-test',
    ...(faults === undefined ? {} : { faults: createFaultPlan(archive, faults) }),
    ...options,
  });
  return faults?.transport === undefined ? checkedByOpenApi(service, { most: 20 }) : service;
}

/** A token for this tier, obtained from the service. */
export async function tokenFor(service: Service, tier: Tier = 'internal'): Promise<string> {
  const body = JSON.stringify({ client_id: 'test', observer_tier: tier, requested_tier: tier });
  const response = await service({
    method: 'POST',
    target: '/api/auth/token',
    headers: [['content-type', 'application/json']],
    body: Buffer.from(body),
    peer: 'local',
  });
  return (JSON.parse(await textOf(response)) as { access_token: string }).access_token;
}

export async function textOf({ body }: ServiceResponse): Promise<string> {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export function fileHash(n: number): string {
  return sha256Of(`file ${n}`);
}

/** The stored bytes of message n in a sample. */
export function rawMessage(n: number): Buffer {
  return Buffer.from(
    [
      `Message-ID: <m${n}@sample.example>`,
      `From: Observer ${n % 7} <o${n % 7}@sample.example>`,
      `Subject: Letter ${n}`,
      `Date: ${new Date(dateOf(n)).toUTCString()}`,
      'Content-Type: text/plain; charset=utf-8',
      '',
      `This is letter ${n}.${n % 3 === 0 ? ' Read\u200bbetween\u200bthe lines.' : ''}`,
      '',
    ].join('\r\n'),
  );
}

function dateOf(n: number): number {
  return START - 1e9 + n * 60_000;
}

async function seed(
  statements: Statements,
  { conversations = 10, messages = 3, attachments = 10, redactEvery = 4, mirrorEvery = 0 }: SampleOptions,
): Promise<void> {
  const total = conversations * messages;
  const tierOf = (n: number): Tier => (mirrorEvery > 0 && n % mirrorEvery === 0 ? 'mirror' : 'external');
  const files = new Map<number, number>();
  for (let n = 1; n <= attachments; n += 1) {
    const message = total === 0 ? 0 : ((n - 1) % total) + 1;
    files.set(message, (files.get(message) ?? 0) + 1);
    const redacted = redactEvery > 0 && n % redactEvery === 0;
    await insert(statements, 'attachments', {
      n,
      message,
      part: Math.floor((n - 1) / Math.max(total, 1)),
      filename: `picture-${n}.png`,
      sha256: fileHash(n),
      bytes: `file ${n}`.length,
      declared_type: n % 3 === 0 ? 'text/plain' : 'image/png',
      detected_type: n % 2 === 0 ? 'image/png' : null,
      stored: n <= 50 ? 1 : 0,
      redacted: redacted ? 1 : 0,
      redaction: redacted ? 'sealed by the keeper' : null,
      decorative_layer: n % 5 === 0 ? 1 : 0,
      first_visible: 1,
      origin_city: n % 6 === 0 ? null : CITIES[n % CITIES.length]!,
      source: n % 2 === 0 ? 'gateway' : 'external',
      tier: tierOf(message),
      trailing_bytes: n % 5 === 0 ? 3 : 0,
      failed: n % 5 === 0 ? 16 : 0,
    });
  }
  for (let c = 1; c <= conversations; c += 1) {
    // Conversations begin in their order, and their answers arrive in rounds, so that threads interleave.
    await insert(statements, 'conversations', {
      n: c,
      subject: `Letter ${c}`,
      source: 'gateway',
      first_message: c,
      message_count: messages,
      started_ms: dateOf(c),
      last_ms: dateOf(c + (messages - 1) * conversations),
      tier: Array.from({ length: messages }, (_, round) => tierOf(c + round * conversations)).reduce(
        higherTier,
        'external' as Tier,
      ),
    });
    for (let round = 0; round < messages; round += 1) {
      const n = c + round * conversations;
      const raw = rawMessage(n);
      await insert(statements, 'messages', {
        n,
        conversation: c,
        parent: round === 0 ? null : n - conversations,
        sequence: n,
        message_key: `m${n}@sample.example`,
        date_ms: dateOf(n),
        sender: `Observer ${n % 7} <o${n % 7}@sample.example>`,
        subject: `Letter ${n}`,
        format: 'rfc822',
        source: 'gateway',
        classification: round === 0 ? 'seed_token' : 'reply',
        raw_sha256: sha256Of(raw),
        raw_bytes: raw.byteLength,
        attachments: files.get(n) ?? 0,
        tier: tierOf(n),
        path: 'sample',
        position: n,
      });
      await insert(statements, 'raws', { n, content: raw });
    }
  }
}

/** One row, by column names. */
export async function insert(
  statements: Statements,
  table: string,
  row: Record<string, Value>,
): Promise<void> {
  const columns = Object.keys(row);
  const marks = columns.map((_, index) => `$${index + 1}`).join(', ');
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`;
  await statements.run(sql, Object.values(row));
}
