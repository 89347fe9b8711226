// Both engines driven with the same requests, drawn at random over all routes: every answer is the same, byte for byte.
import { fc, test as property } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAssetService } from '../../src/service/index.ts';
import { importItems } from '../../src/service/import/index.ts';
import type { ImportedMessage } from '../../src/service/records/import-items.ts';
import type { Row } from '../../src/service/store/sql/database.ts';
import { summariesOf } from '../../src/service/store/meta-table/summary.ts';
import {
  ASSET_URL,
  fileHash,
  sampleArchive,
  START,
  textOf,
  tokenFor,
  type Sample,
} from '../support/archive.ts';
import { freshUrl, noPostgres } from '../support/postgres.ts';
import { sha256Of } from '../support/digest.ts';
import { runs } from '../support/runs.ts';

const SIZE = { conversations: 9, messages: 4, attachments: 40, mirrorEvery: 7 };

type Request = {
  kind: 'request';
  method: string;
  target: string;
  body?: unknown;
  token?: number;
  headers?: [string, string][];
};
type Step = Request | { kind: 'import'; messages: ImportedMessage[] } | { kind: 'advance'; ms: number };

const id = (kind: string) =>
  fc.oneof(
    { weight: 24, arbitrary: fc.integer({ min: 1, max: 40 }).map((n) => `${kind}_${n}`) },
    fc.constantFrom(
      `${kind}_0`,
      `${kind}_999999999999999`,
      `${kind}_2147483648`,
      'evt_1',
      '',
      "' OR 1=1 --",
      '\0',
      '..',
    ),
  );
