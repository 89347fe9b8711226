// Random hostile input at every door: settings, tokens, frozen logs, bags, responses of a service, text for a terminal.
// The first inputs of each are examples that were found or feared; `fc` shrinks a failure, which then belongs to them.
import * as fc from 'fast-check';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { openTokenStore } from '../../src/config/token-store.ts';
import { Fault, type FaultKind } from '../../src/faults.ts';
import {
  controlsTerminal,
  escapeBlock,
  escapeJson,
  escapeText,
  escapeValue,
} from '../../src/format/terminal/escape.ts';
import { clientWorld, TOKEN } from '../client/fixture.ts';
import { storeWorld } from '../config/store-world.ts';
import { bagOf, writeBag } from '../support/bag.ts';
import { arx } from '../support/command.ts';
import { freezeInto } from '../support/frozen-folder.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Each door is tried for this long. Enough runs are demanded below for the time limit to hide no failure to run. */
const TIME_MS = 20_000;
const limits = { numRuns: 1_000_000, interruptAfterTimeLimit: TIME_MS, markInterruptAsFailure: false };

let dir: string;
beforeAll(() => void (dir = tempFolder('hostile')));

/** Texts that readers have stumbled over. */
const nasty = fc.constantFrom(
  '',
  '\0',
  '\u{feff}',
  '\r',
  '\n',
  '\r\n',
  '../',
  '/',
  '~',
  'con',
  '__proto__',
  'constructor',
  '%2e%2e',
  '\u{202e}',
  '1e400',
  '9007199254740993',
  '-0',
  'null',
  '[]',
  '{}',
  '"',
  '\\',
  '\ud800',
  '\u{9b}2J',
  '\u{1b}[2J',
  'x'.repeat(3000),
);
const text = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 20 }));
const json = (keys: readonly string[]): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      text,
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...keys), text), tie('value'), { maxKeys: 5 }),
    ),
  })).value;

/** A change of a file: bytes overwritten, lines repeated, dropped or exchanged, or a text put in. */
type Change = { kind: 'bytes' | 'drop' | 'repeat' | 'swap' | 'insert' | 'cut'; at: number; text: string };
const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('bytes', 'drop', 'repeat', 'swap', 'insert', 'cut'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  text,
});

function changed(bytes: Buffer, { kind, at, text: put }: Change): Buffer {
  const offset = Math.floor(at * bytes.length);
  if (kind === 'cut') return bytes.subarray(0, offset);
  if (kind === 'insert' || kind === 'bytes') {
    const after = bytes.subarray(kind === 'insert' ? offset : offset + Buffer.byteLength(put));
    return Buffer.concat([bytes.subarray(0, offset), Buffer.from(put), after]);
  }
  const lines = bytes.toString('latin1').split(/(?<=\n)/);
  const line = Math.floor(at * (lines.length - 1));
  if (kind === 'drop') lines.splice(line, 1);
  else if (kind === 'repeat') lines.splice(line, 0, lines[line] ?? '');
  else if (line + 1 < lines.length) lines.splice(line, 2, lines[line + 1]!, lines[line]!);
  return Buffer.from(lines.join(''), 'latin1');
}

