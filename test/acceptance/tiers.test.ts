// One archive seen from three tiers, through the commands.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TIERS, type Tier } from '../../src/contract/tier.ts';
import { createAssetService, type OpenArchive } from '../../src/service/index.ts';
import { arx, dataOf, recordsOf } from '../support/command.ts';
import { ASSETS, covers, openTiered, type Tiered } from './tiered.ts';

let tiered: Tiered;
let dir: string;
let archive: OpenArchive;
let as: Tiered['as'];
let files: Tiered['files'];

beforeAll(async () => {
  tiered = await openTiered();
  ({ dir, archive, as, files } = tiered);
  for (const tier of TIERS) {
    const login = await as(tier, `login --observer-tier ${tier} --requested-tier ${tier} --json`);
    expect(JSON.parse(login.stdout)).toMatchObject({ access_tier: tier });
  }
});
afterAll(() => tiered.close());

describe.each(TIERS)('what %s sees', (tier) => {
  test('attachments ls: a name that is withheld is no name in any form but JSON', async () => {
    const above = (await files()).filter((row) => !covers(tier, row.tier)).map(({ n }) => `att_${n}`);
    const table = await as(tier, 'attachments ls --all -o table');
    const csv = await as(tier, 'attachments ls --all -o csv');
    for (const id of above) {
      expect(table.stdout).toMatch(
        new RegExp(`^${id} +withheld \\(above your tier\\) +\\(withheld\\) `, 'm'),
      );
      expect(csv.stdout).toContain(`\n${id},withheld,,`);
    }
    expect(table.stdout.match(/\(withheld\)/g) ?? []).toHaveLength(above.length);
    for (const id of above.slice(0, 1)) {
      const cat = await as(tier, `attachments cat ${id}`);
      expect(cat.stderr).toContain(`${id} is withheld (above your tier): it has no bytes to write`);
      expect(cat.stderr).toContain('arx login asks for another');
      const open = await as(tier, `open ${id}`);
      expect(open.stderr).toContain(`${id} is withheld (above your tier): there is nothing to open`);
      expect((await as(tier, `attachments pull ${id} --to ${dir}/above-${tier} -o tsv`)).stdout).toContain(
        'above your tier',
      );
    }
    // Where no row has a name.
    for (const id of above.slice(0, 1)) {
      expect((await as(tier, `attachments show ${id} -o table`)).stdout).not.toMatch(/^(?:file)?name/m);
      expect((await as(tier, `attachments show ${id} -o csv`)).stdout).toContain(`\n${id},withheld,,`);
    }
  });

  test('attachments ls: all rows; those above are redacted and have no name, type, city or address', async () => {
    const ran = await as(tier, 'attachments ls --all --json');
    expect(ran.exit).toBe(0);
    const rows = dataOf(ran);
    const truth = await files();
    expect(rows.map(({ id }) => id)).toEqual(truth.map(({ n }) => `att_${n}`));
    for (const [index, row] of rows.entries()) {
      const { n, tier: own, redacted, filename, sha256 } = truth[index]!;
      const readable = covers(tier, own);
      expect(row['redacted']).toBe(redacted === 1 || !readable);
      expect(row['filename']).toBe(readable ? filename : `att_${n}`);
      expect(row['sha256']).toBe(readable ? sha256 : undefined);
      const address = row['redacted']
        ? null
        : expect.stringMatching(new RegExp(`^${ASSETS}/files/att_${n}/${tier}/`));
      expect(row['file_url']).toEqual(address);
      if (row['redacted']) {
        for (const name of [
          'content_type',
          'origin_city',
          'source',
          'bytes',
          'detected_type',
          'trailing_bytes',
          'integrity',
          ...(readable ? [] : ['decorative_layer', 'first_visible']),
        ])
          expect(row).not.toHaveProperty(name);
      }
    }
    const withheld = truth.filter((file) => file.redacted === 1 || !covers(tier, file.tier));
    const only = recordsOf(await as(tier, 'attachments ls --all --redacted yes -o ndjson'));
    expect(only.map(({ id }) => id)).toEqual(withheld.map(({ n }) => `att_${n}`));
    expect((await as(tier, 'attachments ls --all --strict')).exit).toBe(3);
  });

  test('messages and conversations: all rows; those above are withheld, without words and people', async () => {
    const messages = dataOf(await as(tier, 'messages ls --limit 500 --json'));
    const truth = await archive.database.all<{ n: number; tier: Tier; conversation: number }>(
      'SELECT n, tier, conversation FROM messages ORDER BY n',
    );
    expect(messages.map(({ id }) => id)).toEqual(truth.map(({ n }) => `msg_${n}`));
    for (const [index, row] of messages.entries()) {
      const readable = covers(tier, truth[index]!.tier);
      expect(row['status'] === 'withheld').toBe(!readable);
      if (readable) continue;
      expect(row).toMatchObject({ subject: null, from: null, date: null, parent_id: null });
      for (const name of ['source', 'integrity']) expect(row).not.toHaveProperty(name);
    }
    const walked = recordsOf(await as(tier, 'conversations walk -o ndjson'));
    expect(walked).toHaveLength(60);
    for (const row of walked) {
      const first = Number((row['first_message_id'] as string).slice(4));
      const own = truth.filter(({ conversation }) => `conv_${conversation}` === row['id']);
      const isWhole = own.every((message) => covers(tier, message.tier));
      expect(row['status'] === 'withheld').toBe(!isWhole);
      expect(row['subject'] === null).toBe(!covers(tier, truth[first - 1]!.tier));
      if (!isWhole) expect(row).toMatchObject({ started_at: null, last_at: null });
    }
  });

  test('content get: above the tier it is forbidden, exit 5', async () => {
    for (const [id, own] of [
      ['msg_1', 'external'],
      [await internalMessage(), 'internal'],
      [`msg_${tiered.highest[0]}`, 'mirror'],
    ] as const) {
      for (const view of ['raw', 'lore']) {
        const ran = await as(tier, `content get ${id} --view ${view} --json`);
        expect({ id, view, exit: ran.exit }).toEqual({ id, view, exit: covers(tier, own) ? 0 : 5 });
        if (ran.exit === 5) {
          expect(ran.stdout).toBe('');
          expect(ran.stderr).toContain('"code":"observer_not_permitted"');
        }
      }
    }
  });

  test('sequences: arc_reconstruction from internal on, mirror_relay for mirror alone', async () => {
    expect((await as(tier, 'sequence show arc_reconstruction')).exit).toBe(tier === 'external' ? 5 : 0);
    expect((await as(tier, 'sequence show mirror_relay')).exit).toBe(tier === 'mirror' ? 0 : 5);
    expect((await as(tier, 'events ls')).exit).toBe(tier === 'external' ? 5 : 0);
  });

  test('attachments pull: what may be read and nothing else', async () => {
    const ran = await as(tier, 'attachments pull --all --to pulled --json');
    expect(ran.exit).toBe(3);
    const report = JSON.parse(ran.stdout) as { files: { id: string; verdict: string }[] };
    const open = (await files()).filter((file) => file.redacted === 0 && covers(tier, file.tier));
    expect(report.files.filter(({ verdict }) => verdict === 'match').map(({ id }) => id)).toEqual(
      open.map(({ n }) => `att_${n}`),
    );
    expect(new Set(report.files.map(({ verdict }) => verdict))).toEqual(new Set(['match', 'withheld']));
  });
});