const query = (parameters: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(parameters, { requiredKeys: [] }).map((drawn) => {
    const pairs = Object.entries(drawn).map(([name, value]): [string, string] => [name, String(value)]);
    return new URLSearchParams(pairs).toString();
  });
const limit = fc.oneof(
  { weight: 24, arbitrary: fc.integer({ min: 1, max: 12 }) },
  fc.constantFrom(0, -1, 501, 1.5, ''),
);
const window = (kind: string) => ({ limit, starting_after: id(kind), ending_before: id(kind) });
const flag = fc.constantFrom('true', 'false', 'true', 'false', 'TRUE');
const word = fc.constantFrom(
  'oslo',
  'kyoto',
  'image/png',
  'text/plain',
  'gateway',
  'external',
  'é',
  '%',
  'a\0b',
  'x'.repeat(201),
);
const tier = fc.constantFrom('external', 'internal', 'mirror');
const event = fc.record({
  id: fc.integer({ min: 1, max: 25 }).map((n) => `evt_${n}`),
  type: fc.constantFrom('message.reordered', 'attachment.reclassified', 'mirror.detected', 'contact.flagged'),
  payload: fc.record(
    {
      id: fc.oneof(id('msg'), id('att')),
      entry: id('entry'),
      sequence: fc.oneof(fc.nat(80), fc.constantFrom(Number.MAX_SAFE_INTEGER, -1, 1.5)),
      source: word,
      decorative_layer: fc.boolean(),
      layer: fc.oneof(fc.constantFrom('a', '\0', '\ud800', '𝄞'), fc.string()),
      contact: fc.string({ unit: 'grapheme' }),
    },
    { requiredKeys: ['id', 'entry', 'layer'] },
  ),
});

const get = (path: fc.Arbitrary<string>, parameters: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc
    .record({
      path,
      search: query(parameters),
      method: fc.oneof({ weight: 8, arbitrary: fc.constant('GET') }, fc.constantFrom('HEAD', 'DELETE')),
    })
    .map(({ path, search, method }) => ({ method, target: search === '' ? path : `${path}?${search}` }));
const at = (start: string, of: fc.Arbitrary<string>) => of.map((name) => start + encodeURIComponent(name));

const request = fc
  .oneof(
    get(fc.constant('/v1/attachments'), {
      ...window('att'),
      origin_city: word,
      content_type: word,
      source: word,
      redacted: flag,
      message: id('msg'),
    }),
    get(fc.constant('/v1/conversations'), window('conv')),
    get(fc.constantFrom('/messages', '/v1/messages'), {
      ...window('msg'),
      conversation: id('conv'),
      opening: flag,
    }),
    get(fc.constant('/v1/search'), {
      q: fc.oneof(
        fc.constantFrom(
          'letter',
          'read OR 3',
          'é',
          '"this is"',
          '-letter',
          'oslo has:attachment',
          '*',
          'source:gateway',
        ),
        word,
      ),
      sort: fc.constantFrom('newest', 'oldest', 'x'),
      facet: fc.constantFrom('year', 'from', 'source', 'type', 'city', 'conversation'),
      count: flag,
      limit,
      starting_after: id('msg'),
    }),
    get(at('/v1/attachments/', id('att'))),
    get(at('/v1/conversations/', id('conv'))),
    get(at('/api/content/', id('msg')), {
      view: fc.constantFrom('raw', 'lore', 'x'),
      include_stego: flag,
      include_pipeline: flag,
    }),
    get(
      fc.constantFrom('/api/sequence/arc_reconstruction', '/api/sequence/mirror_relay', '/api/sequence/x'),
      { limit, starting_after: fc.oneof(id('entry'), id('evt')) },
    ),
    get(fc.constantFrom('/api/health', '/api/webhooks/events', '/nowhere'), window('evt')),
    event.map((body) => ({ method: 'POST', target: '/api/webhooks/ingest', body })),
    fc
      .record({ client_id: fc.constantFrom('c', '\0', ''), observer_tier: tier, requested_tier: tier })
      .map((body) => ({ method: 'POST', target: '/api/auth/token', body })),
    fc
      .record({
        name: fc.integer({ min: 1, max: 45 }),
        range: fc.constantFrom('bytes=0-', 'bytes=2-3', 'bytes=-2', 'bytes=99-'),
      })
      .map(({ name, range }) => ({
        method: 'GET',
        target: `file ${name}`,
        headers: [['range', range]] as [string, string][],
      })),
  )
  .chain((drawn) => fc.nat(9).map((token): Step => ({ kind: 'request', token, ...drawn })));

/** Longer than PostgreSQL indexes, which would compress what repeats itself. */
const LONG = Array.from({ length: 60 }, (_, n) => hashOf(Buffer.from([n]))).join('');
const text = fc.oneof(fc.constantFrom('a\0b', '\ud800', 'é', LONG, '𝄞'.repeat(900)), fc.string());
const key = fc.oneof(
  fc.integer({ min: 1, max: 12 }).map((n) => `m${n}@sample.example`),
  text,
);
const message = fc
  .record({
    raw: fc.uint8Array({ maxLength: 40 }),
    key,
    related: fc.array(key, { maxLength: 3 }),
    subject: text,
    file: text,
  })
  .map(({ raw, key, related, subject, file }): ImportedMessage => {
    const content = Buffer.from(file);
    return {
      kind: 'message',
      format: 'rfc822',
      path: 'drawn',
      position: 0,
      raw,
      sha256: hashOf(raw),
      key,
      related,
      parent: related.at(-1) ?? null,
      date_ms: START - 5000,
      sender: subject,
      subject,
      source: 'gateway',
      channel: null,
      tier: 'external',
      nature: 'ordinary',
      decodable: true,
      wellFormed: true,
      attachments: [
        {
          filename: file,
          declared_type: file,
          detected_type: null,
          content,
          sha256: hashOf(content),
          bytes: content.byteLength,
          inline: false,
          origin_city: null,
          redaction: null,
          absence: null,
          trailing_bytes: 0,
        },
      ],
    };
  });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: request },
  {
    weight: 2,
    arbitrary: fc
      .array(message, { minLength: 1, maxLength: 5 })
      .map((messages): Step => ({ kind: 'import', messages })),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 300_000 }).map((ms): Step => ({ kind: 'advance', ms })),
  },
);

function hashOf(bytes: Uint8Array): string {
  return sha256Of(bytes);
}

