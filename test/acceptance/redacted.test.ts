// What is redacted or above a tier is never sent: by no route, in no encoding, under no name.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Service } from '../../src/contract/exchange.ts';
import { TIERS, type Tier } from '../../src/contract/tier.ts';
import { createAssetService, createService, type OpenArchive } from '../../src/service/index.ts';
import { tokenFor } from '../support/archive.ts';
import { call } from '../support/call.ts';
import { arx } from '../support/command.ts';
import { bytesIn, codingsOf, holds, unbroken } from './leak.ts';
import { ASSETS, covers, openTiered, type FileRow, type Tiered } from './tiered.ts';

let tiered: Tiered;
let dir: string;
let archive: OpenArchive;
let as: Tiered['as'];
let files: Tiered['files'];

beforeAll(async () => {
  tiered = await openTiered();
  ({ dir, archive, as, files } = tiered);
});
afterAll(() => tiered.close());

describe('what is redacted never leaves', () => {
  const SECRET = Buffer.from('the gate stays shut: 7431-2290-5518, ask for Marisol at the north door\n');
  const REPLIES = [
    letter(
      'one',
      ['Content-Disposition: attachment; filename="gate.txt"', 'Content-Transfer-Encoding: base64'],
      SECRET.toString('base64'),
    ),
    // A named text that asks to be shown is part of what mail readers give as the text of the letter.
    letter('two', ['Content-Disposition: inline; filename="gate.txt"'], SECRET.toString()),
    letter(
      'three',
      ['Content-Disposition: inline; filename="note.txt"', 'Content-Transfer-Encoding: quoted-printable'],
      SECRET.toString().replaceAll('e', '=65'),
    ),
  ];
  let service: Service;
  let assets: Service;
  let first: number;

  beforeAll(async () => {
    writeFileSync(
      join(dir, 'gate.mbox'),
      REPLIES.map((text) => `From a@b Thu Jan  1 00:00:00 2026\n${text}\n`).join(''),
    );
    const { stdout } = await arx(dir, 'import gate.mbox --json');
    expect(JSON.parse(stdout)).toMatchObject({
      sources: [{ messages: { stored: 3 }, attachments: { stored: 3 } }],
    });
    first = (await files()).at(-3)!.n;
    service = createService(archive, { assetUrl: ASSETS, version: '0' });
    assets = createAssetService(archive);
  });
  beforeEach(async () => {
    expect((await arx(dir, `redact --yes att_${first} --undo`)).exit).toBe(0);
  });

  test('before it is redacted the scan finds it everywhere', async () => {
    const found = await leaks('internal', [SECRET], { since: await firstLetter() });
    expect(found).toEqual(
      expect.arrayContaining(
        [0, 1, 2].map((index) => expect.stringMatching(`^/files/att_${first + index}/internal/`)),
      ),
    );
    for (const index of [1, 2, 3])
      expect(found).toEqual(
        expect.arrayContaining([expect.stringContaining(`/api/content/${await letterOf(index)}?view=raw`)]),
      );
  });

  test('N5 redacting one row withholds the same bytes under every name, by every route, at every tier', async () => {
    const addresses = await addressesOf('mirror');
    expect(addresses.filter((path) => path.includes(`att_${first + 2}/`))).toHaveLength(1);
    const { exit, stdout } = await arx(dir, `redact --yes att_${first} --reason "opens a door" --json`);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ redacted: true, file_url: null });
    for (const tier of TIERS)
      expect(await leaks(tier, [SECRET], { more: addresses, since: await firstLetter() })).toEqual([]);
    for (const index of [1, 2, 3]) {
      const { json } = await call(service, `/api/content/${await letterOf(index)}`, {
        token: await tokenFor(service),
      });
      // The hash and the size of the message depend on the file.
      for (const name of ['raw_base64', 'sha256', 'bytes']) expect(json.data).not.toHaveProperty(name);
      expect(json.data).toMatchObject({
        withheld: [`att_${first + index - 1}`],
        text: expect.stringMatching(/^Dear keeper,/),
      });
      expect(json.data.headers).toContainEqual(['Subject', `Gate ${['one', 'two', 'three'][index - 1]}`]);
    }
  });

  test('a copy that is imported later is redacted as well', async () => {
    await arx(dir, `redact --yes att_${first}`);
    writeFileSync(
      join(dir, 'late.mbox'),
      `From a@b Thu Jan  1 00:00:00 2026\n${letter('late', ['Content-Disposition: attachment; filename="again.txt"'], SECRET.toString())}\n`,
    );
    expect((await arx(dir, 'import late.mbox')).exit).toBe(0);
    expect((await files()).at(-1)).toMatchObject({ filename: 'again.txt', redacted: 1 });
    for (const tier of TIERS) expect(await leaks(tier, [SECRET], { since: await firstLetter() })).toEqual([]);
  });

  describe('a file inside an attached message', () => {
    const NESTED = Buffer.from('under the third lamp, 0044-1187-9036, before the ferry leaves for Ostende\n');
    const inner = letter(
      'inner',
      ['Content-Disposition: attachment; filename="lamp.txt"', 'Content-Transfer-Encoding: base64'],
      NESTED.toString('base64'),
    );
    const outer = (name: string, fields: string[], body: string) =>
      [
        'From: Gate <gate@meridian.example>',
        'List-Id: <gates.meridian.example>',
        `Message-ID: <${name}@gate.example>`,
        'Content-Type: multipart/mixed; boundary="outer"',
        '',
        '--outer',
        ...fields,
        '',
        body,
        '--outer--',
        '',
      ].join('\n');
    // In this order: named, named in an encoding, without a name in an encoding, inside another named message.
    const LETTERS = [
      outer('named', ['Content-Type: message/rfc822; name="lamp.eml"'], inner),
      outer(
        'encoded',
        ['Content-Type: message/rfc822; name="lamp.eml"', 'Content-Transfer-Encoding: base64'],
        Buffer.from(inner).toString('base64'),
      ),
      outer(
        'nameless',
        ['Content-Type: message/rfc822', 'Content-Transfer-Encoding: base64'],
        Buffer.from(inner).toString('base64'),
      ),
      [
        'From: Gate <gate@meridian.example>',
        'Content-Type: message/rfc822; name="outermost.eml"',
        '',
        outer('deep', ['Content-Type: message/rfc822; name="lamp.eml"'], inner),
      ].join('\n'),
    ];
    let rows: FileRow[];
    let since: number;

    beforeAll(async () => {
      const known = (await files()).length;
      writeFileSync(
        join(dir, 'lamps.mbox'),
        LETTERS.map((text) => `From a@b Thu Jan  1 00:00:00 2026\n${text}\n`).join(''),
      );
      expect((await arx(dir, 'import lamps.mbox --tier external --json')).exit).toBe(0);
      rows = (await files()).slice(known);
      since = rows[0]!.message;
    });

    const row = (message: number, filename: string) =>
      rows.find((file) => file.message === since + message && file.filename === filename)!;
    const redactedNames = async (message: number) =>
      (await files())
        .filter((file) => file.message === since + message && file.redacted === 1)
        .map(({ filename }) => filename);

    test('is indexed, after the message that contains it', () => {
      expect(rows.map(({ message, filename }) => [message - since, filename])).toEqual([
        [0, 'lamp.eml'],
        [0, 'lamp.txt'],
        [1, 'lamp.eml'],
        [1, 'lamp.txt'],
        [2, 'lamp.txt'],
        [3, 'outermost.eml'],
        [3, 'lamp.eml'],
        [3, 'lamp.txt'],
      ]);
    });

    test('does not leave once it is redacted, and neither does what contains it', async () => {
      const addresses = (await addressesOf('mirror')).filter((path) =>
        rows.some(({ n }) => path.includes(`att_${n}/`)),
      );
      expect(addresses).toHaveLength(rows.length);
      expect(await leaks('mirror', [NESTED], { since })).not.toEqual([]);
      await arx(dir, `redact --yes att_${row(2, 'lamp.txt').n}`);
      for (const tier of TIERS) expect(await leaks(tier, [NESTED], { more: addresses, since })).toEqual([]);
      expect(await redactedNames(3)).toEqual(['outermost.eml', 'lamp.eml', 'lamp.txt']);
      await arx(dir, `redact --yes att_${row(2, 'lamp.txt').n} --undo`);
      expect(await redactedNames(3)).toEqual([]);
    });

    test('is closed with the message that contains it, and open elsewhere', async () => {
      await arx(dir, `redact --yes att_${row(3, 'outermost.eml').n}`);
      expect(await redactedNames(3)).toEqual(['outermost.eml', 'lamp.eml', 'lamp.txt']);
      expect(await redactedNames(2)).toEqual([]);
      await arx(dir, `redact --yes att_${row(3, 'outermost.eml').n} --undo`);
      expect(await redactedNames(3)).toEqual([]);
    });

    test('a message that contains a redacted file is closed when it arrives later, under any type', async () => {
      await arx(dir, `redact --yes att_${row(0, 'lamp.txt').n}`);
      const again = outer('again', ['Content-Type: application/octet-stream; name="other.bin"'], inner);
      const nested = outer(
        'late',
        ['Content-Type: message/rfc822; name="late.eml"'],
        `X-Late: yes\n${inner}`,
      );
      writeFileSync(
        join(dir, 'again.mbox'),
        [again, nested].map((text) => `From a@b Thu Jan  1 00:00:00 2026\n${text}\n`).join(''),
      );
      expect((await arx(dir, 'import again.mbox --tier external')).exit).toBe(0);
      expect((await files()).slice(-3).map(({ filename, redacted }) => [filename, redacted])).toEqual([
        ['other.bin', 1],
        ['late.eml', 1],
        ['lamp.txt', 1],
      ]);
      for (const tier of TIERS) expect(await leaks(tier, [NESTED], { since })).toEqual([]);
      await arx(dir, `redact --yes att_${row(0, 'lamp.txt').n} --undo`);
      expect((await files()).slice(-3).map(({ redacted }) => redacted)).toEqual([0, 0, 0]);
    });
  });

  test('a multipart with a file name that cannot be split does not leave as a file, as a part, or in the stored bytes', async () => {
    const HIDDEN = Buffer.from(
      'below the fourth pier, 8812-4470-1163, and knock twice before the tide turns\n',
    );
    const inside = `--lost\nContent-Disposition: attachment; filename="pier.txt"\n\n${HIDDEN.toString()}--lost--\n`;
    const box = [
      ['pier', ['Content-Type: multipart/mixed; name="pier.bin"'], inside],
      [
        'encoded',
        ['Content-Type: multipart/mixed; boundary="lost"; name="p"', 'Content-Transfer-Encoding: base64'],
        Buffer.from(inside).toString('base64'),
      ],
    ] as const;
    const known = (await files()).length;
    writeFileSync(
      join(dir, 'piers.mbox'),
      box
        .map(([name, [type, ...fields], body]) => {
          const text = letter(name, [...fields, 'Content-Disposition: inline'], body);
          return `From a@b Thu Jan  1 00:00:00 2026\n${text.replace(/Content-Type: text\/plain(?=\n(?!\n))/, type)}\n`;
        })
        .join(''),
    );
    expect((await arx(dir, 'import piers.mbox --tier external')).exit).toBe(0);
    const rows = (await files()).slice(known);
    expect(rows.map(({ filename }) => filename)).toEqual(['pier.bin', 'p']);
    const since = rows[0]!.message;
    const addresses = (await addressesOf('mirror')).filter((path) =>
      rows.some(({ n }) => path.includes(`att_${n}/`)),
    );
    expect(await leaks('mirror', [HIDDEN], { since })).not.toEqual([]);
    await arx(dir, `redact --yes att_${rows[0]!.n}`);
    expect((await files()).slice(known).map(({ redacted }) => redacted)).toEqual([1, 1]);
    for (const tier of TIERS) expect(await leaks(tier, [HIDDEN], { more: addresses, since })).toEqual([]);
    for (const command of ['read', 'content get'])
      expect((await arx(dir, `${command} msg_${since}`)).stdout).not.toContain('8812-4470');
    expect((await arx(dir, 'search 8812-4470 --json')).stdout).not.toContain('knock');
    expect((await arx(dir, 'fsck')).stdout).not.toMatch(new RegExp(`stored mail|msg_${since}\\b`));
    await arx(dir, `redact --yes att_${rows[0]!.n} --undo`);
  });

  describe('a message that is closed where it is attached, and under another type in a second one', () => {
    const KEY = Buffer.from('behind the third stone, 5521-0093-7740, and the lamp stays dark all night\n');
    const attach = (name: string, type: string, body: string) =>
      [
        `Message-ID: <${name}@stone.example>`,
        'Content-Type: multipart/mixed; boundary="' + name + '"',
        '',
        `--${name}`,
        `Content-Type: ${type}; name="${name}.bin"`,
        'Content-Transfer-Encoding: (encoded) base64',
        '',
        Buffer.from(body).toString('base64'),
        `--${name}--`,
        '',
      ].join('\n');
    const MESSAGE = 'message/rfc822 (a mail; attached)';
    const BYTES = 'application/octet-stream';
    const x = attach('key', BYTES, KEY.toString());
    const y = attach('x', BYTES, x);
    const other = attach('other', MESSAGE, attach('harmless', BYTES, 'harmless'));
    const z = attach('y', BYTES, y);
    const LETTERS = [
      attach('first', MESSAGE, x),
      attach('second', MESSAGE, y),
      attach('third', MESSAGE, z),
      attach('fourth', BYTES, x).replace(
        /--fourth--\n$/,
        other.slice(other.indexOf('--other')).replaceAll('--other', '--fourth'),
      ),
    ];
    let rows: FileRow[];
    const named = (name: string) => rows.find(({ filename }) => filename === `${name}.bin`)!;
    const open = async () =>
      (await files())
        .slice(rows[0]!.n - 1)
        .flatMap(({ redacted, filename }) => (redacted === 1 ? [] : [filename]));

    beforeAll(async () => {
      const known = (await files()).length;
      writeFileSync(
        join(dir, 'stones.mbox'),
        LETTERS.map((text) => `From a@b Thu Jan  1 00:00:00 2026\n${text}\n`).join(''),
      );
      expect((await arx(dir, 'import stones.mbox --tier external')).exit).toBe(0);
      rows = (await files()).slice(known);
    });

    test('closes what contains it there, and so on', async () => {
      expect(rows.map(({ filename }) => filename)).toEqual(
        ['first', 'key', 'second', 'x', 'third', 'y', 'fourth', 'other', 'harmless'].map(
          (name) => `${name}.bin`,
        ),
      );
      await arx(dir, `redact --yes att_${named('key').n}`);
      expect(await open()).toEqual(['other.bin', 'harmless.bin']);
      for (const tier of TIERS) expect(await leaks(tier, [KEY], { since: rows[0]!.message })).toEqual([]);
    });

    test('stays closed when another redaction of the second one is lifted', async () => {
      await arx(dir, `redact --yes att_${named('harmless').n}`);
      expect(await open()).toEqual([]);
      await arx(dir, `redact --yes att_${named('harmless').n} --undo`);
      expect(await open()).toEqual(['other.bin', 'harmless.bin']);
      await arx(dir, `redact --yes att_${named('key').n} --undo`);
      expect(await open()).toEqual(rows.map(({ filename }) => filename));
    });
  });

  test('damaged bytes, in which the file could be anywhere, give no record at all', async () => {
    await arx(dir, `redact --yes att_${first}`);
    const n = Number((await letterOf(2)).slice(4));
    const damaged = Buffer.from(REPLIES[1]!.replace('Marisol', 'Marisal'));
    await archive.database.run('UPDATE raws SET content = $1 WHERE n = $2', [damaged, n]);
    const { json } = await call(service, `/api/content/msg_${n}`, { token: await tokenFor(service) });
    expect(json).toMatchObject({ error: { code: 'message_damaged' } });
    await archive.database.run('UPDATE raws SET content = $1 WHERE n = $2', [Buffer.from(REPLIES[1]!), n]);
  });

  test('content get says so: the record is shown, --raw is partial and writes nothing', async () => {
    await arx(dir, `redact --yes att_${first}`);
    const id = await letterOf(1);
    const shown = await as('internal', `content get ${id} -o table`);
    expect(shown).toMatchObject({ exit: 0, stderr: '' });
    expect(shown.stdout).toMatch(new RegExp(`withheld.*att_${first}`));
    const raw = await as('internal', `content get ${id} --raw`);
    expect(raw).toMatchObject({ exit: 3, stdout: '' });
    expect(raw.stderr).toContain(`att_${first}`);
  });

  test('N5 nothing of the whole archive that is redacted leaves, and nothing above a tier', async () => {
    await arx(dir, `redact --yes att_${first}`);
    const addresses = await addressesOf('mirror', true);
    const raws = await archive.database.all<{ content: Uint8Array }>('SELECT content FROM raws');
    // The words of a letter stand before its first file, and some files repeat such words.
    const words = raws.map(({ content }) =>
      Buffer.from(
        Buffer.from(content)
          .toString('latin1')
          .split(/\n--.*\r?\n/)
          .slice(0, 2)
          .join(''),
        'latin1',
      ),
    );
    for (const tier of TIERS) {
      const isOpen = (file: FileRow) => file.redacted === 0 && covers(tier, file.tier);
      const open = await bytesOf((await files()).filter(isOpen));
      const hidden = await bytesOf((await files()).filter((file) => !isOpen(file)));
      const secret = [...hidden].filter(([sha256]) => !open.has(sha256)).map(([, bytes]) => bytes);
      expect(secret.length).toBeGreaterThan(6);
      const found = await leaks(tier, secret, { more: addresses, allowed: [...open.values(), ...words] });
      expect(found).toEqual([]);
    }
  });

  async function firstLetter(): Promise<number> {
    return Number((await letterOf(1)).slice(4));
  }

  async function bytesOf(rows: FileRow[]): Promise<Map<string, Buffer>> {
    const bytes = new Map<string, Buffer>();
    for (const { sha256 } of rows) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of archive.blobs.read(sha256)) chunks.push(chunk);
      bytes.set(sha256, Buffer.concat(chunks));
    }
    return bytes;
  }

  /** The id of the letter numbered from 1. */
  async function letterOf(index: number): Promise<string> {
    return `msg_${(await files()).find(({ n }) => n === first + index - 1)!.message}`;
  }

  /** The paths of all files that a reader of this tier is given; of those above and below as well, under its own name. */
  async function addressesOf(tier: Tier, forged = false): Promise<string[]> {
    const token = await tokenFor(service, tier);
    const { json } = await call(service, '/v1/attachments?limit=500', { token });
    const given = (json.data as { file_url: string | null }[]).flatMap(({ file_url }) =>
      file_url === null ? [] : [new URL(file_url).pathname],
    );
    return forged
      ? given.flatMap((path) =>
          TIERS.slice(0, -1).map((name) => path.replace(/(att_\d+)\/\w+/, `$1/${name}`)),
        )
      : given;
  }

  /**
   * Every target whose answer to this tier holds one of the payloads, in whatever coding. `more` are files to try too,
   * `since` is the first message looked at, `allowed` is what may be there.
   */
  async function leaks(
    tier: Tier,
    payloads: Buffer[],
    { more = [], since = 1, allowed = [] }: { more?: string[]; since?: number; allowed?: Buffer[] } = {},
  ): Promise<string[]> {
    const token = await tokenFor(service, tier);
    const { messages, conversations, attachments } = (await call(service, '/api/health')).json.counts;
    const range = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => from + index);
    const flags = 'include_stego=true&include_pipeline=true';
    const targets = [
      '/api/health',
      '/openapi.json',
      '/v1/attachments?limit=500',
      '/v1/conversations?limit=500',
      '/messages?limit=500',
      '/v1/messages?limit=500&opening=true',
      '/api/sequence/arc_reconstruction?limit=500',
      '/api/sequence/mirror_relay?limit=500',
      '/api/webhooks/events?limit=500',
      ...range(1, attachments).map((n) => `/v1/attachments/att_${n}`),
      ...range(1, conversations).map((n) => `/v1/conversations/conv_${n}`),
      ...range(since, messages).flatMap((n) => [
        `/api/content/msg_${n}?view=raw&${flags}`,
        `/api/content/msg_${n}?view=lore&${flags}`,
      ]),
    ];
    const harmless = unbroken(Buffer.concat(allowed).toString('latin1'));
    const codings = payloads.flatMap((payload) => codingsOf(payload, harmless));
    const found: string[] = [];
    for (const target of targets) {
      const { text } = await call(service, target, { token });
      if (holds(text, codings)) found.push(target);
    }
    for (const target of [...(await addressesOf(tier)), ...more]) {
      const { body } = await assets({ method: 'GET', target, headers: [], body: null, peer: 'x' });
      if (holds((await bytesIn(body)).toString('latin1'), codings)) found.push(target);
    }
    return found;
  }
});

/** A letter to a list with one part besides its text. */
function letter(name: string, fields: string[], body: string): string {
  return [
    'From: Gate <gate@meridian.example>',
    'List-Id: <gates.meridian.example>',
    `Message-ID: <${name}@gate.example>`,
    `Subject: Gate ${name}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Dear keeper,',
    '',
    '--b',
    'Content-Type: text/plain',
    ...fields,
    '',
    body.replace(/\n$/, ''),
    '',
    '--b--',
    '',
  ].join('\n');
}
