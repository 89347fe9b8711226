// I8: an archive with random bytes in its database file. It is refused, or each answer is sound, an error, or a row that fsck names.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { checkArchive } from '../../src/service/fsck/check-archive.ts';
import {
  ArchiveUnreadable,
  createAssetService,
  createService,
  openArchive,
  type OpenArchive,
} from '../../src/service/index.ts';
import { openHashPool } from '../../src/verify/hash-pool.ts';
import { textOf } from '../support/archive.ts';
import { call } from '../support/call.ts';
import { sha256Of } from '../support/digest.ts';
import { randomFrom } from '../support/random.ts';
import { runs } from '../support/runs.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NOW = Date.UTC(2026, 10, 24, 12);
const LOGIN = '/api/auth/token';
const WISH = { client_id: 'test', observer_tier: 'internal', requested_tier: 'internal' };
const FILES = '/v1/attachments?limit=100';
const TARGETS = [
  FILES,
  '/v1/conversations?limit=100',
  '/v1/messages?limit=100',
  '/v1/messages?limit=100&starting_after=msg_100',
  '/v1/search?q=glass',
  '/api/webhooks/events',
  ...Array.from({ length: 200 }, (_, index) => `/api/content/msg_${index + 1}`),
];
const FOREIGN = 'it is damaged, foreign or not permitted';
const READ_DIFFERENTLY = /^(?:content type is read|name decodes) differently now$/;
/** 403: the hash in the row is another one, so that the address does not fit it. 404: the row cannot be found by its number. */
const REFUSED = /^(?:500 (?:message|asset|storage)_damaged|403 asset_forbidden|404 not_found)$/;

const dir = join(tempFolder('damaged-database'), 'archive');
const database = join(dir, 'archive.db');
let bytes: Buffer;
let sound: ReadonlyMap<string, string>;
let addresses: readonly string[] = [];

beforeAll(async () => {
  const made = join(tempFolder('sound-database'), 'archive');
  await sampleData(made);
  cpSync(made, dir, { recursive: true });
  bytes = readFileSync(database);
  const archive = await open();
  sound = await answers(archive);
  await archive.close();
});

const open = (): Promise<OpenArchive> =>
  openArchive({
    dir,
    now: () => NOW,
    randomBytes: (count) => Buffer.alloc(count, 7),
    sleep: async () => {},
  });

/** Returns what each address answers: the body, or the status and code of an error. Fails where bytes have not the hash beside them. */
async function answers(archive: OpenArchive): Promise<Map<string, string>> {
  const service = createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0.0.0-test' });
  const found = new Map<string, string>();
  const login = await call(service, LOGIN, { body: WISH });
  found.set(LOGIN, login.status < 400 ? 'logged in' : `${login.status} ${login.json.error.code}`);
  const token: unknown = login.json.access_token;
  for (const target of typeof token === 'string' ? TARGETS : []) {
    const { status, text, json } = await call(service, target, { token: token as string });
    found.set(target, status < 400 ? text : `${status} ${json.error.code}`);
    const { raw_base64: raw, sha256, bytes: size } = json.data ?? {};
    if (raw === undefined) continue;
    const content = Buffer.from(raw, 'base64');
    expect([sha256Of(content), content.length]).toEqual([sha256, size]);
  }
  if (addresses.length === 0)
    addresses = [...found.get(FILES)!.matchAll(/"file_url":"([^"]+)"/g)].map(([, url]) => url!);
  const assets = createAssetService(archive, {});
  for (const address of addresses) {
    const target = new URL(address).pathname;
    const response = await assets({ method: 'GET', target, headers: [], body: null, peer: 'local' });
    const { status, headers } = response;
    if (status >= 400) found.set(address, `${status} ${JSON.parse(await textOf(response)).error.code}`);
    else {
      expect(`"${sha256Of(response.body as Uint8Array)}"`).toBe(headers['etag']);
      found.set(address, JSON.stringify(headers));
    }
  }
  return found;
}

const { signal } = new AbortController();
const check = (archive: OpenArchive) =>
  checkArchive(archive, {
    async hash(folder, paths) {
      const pool = openHashPool(folder, { algorithms: ['sha256'], signal, thread: undefined });
      pool.add(paths);
      return pool.finish();
    },
    signal,
    progress: () => {},
  });

/** Writes the database with 1 to 64 random bytes, which follow from the seed. */
function damage(seed: number): void {
  const random = randomFrom(`damage ${seed}`);
  const copy = Buffer.from(bytes);
  for (let left = 1 + Math.floor(random() * 64); left > 0; left -= 1)
    copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256);
  for (const end of ['-wal', '-shm']) rmSync(database + end, { force: true });
  writeFileSync(database, copy);
}

/** Those that failed once, each by another cause. The bytes that a seed changes depend on the sample and the schema. */
const KEPT = [7, 10, 27, 29, 178, 273, 345, 410, 835, 890];
const SEEDS = Array.from({ length: runs({ quick: 4, long: 25 }) }, (_, index) => index);

test.each([...new Set([...KEPT, ...SEEDS])])(
  'I8 no wrong bytes leave, and fsck names every wrong row: seed %i',
  async (seed) => {
    damage(seed);
    const archive = await open().catch((error: unknown) => error);
    if (archive instanceof Error) {
      expect(archive).toBeInstanceOf(ArchiveUnreadable);
      // Where a table has other columns, the file could be that of another program.
      if (!(archive as ArchiveUnreadable).isDamaged) expect(archive).toMatchObject({ why: FOREIGN });
      return;
    }
    try {
      const found = await answers(archive as OpenArchive);
      const other = [...found].filter(([target, text]) => text !== sound.get(target));
      const wrong = other.filter(([, text]) => !REFUSED.test(text));
      for (const [target, text] of wrong) {
        expect(text, target).not.toMatch(/^\d{3} /);
        // What a mail shows of itself is read from its checked bytes, so only what stands around it can be wrong.
        if (target.startsWith('/api/content/'))
          expect(ownPart(text), target).toEqual(closedAs(text, ownPart(sound.get(target)!)));
      }
      const { verdict, findings } = await check(archive as OpenArchive);
      if (other.length === 0) return;
      // Another version may have found another type in the bytes of a file, so that is only a notice.
      const isNamed = verdict === 'damaged' || findings.some(({ problem }) => READ_DIFFERENTLY.test(problem));
      expect(isNamed, other.map(([target]) => target).join(' ')).toBe(true);
    } finally {
      await (archive as OpenArchive).close();
    }
  },
);

/** Where the row of a withheld file names no part of the mail, any part could be that file, and no text is sent. */
function closedAs(text: string, own: object): object {
  const { withheld, text: words, html } = JSON.parse(text).data;
  const isClosed = withheld?.length > 0 && words === null && html === null;
  return isClosed ? { ...own, words, html } : own;
}

function ownPart(text: string): object {
  const { date, subject, from, headers, text: words, html } = JSON.parse(text).data;
  return { date, subject, from, headers, words, html };
}