/** Throws what is no Fault of one of these kinds. A Fault with a control character or without words is wrong, too. */
function check(error: unknown, kinds: readonly FaultKind[]): void {
  if (!(error instanceof Fault)) throw error;
  expect(kinds).toContain(error.kind);
  expect(error.message).not.toMatch(/^$|\[object/);
}

const SETTINGS = [
  'base_url',
  'profile',
  'profiles',
  'timeout',
  'retries',
  'output',
  'proxy',
  'color',
  'data_dir',
];
const TOKENS = [
  'version',
  'tokens',
  'access_token',
  'origin',
  'profile',
  'expires_at',
  'scope',
  'access_tier',
];

test('a file of settings or tokens is read, or is a Fault, and stays as it is', async () => {
  const files = fc.record({
    name: fc.constantFrom('config.json', 'tokens.json'),
    value: json([...SETTINGS, ...TOKENS]),
    edit: fc.option(change, { nil: undefined }),
  });
  const folder = join(dir, 'config');
  mkdirSync(folder, { mode: 0o700 });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(files, async ({ name, value, edit }) => {
      runs += 1;
      const whole = Buffer.from(JSON.stringify(value) ?? 'undefined');
      const bytes = edit === undefined ? whole : changed(whole, edit);
      const path = join(folder, name);
      writeFileSync(path, bytes, { mode: 0o600 });
      try {
        const world = storeWorld();
        if (name === 'tokens.json') await openTokenStore(folder, world).list();
        else
          loadSettings(
            {},
            { env: { ARX_CONFIG_DIR: folder }, home: dir, platform: 'linux', cwd: dir },
            world,
          );
      } catch (error) {
        check(error, ['store', 'usage']);
      }
      expect(readFileSync(path).equals(bytes)).toBe(true);
      expect(({} as Record<string, unknown>)['base_url']).toBeUndefined();
      rmSync(path);
    }),
    {
      ...limits,
      examples: [
        [
          {
            name: 'config.json',
            value: { ['__proto__']: { base_url: 'https://evil.test' } },
            edit: undefined,
          },
        ],
        [{ name: 'config.json', value: { profiles: { default: null } }, edit: undefined }],
        [{ name: 'config.json', value: { timeout: 1e308, retries: '9'.repeat(400) }, edit: undefined }],
        [{ name: 'tokens.json', value: { version: 2 ** 53, tokens: [] }, edit: undefined }],
        [{ name: 'tokens.json', value: null, edit: undefined }],
      ],
    },
  );
  expect(runs).toBeGreaterThan(100);
});

/** Exit codes of a reader of damaged files; 1 is a bug. */
const EXITS_OF_DAMAGE = [0, 2, 3, 6, 8, 11, 12, 13, 14, 15];

test('a changed frozen log is found out, or says the same', async () => {
  await freezeInto(join(dir, 'log'), ['conv_1:a', 'conv_2:b', 'conv_3:c', 'conv_4:d', 'conv_5:e']);
  const names = ['windows.ndjson', 'rows.ndjson', 'walk.json'];
  const path = (name: string): string => join(dir, 'log', name);
  const kept = new Map(names.map((name) => [name, readFileSync(path(name))]));
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), change, async (name, edit) => {
      runs += 1;
      const before = kept.get(name)!;
      const bytes = changed(before, edit);
      writeFileSync(path(name), bytes);
      const ran = await arx(dir, 'conversations verify log --json');
      writeFileSync(path(name), before);
      expect(EXITS_OF_DAMAGE, ran.stderr).toContain(ran.exit);
      // A torn last line, as a kill leaves it, is told and is no damage. The description of the walk has no hash.
      const isSame = bytes.equals(before) || before.subarray(0, bytes.length).equals(bytes);
      if (name !== 'walk.json' && !isSame && bytes.includes('\n'))
        expect(ran.exit === 0 && !bytes.subarray(0, before.length).equals(before), bytes.toString()).toBe(
          false,
        );
    }),
    {
      ...limits,
      examples: [
        ['windows.ndjson', { kind: 'swap', at: 0, text: '' }],
        ['rows.ndjson', { kind: 'repeat', at: 0.5, text: '' }],
        ['rows.ndjson', { kind: 'insert', at: 1, text: '{"id":"conv_6"}\n' }],
        ['walk.json', { kind: 'cut', at: 0.5, text: '' }],
      ],
    },
  );
  expect(runs).toBeGreaterThan(100);
});

test('a changed bag is read without a bug, and a changed payload is never right', async () => {
  const files = bagOf({ tags: { 'fetch.txt': '' } });
  const names = [...files.keys()];
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), change, async (name, edit) => {
      runs += 1;
      const before = files.get(name)!;
      const bytes = changed(before, edit);
      writeBag(join(dir, 'bag'), new Map([...files, [name, bytes]]));
      const ran = await arx(dir, 'attachments verify bag --against bag --json');
      expect(EXITS_OF_DAMAGE, ran.stderr).toContain(ran.exit);
      // Nothing has the hash of a tag manifest.
      if (!bytes.equals(before) && !name.startsWith('tagmanifest'))
        expect(ran.exit, `${name}: ${bytes.toString()}`).not.toBe(0);
    }),
    {
      ...limits,
      examples: [
        ['manifest-sha256.txt', { kind: 'insert', at: 1, text: `${'0'.repeat(64)}  data/../../x\n` }],
        ['bagit.txt', { kind: 'bytes', at: 0, text: '\u{feff}BagIt' }],
        ['fetch.txt', { kind: 'insert', at: 0, text: 'https://x - data/~/x\n' }],
        ['data/hello.txt', { kind: 'bytes', at: 0, text: 'j' }],
      ],
    },
  );
  expect(runs).toBeGreaterThan(100);
});

