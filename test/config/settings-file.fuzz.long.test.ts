// Fuzzing of settings and tokens as files: what is read has legal values and is the same when it is written and read again.
import { test } from 'vitest';
import { parseSettings, type SettingsFile } from '../../src/config/settings-file.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import { parseTokens } from '../../src/config/token-store.ts';
import { Fault } from '../../src/faults.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../support/fuzz.ts';
import { jsonOf, textChanges, type Draw } from '../support/fuzz-inputs.ts';
import { entry } from './store-world.ts';

/** Stands in every file. No message may show it. */
const SECRET = 'secret/token/7Qx2vB9n';

/** Settings of every kind. Those that failed once belong here. */
const SETTINGS: readonly unknown[] = [
  {
    base_url: 'https://archive.test/',
    timeout: 20,
    retries: '4',
    profile: 'work',
    profiles: { work: { base_url: 'http://localhost:1', timeout: 0.5 } },
  },
  {
    output: 'json',
    color: 'never',
    insecure_http: true,
    data_dir: 'x/../y',
    pager: 'less',
    proxy: 'http://u:p@proxy.test',
    profiles: {},
  },
  {
    client_id: SECRET,
    observer_tier: 'internal',
    requested_tier: SECRET,
    asset_url: 'https://files.test',
    other: [1],
  },
  { timeout: 1e308, retries: '9'.repeat(40), profiles: { default: null } },
  JSON.parse('{"__proto__":{"base_url":"https://evil.test"}}'),
];
const settings = jsonOf(SETTINGS, [
  'work',
  'default',
  'https://u@x.test',
  'file:///x',
  'true',
  'off',
  '0.1',
  '3600',
  '1e3',
  'table',
  SECRET,
  'x'.repeat(5_000),
]);
const tokens = jsonOf(
  [
    {
      version: 1,
      tokens: [entry({ access_token: SECRET }), entry({ profile: 'work', access_token: SECRET })],
    },
    { version: 1, tokens: [] },
    { version: 2, tokens: [], more: SECRET },
  ],
  [SECRET, 1, 2, 'default', '2026-01-01T00:00:00Z', 'a b', 'é'],
);
const changes = textChanges({
  corpus: ['{"version":1,"tokens":[]}', '{"profiles":{"work":{}}}'],
  tokens: ['{', '}', '[', ']', ',', ':', '"', 'null', '"__proto__":', '"profiles":', '"tokens":'],
  maxBytes: 6_000,
});
const PATH = '/home/x/.config/arx/config.json';

function bytesOf(value: unknown, draw: Draw): Buffer {
  const text = JSON.stringify(value);
  return draw.below(4) === 0 ? Buffer.from(changes(text, draw), 'latin1') : Buffer.from(text);
}

function checkFault(error: unknown): undefined {
  if (!(error instanceof Fault) || !['store', 'usage'].includes(error.kind)) throw error;
  const shown = [error.message, error.detail.hint, error.detail.kept].join('\n');
  if (error.message === '' || error.message.length > 500)
    throw new Error(`message ${JSON.stringify(error.message)}`, { cause: error });
  if (shown.includes(SECRET)) throw new Error(`the content is in ${JSON.stringify(shown)}`, { cause: error });
}

/** Returns what is read; undefined for a Fault. */
function read<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    return checkFault(error);
  }
}

/** -0 is written as 0, which is the same setting. */
const textOf = ({ values, profiles }: SettingsFile): string => JSON.stringify([values, [...profiles]]);

test('any config.json has legal settings, or is a Fault', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: (draw) => bytesOf(settings(draw), draw),
    check(bytes) {
      const file = read(() => parseSettings(bytes, PATH));
      if (Object.hasOwn(Object.prototype, 'base_url')) throw new Error('the prototype of objects is changed');
      if (file === undefined) return;
      const profiles = Object.fromEntries(file.profiles);
      const again = parseSettings(Buffer.from(JSON.stringify({ ...file.values, profiles })), PATH);
      if (textOf(again) !== textOf(file)) throw new Error('is another file when it is written again');
      const directories = {
        config: '/home/x/.config/arx',
        data: '/home/x/.local/share/arx',
        cache: '/home/x/.cache/arx',
      };
      const found = read(() => resolveSettings({ flags: {}, env: {}, cwd: '/home/x', directories, file }));
      if (found === undefined) return;
      const { timeout, retries, base_url: base, data_dir: data } = found;
      if (!(timeout.value >= 0.1 && timeout.value <= 3600)) throw new Error(`timeout ${timeout.value}`);
      if (!Number.isInteger(retries.value) || retries.value < 0 || retries.value > 10)
        throw new Error(`retries ${retries.value}`);
      if (base.value !== undefined && !/^https?:\/\/[^@]+$/.test(base.value))
        throw new Error(`base URL ${base.value}`);
      if (!data.value.startsWith('/')) throw new Error(`folder ${data.value}`);
    },
  }),
);

test('any tokens.json has whole entries, or is a Fault', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: (draw) => bytesOf(tokens(draw), draw),
    check(bytes) {
      const entries = read(() => parseTokens(bytes, PATH));
      if (entries === undefined) return;
      const again = parseTokens(Buffer.from(JSON.stringify({ version: 1, tokens: entries })), PATH);
      if (JSON.stringify(again) !== JSON.stringify(entries))
        throw new Error('is another file when it is written again');
      for (const { access_token: token, expires_at: expiry } of entries) {
        // A header must be able to hold it.
        if (!/^[\x21-\x7e]+$/.test(token)) throw new Error(`token ${JSON.stringify(token)}`);
        if (expiry !== undefined && Number.isNaN(Date.parse(expiry))) throw new Error(`date ${expiry}`);
      }
    },
  }),
);
