// The commands that read lists, against a service with removed rows, cut JSON and other rules: only the right rows are exit 0.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sampleArchive, tokenFor, type Sample } from '../support/archive.ts';
import { arx, recordsOf, type Ran } from '../support/command.ts';
import { serve, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

let sample: Sample;
let token: string;
let dir: string;
let served: Served;
beforeAll(async () => {
  sample = await sampleArchive({
    conversations: 120,
    messages: 1,
    attachments: 40,
    redactEvery: 0,
    mirrorEvery: 0,
  });
  token = await tokenFor(sample.service);
});
afterAll(() => sample.close());
afterEach(() => served.close());

const ask = (command: string) =>
  arx(dir, `--base-url ${served.base_url} ${command}`, { env: { ARX_TOKEN: token } });

/** What the service has, as its own log of faults says: without faults and variants. */
async function truthOf(path: string): Promise<string[]> {
  const { stdout } = await ask(`api '${path}limit=500&truth=true'`);
  return (JSON.parse(stdout) as { data: { id: string }[] }).data.map(({ id }) => id);
}

/** Commands that say they print a whole list, and the list. */
const WHOLE_LISTS = [
  ['conversations walk', '/v1/conversations?'],
  ['messages ls --walk', '/messages?'],
  ['attachments ls --all', '/v1/attachments?'],
  ['attachments pull --all', '/v1/attachments?'],
] as const;
const RECORDS = ['attachments show att_9', 'conversations show conv_9', 'content get msg_9'];

const idOf = ({ id, conversation, data }: ReturnType<typeof recordsOf>[number]): unknown =>
  id ?? conversation?.id ?? data?.id;

/**
 * A service, and the exit codes besides 0 that are true of it. Ratios are low: at a high one there are seeds with which all
 * reads of a removed row agree.
 */
const SERVICES: [flags: string, refusals: number[]][] = [
  ['--drift 0.1 --drift-faults phantom', [8]],
  ['--drift 0.1 --drift-faults stale,phantom --drift-mode collude', [8]],
  ['--drift 0.1 --drift-faults renumber', [8]],
  ['--drift 0.1 --drift-faults permute,scramble', [8]],
  ['--list-variants descending', []],
  ['--list-variants strict', [2]],
  ['--list-variants refuse-limit:25', []],
  ['--list-variants clamp-limit:25', []],
  ['--list-variants descending,strict,clamp-limit:25', [2]],
  ['--transport-faults 0.2 --transport-kinds cut-json', []],
];

test.each(SERVICES)('%s', async (flags, refusals) => {
  dir = tempFolder('variants');
  served = await serve(dir, [...flags.split(' '), '--drift-log', 'drift.ndjson'], {
    ARX_DATA_DIR: sample.dir,
  });
  const seen: [command: string, ran: Ran][] = [];
  for (const [command, path] of WHOLE_LISTS) {
    const ran = await ask(`${command} -o ndjson`);
    seen.push([command, ran]);
    const shown = recordsOf(ran).map(idOf);
    const truth = await truthOf(path);
    expect(truth.length, command).toBeGreaterThan(30);
    expect(shown, command).toEqual(ran.exit === 0 ? truth : truth.slice(0, shown.length));
  }
  for (const command of RECORDS) {
    const ran = await ask(`${command} -o ndjson`);
    seen.push([command, ran]);
    if (ran.exit === 0) expect(recordsOf(ran).map(idOf), command).toEqual([command.split(' ').at(-1)]);
    else expect(ran.stdout, command).toBe('');
  }
  const log = readFileSync(join(dir, 'drift.ndjson'), 'utf8');
  expect(/"fault":"/.test(log)).toBe(!flags.startsWith('--list-variants'));
  for (const [command, { exit, stderr }] of seen) {
    expect([0, ...refusals], `${command}: ${stderr}`).toContain(exit);
    if (exit !== 0) expect(stderr).toMatch(/^arx: /m);
  }
});
