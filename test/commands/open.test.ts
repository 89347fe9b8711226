// `arx open`: pages hold all that they show and nothing that runs, in a private folder; files are opened as --open does.
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { arx, type Ran } from '../support/command.ts';
import type { FakeWorldOptions } from '../support/fake-world.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { elementsOf } from '../support/well-formed.ts';

let dir: string;
let launched: string[][];
beforeEach(() => {
  dir = tempFolder('open-page');
  launched = [];
});

const env = { LANG: 'C.UTF-8', DISPLAY: ':0' };
const launch = async (program: string, args: readonly string[]): Promise<number> => {
  launched.push([program, ...args]);
  return 0;
};
const open = (line: string, options: FakeWorldOptions = {}): Promise<Ran> =>
  arx(dir, `open ${line}`, { env, launch, ...options });

const HOSTILE =
  '<script>alert(1)</script><img src="http://x/pixel.png"></html>\x1b[2J\u202e&amp; "\' </style><style>*{}';

async function imported(): Promise<void> {
  const part = (type: string, body: string): string => `--b\nContent-Type: ${type}\n\n${body}\n`;
  const html =
    '<p>page<img src="http://x/pixel.png"><script>alert(2)</script><a href="javascript:alert(3)">go</a>';
  mkdirSync(join(dir, 'mails'));
  writeFileSync(
    join(dir, 'mails', 'a.eml'),
    `From: a@x\nSubject: ${HOSTILE.replace('\x1b', '')}\nMessage-ID: <1@x>\nContent-Type: multipart/mixed; boundary=b\n\n${part('text/plain; charset=utf-8', HOSTILE)}${part('text/html', html)}${part('text/plain; name=a.sh', '#!/bin/sh')}--b--\n`,
  );
  writeFileSync(join(dir, 'mails', 'b.eml'), 'From: b@x\nSubject: Re\nIn-Reply-To: <1@x>\n\nan answer\n');
  expect(await arx(dir, 'import mails')).toMatchObject({ exit: 0 });
}

const pageOf = (): string => readFileSync(launched.at(-1)![1]!, 'utf8');

test.each(['msg_1', 'conv_1'])(
  '%s is a page that loads and runs nothing, for this user alone',
  async (id) => {
    await imported();
    expect(await open(id)).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    const path = join(dir, '.cache/arx/pages', `${id}.html`);
    expect(launched).toEqual([['xdg-open', path]]);
    expect([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
    const page = pageOf();
    const policy = elementsOf(page).find(
      ({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy',
    );
    expect(policy?.attributes['content']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page).not.toMatch(/<script|<img[^>]*http|<link|<iframe|href="(?!files)|(?!\n)\p{Cc}|\u202e/iu);
    expect(page).toContain('&lt;script&gt;alert(1)');
    expect(page.includes('an answer')).toBe(id === 'conv_1');
  },
);

test('a page is written again each time, and pages of days ago are removed', async () => {
  await imported();
  await open('msg_1');
  await open('msg_2');
  const pages = join(dir, '.cache/arx/pages');
  utimesSync(join(pages, 'msg_1.html'), 0, 0);
  await open('msg_2');
  expect(readdirSync(pages)).toEqual(['msg_2.html']);
});

test('a file is opened with the guards of --open', async () => {
  await imported();
  const refused = await open('att_1');
  expect([refused.exit, launched]).toEqual([13, []]);
  expect([(await open('att_1 --force')).exit, launched.length]).toEqual([0, 1]);
  expect((await open('msg_1 --force')).exit).toBe(2);
});

test.each([
  ['msg_9', 6],
  ['conv_9', 6],
  ['att_9', 6],
  ['msg_1 --no-input', 2],
])('%s is exit %i, and nothing is opened', async (line, exit) => {
  await imported();
  expect([(await open(line)).exit, launched]).toEqual([exit, []]);
});

test('without a display the command to read with is named', async () => {
  await imported();
  const ran = await open('msg_1', { env: { LANG: 'C.UTF-8' } });
  expect([ran.exit, ran.stderr]).toEqual([2, expect.stringContaining('hint: arx read msg_1')]);
});
