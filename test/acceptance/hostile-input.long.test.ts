// Random hostile input in files: settings, tokens, frozen logs, bags.
// The first inputs of each are examples that were found or feared; `fc` shrinks a failure, which then belongs to them.
import * as fc from 'fast-check';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { openTokenStore } from '../../src/config/token-store.ts';
import { Fault, type FaultKind } from '../../src/faults.ts';
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
