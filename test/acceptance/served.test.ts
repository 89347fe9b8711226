// A command prints the same of a local archive and of that archive through `arx serve`, byte for byte.
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Of } from '../support/digest.ts';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { serve, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

const EVENT = `'{"id":"msg_7","entry":"entry_7","sequence":30}'`;
/** In this order, for some change the archive. */
const COMMANDS = [
  'attachments ls',
  'attachments ls --city lisbon',
  'attachments ls --limit 7 --after att_3',
  'attachments ls --limit 7 --before att_30',
  'attachments ls --all',
  'attachments ls --all --redacted yes',
  'attachments ls --redacted no --type image/png',
  'attachments ls --source external',
  'attachments ls --message msg_1',
  'attachments ls --strict',
  'attachments ls --limit 0',
  'attachments ls --after att_30 --before att_3',
  'attachments ls --after conv_1',
  'attachments show att_1',
  'attachments show att_5',
  'attachments show att_999',
  'content get msg_1',
  'content get msg_1 --view raw --pipeline --stego',
  'content get msg_14 --view raw',
  'content get msg_3 --view lore --pipeline --stego',
  'content get msg_1 --raw',
  'content get msg_14 --raw',
  'content get msg_999',
  'read msg_1',
  'read msg_1 --lore --headers',
  'read msg_14',
  'read msg_14 --prefer-html',
  'read conv_1',
  'read msg_999 msg_2',
  'content diff msg_1 msg_2',
  'content diff msg_1 msg_14 --headers',
  'content diff msg_1',
  'messages show msg_2',
  'messages show msg_2 --around 2',
  'messages show msg_30 --around 2 --in archive',
  'conversations ls',
  'conversations ls --limit 3 --after conv_5',
  'conversations ls --limit 3 --before conv_5',
  'conversations ls --after conv_99999',
  'conversations show conv_1',
  'conversations walk',
  'conversations walk --limit 7 --cross-check full',
  'conversations walk --after conv_10 --before conv_40',
  'messages ls',
  'messages ls --conversation conv_1',
  'messages ls --opening --limit 30',
  'messages ls --walk --limit 20',
  'messages ls --walk --conversation conv_1',
  'sequence show arc_reconstruction',
  'sequence show arc_reconstruction --all',
  'sequence show mirror_relay',
  `events send message.reordered --id evt_1 --payload ${EVENT}`,
  `events send message.reordered --id evt_1 --payload ${EVENT}`,
  `events send message.reordered --id evt_1 --payload '{"id":"msg_7","entry":"entry_7","sequence":31}'`,
  `events send contact.flagged --id evt_2 --payload '{}'`,
  `events send mirror.detected --id evt_3 --payload '{"layer":"outer"}'`,
  'events ls',
  'sequence show arc_reconstruction --limit 40',
  'messages ls --limit 40',
  'health',
  'about api',
  'api /api/health',
  'api /v1/attachments?limit=3',
  'api /api/content/msg_14',
  'api /openapi.json',
  'api /nowhere',
];
const FORMS = ['', '-o table', '-o json', '-o ndjson'];

let scratch: string;
let served: Served;

beforeAll(async () => {
  scratch = tempFolder('served');
  const first = join(scratch, 'embedded');
  await sampleData(join(first, 'data'));
  // The key that signs the addresses of files is part of an archive from its first listing on.
  expect(await arx(first, 'attachments ls')).toMatchObject({ exit: 0 });
  cpSync(join(first, 'data'), join(scratch, 'served', 'data'), { recursive: true });
  served = await serve(join(scratch, 'served'), [
    '--asset-url',
    'http://127.0.0.1:4748',
    '--max-tier',
    'internal',
  ]);
  const login = '--client-id acceptance --observer-tier internal --requested-tier internal';
  expect(await arx(join(scratch, 'client'), `login ${login} --base-url ${served.base_url}`)).toMatchObject({
    exit: 0,
  });
});
afterAll(async () => {
  expect(await served.close()).toBe(0);
});

/** Without a token, a port says what everybody may know, and this process all: integrity differs. */
const WITHOUT_TOKEN = new Set(['health', 'api /api/health', 'api /nowhere']);
const withoutReader = (text: string) => text.replaceAll(/(integrity"?:?\s+|integrity":)[\d.]+/g, '$1');

/** Requests have ids of their own. Which read comes first depends on the transport, and with it how many a walk needs. */
const withoutNumbers = (text: string) =>
  text
    .replaceAll(/"requests":\d+|\d+ requests/g, 'REQUESTS')
    .replaceAll(/"?confidence"?:? ?[\d.]+/g, 'CONFIDENCE')
    .replaceAll(/req_[0-9a-f]{24}/g, 'req_');

/** Only the local archive is asked how many rows a list has; over a port it would cost a request. */
const withoutTotal = (text: string) =>
  text
    .replace(/^(\d+) of [\d,]+ rows/m, (_, rows: string) => (rows === '1' ? '1 row' : `${rows} rows`))
    .replace(/"total":\d+,/, '');

describe.each(FORMS)('with %j', (form) => {
  test.each(COMMANDS)('arx %s', async (line) => {
    // The local archive shows the addresses of files only where a server of them is named.
    const env = { LANG: 'C.UTF-8', ARX_ASSET_URL: 'http://127.0.0.1:4748' };
    const here = await arx(join(scratch, 'embedded'), `${line} ${form}`, { env });
    const there = await arx(join(scratch, 'client'), `${line} ${form} --base-url ${served.base_url}`);
    const isTokenless = WITHOUT_TOKEN.has(line);
    const tame = (text: string) => (isTokenless ? withoutReader(withoutNumbers(text)) : withoutNumbers(text));
    expect(tame(withoutTotal(there.stdout))).toBe(tame(withoutTotal(here.stdout)));
    if (!isTokenless && !/\bwalk\b/.test(line))
      expect(withoutTotal(there.bytes.toString('latin1'))).toBe(withoutTotal(here.bytes.toString('latin1')));
    expect(there.exit).toBe(here.exit);
    // A command to go on with names the service.
    const said = there.stderr.replaceAll(` --base-url ${served.base_url}`, '');
    expect(tame(withoutTotal(said))).toBe(tame(withoutTotal(here.stderr)));
    expect(here.exit === 0 ? here.stdout.length : here.stderr.length).toBeGreaterThan(5);
    expect(here.exit).not.toBe(1);
    if (line.startsWith('events send')) await expectQueueToEmpty();
  });
});

/** A served archive may apply queued events after their acknowledgement. Asks until none is queued, at most 500 times. */
async function expectQueueToEmpty(): Promise<void> {
  const ask = () =>
    arx(join(scratch, 'client'), `events ls --effect queued --json --base-url ${served.base_url}`);
  let queued = 1;
  for (let asked = 0; queued > 0 && asked < 500; asked++) {
    queued = (JSON.parse((await ask()).stdout) as { data: unknown[] }).data.length;
  }
  expect(queued).toBe(0);
}

test('files pulled from a served archive are those of the local one', async () => {
  const own = await serve(join(scratch, 'served'), ['--max-tier', 'internal']);
  try {
    const dir = join(scratch, 'puller');
    mkdirSync(dir);
    const base = `--base-url ${own.base_url}`;
    await arx(dir, `login --client-id a --observer-tier internal --requested-tier internal ${base}`);
    const far = await arx(dir, `attachments pull --all --to far ${base} --json`);
    const near = await arx(join(scratch, 'embedded'), 'attachments pull --all --to near --json');
    expect(far.exit).toBe(3);
    expect(far.stdout).toBe(near.stdout);
    expect(hashes(join(dir, 'far'))).toEqual(hashes(join(scratch, 'embedded', 'near')));
    expect(hashes(join(dir, 'far')).length).toBeGreaterThan(40);
  } finally {
    expect(await own.close()).toBe(0);
  }
});

function hashes(dir: string): string[] {
  return readdirSync(dir)
    .sort()
    .map((name) => `${sha256Of(readFileSync(join(dir, name)))} ${name}`);
}