const RESPONSE = [
  'status',
  'data',
  'id',
  'has_more',
  'redacted',
  'sha256',
  'file_url',
  'error',
  'code',
  'message',
  'rows',
  'next',
];

test('any response of a service is a reply or a Fault that shows no token', async () => {
  const bodies = fc.record({
    status: fc.constantFrom(200, 206, 204, 301, 304, 400, 401, 403, 404, 409, 429, 500, 503, 599),
    type: fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'text/html',
      '',
      'application/problem+json',
    ),
    value: json(RESPONSE),
    edit: fc.option(change, { nil: undefined }),
    retry: fc.oneof(text, fc.constant(undefined)),
  });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(bodies, async ({ status, type, value, edit, retry }) => {
      runs += 1;
      const whole = Buffer.from(JSON.stringify(value) ?? '');
      const bytes = edit === undefined ? whole : changed(whole, edit);
      const client = createClient({
        baseUrl: 'https://archive.test',
        transport: async () => ({
          status,
          headers: { 'content-type': type, ...(retry === undefined ? {} : { 'retry-after': retry }) },
          body: (async function* () {
            yield bytes;
          })(),
        }),
        bearer: async () => TOKEN,
        retries: 1,
        world: clientWorld(),
      });
      for (const call of [
        () => client.attachments(),
        () => client.conversations(),
        () => client.messages(),
        () => client.attachment('att_1'),
        () => client.content('msg_1', {}),
        () => client.health(),
      ]) {
        try {
          await call();
        } catch (error) {
          check(error, [
            'protocol',
            'network',
            'auth',
            'forbidden',
            'not_found',
            'conflict',
            'busy',
            'usage',
            'partial',
          ]);
          expect((error as Fault).message).not.toContain(TOKEN);
        }
      }
    }),
    {
      ...limits,
      examples: [
        [
          {
            status: 200,
            type: 'application/json',
            value: { data: [{ ['__proto__']: 1 }] },
            edit: undefined,
            retry: undefined,
          },
        ],
        [{ status: 401, type: 'text/html', value: TOKEN, edit: undefined, retry: undefined }],
        [
          {
            status: 503,
            type: '',
            value: { error: { code: { a: 1 }, message: [] } },
            edit: undefined,
            retry: '9'.repeat(30),
          },
        ],
        [
          {
            status: 200,
            type: 'application/json',
            value: { data: [{ id: 'a' }, { id: 'a' }, {}] },
            edit: undefined,
            retry: undefined,
          },
        ],
      ],
    },
  );
  expect(runs).toBeGreaterThan(100);
});

/** What no terminal may get: controls, marks of direction, invisible characters. */
const ACTIVE = /(?!\n)[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff]/u;

test('no text acts on a terminal, and a tab-separated value can be restored', () => {
  let runs = 0;
  const parts = fc.array(
    fc.oneof(text, fc.constantFrom('\t', '\n', '\r\n', '\\', '\\n', '\u{fe0f}', '👍', 'e\u0301')),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(parts, (given) => {
      runs += 1;
      const whole = given.join('');
      for (const shown of [
        escapeText(whole),
        escapeBlock(whole),
        escapeJson(JSON.stringify(whole)),
        escapeValue(whole),
      ])
        expect(shown).not.toMatch(ACTIVE);
      expect(escapeText(whole)).not.toContain('\n');
      expect(JSON.parse(escapeJson(JSON.stringify(whole)))).toBe(whole);
      expect(restored(escapeValue(whole))).toBe(whole);
      const bytes = Buffer.from(whole);
      if (!controlsTerminal(bytes))
        expect(bytes.toString()).not.toMatch(/(?![\n\t])(?!\r\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
    }),
    {
      ...limits,
      examples: [[['\u{9b}2J']], [['a\rb']], [['\\', 't']], [['\u{202e}gpj']], [['\ud800', '\\u{d800}']]],
    },
  );
  expect(runs).toBeGreaterThan(1000);
});

/** Reads a tab-separated value as its description in `arx help output` says. */
function restored(value: string): string {
  const SHORT: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  return value.replaceAll(/\\(?:u\{([0-9a-f]+)\}|(.))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (SHORT[letter] ?? '?') : String.fromCodePoint(parseInt(hex, 16)),
  );
}