async function internalMessage(): Promise<string> {
  const row = await archive.database.get<{ n: number }>(
    `SELECT MIN(n) AS n FROM messages WHERE tier = 'internal'`,
  );
  return `msg_${row?.n}`;
}

test('no tier obtains a higher one', async () => {
  for (const observer of TIERS) {
    for (const requested of TIERS) {
      const line = `login --observer-tier ${observer} --requested-tier ${requested}`;
      const { exit } = await arx(dir, line);
      expect({ observer, requested, exit }).toEqual({
        observer,
        requested,
        exit: covers(observer, requested) ? 0 : 5,
      });
    }
  }
});

test('the address of a file opens it for its own tier alone', async () => {
  const assets = createAssetService(archive);
  const row = (await files()).find(({ tier, redacted }) => tier === 'mirror' && redacted === 0)!;
  const shown = JSON.parse((await as('mirror', `attachments show att_${row.n} --json`)).stdout) as {
    file_url: string;
  };
  const path = new URL(shown.file_url).pathname;
  const get = async (target: string) =>
    (await assets({ method: 'GET', target, headers: [], body: null, peer: 'x' })).status;
  expect(await get(path)).toBe(200);
  for (const tier of ['external', 'internal', 'king']) {
    expect(await get(path.replace('/mirror/', `/${tier}/`))).toBe(403);
  }
  // A lower reader's own address for another file, turned to this one.
  const other = JSON.parse((await as('external', 'attachments show att_1 --json')).stdout) as {
    file_url: string;
  };
  const turned = new URL(other.file_url).pathname;
  expect(await get(turned)).toBe(200);
  expect(await get(turned.replace('att_1/', `att_${row.n}/`))).toBe(403);
});