describe.skipIf(noPostgres)('SQLite and PostgreSQL', () => {
  /** The archives go on from run to run, and so do the tokens that both have issued. */
  let pair: [Sample, Sample];
  const tokens = ['wrong'];
  const files = new Map<number, string>();
  let asked = 0;
  let read = 0;

  beforeAll(async () => {
    pair = [await sampleArchive(SIZE), await sampleArchive({ ...SIZE, place: { url: await freshUrl() } })];
    for (const tier of ['external', 'internal', 'mirror', 'mirror'] as const) {
      const [token, same] = [await tokenFor(pair[0].service, tier), await tokenFor(pair[1].service, tier)];
      expect(same).toBe(token);
      tokens.push(token);
    }
  });
  afterAll(async () => {
    for (const sample of pair) await sample.close();
  });

  async function take(sample: Sample, step: Step): Promise<unknown> {
    if (step.kind === 'advance') return sample.advance(step.ms);
    if (step.kind === 'import') {
      return importItems(
        sample.archive,
        (async function* () {
          yield* step.messages;
        })(),
      );
    }
    const { method, headers = [], body, token = 0 } = step;
    const [, file] = /^file (\d+)$/.exec(step.target) ?? [];
    const target = file === undefined ? step.target : (files.get(Number(file)) ?? '/files/att_1/external/x');
    const service = file === undefined ? sample.service : createAssetService(sample.archive);
    const response = await service({
      method,
      target,
      headers: [
        ['authorization', `Bearer ${tokens[token % tokens.length]}`],
        ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
        ...headers,
      ],
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
      peer: '10.0.0.9',
    });
    const answered = (await textOf(response)).replace('"database":"postgres"', '"database":"sqlite"');
    // The engine's name is the one difference there may be.
    const length = target.startsWith('/api/health') ? '' : response.headers['content-length'];
    return { status: response.status, headers: { ...response.headers, 'content-length': length }, answered };
  }

  function learn(answer: unknown): void {
    const { status, answered = '' } = (answer ?? {}) as { status?: number; answered?: string };
    asked += 1;
    if (status !== 200 && status !== 206) return;
    read += 1;
    const [, token] = /"access_token":"([^"]+)"/.exec(answered) ?? [];
    if (token !== undefined) tokens.push(token);
    const addresses = answered.matchAll(new RegExp(`${ASSET_URL}(/files/att_(\\d+)/[^"]+)`, 'g'));
    for (const [, path = '', n] of addresses) files.set(Number(n), path);
  }

  property.prop([fc.array(step, { minLength: 20, maxLength: 60 })], {
    numRuns: runs({ quick: 5, long: 12 }),
  })('answer alike', async (steps) => {
    for (const step of steps) {
      const [one, other] = [await take(pair[0], step), await take(pair[1], step)];
      expect(other, JSON.stringify(step)).toEqual(one);
      learn(one);
    }
  });

  test('and much of what was asked was given', () => {
    expect(read).toBeGreaterThan(asked / 8);
  });

  test('have counted bit by bit what is there', async () => {
    for (const { archive } of pair) {
      // Counting pauses for as long as it took, a millisecond or two here.
      const later = { ...archive, now: () => archive.now() + 60_000 };
      const counted = await summariesOf(later);
      await archive.database.run(`DELETE FROM meta WHERE key = 'summary'`);
      expect((await summariesOf(later)).mirror).toEqual(counted.mirror);
    }
  });

  test('hold the same rows', async () => {
    const shown = (row: Row) =>
      JSON.stringify(
        Object.values(row).map((value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
        ),
      );
    const rows = async ({ archive }: Sample) => {
      const all = [];
      for (const table of [
        'messages',
        'conversations',
        'attachments',
        'events',
        'threads',
        'orphans',
        'raws',
        'tokens',
      ]) {
        const found = await archive.database.all(`SELECT * FROM ${table}`);
        all.push([table, found.map(shown).sort()]);
      }
      return all;
    };
    expect(await rows(pair[1])).toEqual(await rows(pair[0]));
    expect(await pair[1].archive.blobs.size(fileHash(1))).toBe(6);
  });
});
