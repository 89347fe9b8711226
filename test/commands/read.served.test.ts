// `arx read` prints the same of the local archive, of `arx serve`, and of a served archive in PostgreSQL.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { freshUrl, noPostgres } from '../support/postgres.ts';
import { serve, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

const part = (type: string, body: string): string => `--b\nContent-Type: ${type}\n\n${body}\n`;
const MAILS = {
  'a.eml': `From: A <a@x>\nTo: l@x\nDate: Fri, 1 Mar 2019 22:11:00 +0000\nSubject: S\nMessage-ID: <1@x>\nContent-Type: multipart/mixed; boundary=b\n\n${part('text/plain', 'first')}${part('image/png; name=a.png', 'one')}${part('text/html', '<p>then <a href="http://x/">a link</a>')}${part('image/png; name=b.png', 'two')}--b--\n`,
  'b.eml':
    'From: B <b@x>\nDate: Sat, 2 Mar 2019 02:00:00 +0000\nSubject: Re: S\nMessage-ID: <2@x>\nIn-Reply-To: <1@x>\n\n> first\n\nmine\n',
  'c.eml': `Comments: none\n\nno usual field\n`,
  'd.eml': `From: D <d@x>\nSubject: large\n\n${'a long line of text \u001b[2J\n'.repeat(220_000)}`,
};

/** `data` is the archive in the folder of the process; `env` for the client of a served one. */
type Place = { dir: string; flags: readonly string[]; served?: Served };
let places: Place[];

beforeAll(async () => {
  const flags = noPostgres ? [[]] : [[], ['--database', await freshUrl()]];
  places = [];
  for (const [index, database] of flags.entries()) {
    const dir = tempFolder(`read-${index}`);
    mkdirSync(join(dir, 'mails'));
    for (const [name, mail] of Object.entries(MAILS)) writeFileSync(join(dir, 'mails', name), mail);
    const on = database.join(' ');
    expect(await arx(dir, `import mails ${on}`)).toMatchObject({ exit: 0 });
    expect(await arx(dir, `redact --yes att_1 --reason legal ${on}`)).toMatchObject({ exit: 0 });
    if (index === 0) places.push({ dir, flags: [] });
    const served = await serve(dir, [...database, '--max-tier', 'internal']);
    const login = `login --client-id reader --observer-tier internal --requested-tier internal --base-url ${served.base_url}`;
    expect(await arx(dir, login)).toMatchObject({ exit: 0 });
    places.push({ dir, flags: ['--base-url', served.base_url], served });
  }
});
afterAll(async () => {
  for (const { served } of places) if (served !== undefined) expect(await served.close()).toBe(0);
});

test.each([
  'read msg_1',
  'read msg_1 --prefer-html',
  'read msg_1 msg_2 msg_3 --json',
  'read msg_2 --raw',
  'read msg_3',
  'read msg_4',
  'read conv_1',
  'read conv_1 --headers --lore',
  'read msg_9 msg_2',
])('arx %s', async (line) => {
  const printed = await Promise.all(
    places.map(async ({ dir, flags }) => {
      const { exit, stdout } = await arx(dir, `${line} ${flags.join(' ')}`, {
        env: { LANG: 'C.UTF-8', TZ: 'UTC' },
      });
      return { exit, stdout };
    }),
  );
  const [first, ...others] = printed;
  expect(first!.exit).toBe(line.includes('msg_9') ? 6 : 0);
  expect(first!.stdout.length).toBeGreaterThan(40);
  if (line === 'read msg_1')
    expect(first!.stdout).toMatch(
      /first\n\n\[file att_1 .*withheld \(legal\)\]\n[^]*then a link \[1\][^]*\[file att_2/,
    );
  // Compared first, because the difference of large texts takes minutes to print.
  for (const other of others)
    expect(other.stdout === first!.stdout || other.stdout.slice(0, 2000)).toBe(true);
  for (const { exit } of others) expect(exit).toBe(first!.exit);
});
