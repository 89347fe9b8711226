// `arx explore` on a remote archive whose answers are held back: keys always work, and what is left is no longer asked for.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { serveCatalogue, type ForeignFile } from '../support/catalogue-server.ts';
import { arx } from '../support/command.ts';
import { startExplorer } from '../support/explorer-terminal.ts';
import { holdingProxy, type HoldingProxy } from '../support/holding-proxy.ts';
import { always, answer, misbehave } from '../support/misbehaving-server.ts';
import { sampleData } from '../support/sample.ts';
import { serve, tokenOf, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
let served: Served;
let token: string;
let proxy: HoldingProxy;
beforeAll(async () => {
  dir = tempFolder('explore-remote');
  await sampleData(join(dir, 'data'));
  served = await serve(dir);
  token = await tokenOf(served.base_url, served.owner);
});
afterAll(() => served.close());
beforeEach(async () => void (proxy = await holdingProxy(served.base_url)));
afterEach(() => proxy.close());

const start = (line = '') =>
  startExplorer(dir, `${line} --base-url ${proxy.url}`, { env: { LANG: 'C.UTF-8', ARX_TOKEN: token } });

test('every place has a placeholder, and keys work while nothing answers', async () => {
  const explorer = start();
  await explorer.shows(/reading …/);
  await proxy.holds(/^\/api\/health/);
  explorer.type('?');
  await explorer.shows(/compare the bytes of the file/);
  explorer.type('q');
  await explorer.shows(/reading …/);
  explorer.type('f');
  await explorer.shows(/› files[^]*reading …/);
  await proxy.holds(/^\/v1\/attachments/);
  explorer.type('sharbour');
  await explorer.shows(/search: harbour/);
  explorer.type('\r');
  await explorer.shows(/› search: harbour[^]*reading …/);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
  await proxy.isQuiet();
});

test('leaving a screen ends its request; coming back sends it again', async () => {
  const explorer = start();
  await proxy.release(/^\/api\/health/);
  await explorer.shows(/> Conversations +60/);
  const catalogue = await proxy.holds(/^\/v1\/attachments/);
  explorer.type('\r');
  await catalogue.closed;
  const list = await proxy.holds(/^\/v1\/conversations/);
  explorer.type('q');
  await list.closed;
  await proxy.release(/^\/v1\/attachments/);
  await explorer.shows(/Files by type/);
  await proxy.isQuiet();
  explorer.type('q');
  expect(await explorer.ended).toBe(0);
});

test('what was read leaves nothing behind on the run', async () => {
  const explorer = start('conv_9');
  proxy.letThrough();
  await explorer.shows(/Wanjiru Kamau/);
  const before = explorer.listeners();
  for (let place = 0; place < 3; place += 1) {
    explorer.type('\r');
    await explorer.shows(/From: /);
    explorer.type('q');
    await explorer.shows(/Wanjiru Kamau/);
  }
  expect(explorer.listeners()).toBeLessThanOrEqual(before);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test('nothing but the explorer writes on its screen: no progress, and diagnostics wait for its end', async () => {
  const explorer = start('conv_9 -v');
  proxy.letThrough();
  await explorer.shows(/Tomás Rojas/);
  const before = explorer.stderr();
  proxy.hold();
  explorer.type('\r');
  await proxy.holds(/^\/api\/content\//);
  explorer.pass(5000);
  proxy.letThrough();
  await explorer.shows(/From: /);
  explorer.pass(5000);
  expect(explorer.stderr()).toBe(before);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
  expect(explorer.stderr()).toMatch(/^arx: GET .*\/api\/content\//m);
  expect(explorer.stderr()).not.toContain('waiting for');
});

test('a download shows files and bytes while it runs, and its notice at its end', async () => {
  let finish = (): void => {};
  let held: NonNullable<ForeignFile['script']> = () => {};
  const isAsked = new Promise<void>((resolve) => {
    held = (socket) => {
      socket.write('HTTP/1.1 200 X\r\ncontent-length: 5\r\n\r\nwo');
      finish = () => void socket.write('rld');
      resolve();
    };
  });
  const row = { bytes: 5 };
  const server = await serveCatalogue([
    { content: 'hello', row },
    { content: 'world', row, script: held },
  ]);
  const explorer = startExplorer(dir, `--base-url ${server.url}`, {
    env: { LANG: 'C.UTF-8', ARX_TOKEN: 'arx_some.token' },
  });
  await explorer.shows(/> Conversations/);
  explorer.type('f');
  await explorer.shows(/> available/);
  explorer.type('/file\rPpulled\r');
  await explorer.shows(/^ arx attachments pull --to pulled att_1 att_2 …/m);
  await isAsked;
  explorer.pass(600);
  await explorer.shows(/[01] of 2 files .* \d B of 10 B/);
  finish();
  await explorer.shows(/done: arx attachments pull --to pulled/);
  explorer.type('!');
  expect(await explorer.shows(/fixity ok/)).not.toContain('"progress"');
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
  await server.close();
});

test('a thread, then a message, each shown as soon as its answers are there', async () => {
  const explorer = start('conv_9');
  await proxy.release(/^\/v1\/conversations\/conv_9/);
  await explorer.shows(/› conv_9 \S[^]*reading … 6 messages/);
  await proxy.release(/^\/messages/);
  // The messages are there before the service is asked once more whether they are all.
  await explorer.shows(/Tomás Rojas[^]*1 of 6, 6 read {2}reading … comparing more answers/);
  proxy.letThrough();
  await explorer.shows(/Tomás Rojas[^]*Wanjiru Kamau/);
  proxy.hold();
  explorer.type('jj\r');
  await explorer.shows(/› msg_\d+[^]*reading …/);
  const content = await proxy.holds(/^\/api\/content\//);
  // The next message is wanted instead of this one.
  explorer.type('K');
  await content.closed;
  proxy.letThrough();
  await explorer.shows(/From: Edie Marsh/);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test('an answer that is an error is said, and r asks again', async () => {
  const explorer = start('conv_9');
  proxy.letThrough();
  await explorer.shows(/Tomás Rojas/);
  proxy.hold();
  explorer.type('\r');
  await proxy.refuse(/^\/api\/content\//, 403);
  await explorer.shows(/\[forbidden\]/);
  proxy.letThrough();
  explorer.type('r');
  await explorer.shows(/From: /);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test('a token that is revoked again and again is renewed, and one that another run stored is taken', async () => {
  const line = `--base-url ${served.base_url}`;
  const login = () => arx(dir, `login ${line} --client-id explorer --observer-tier external`);
  const revoke = () => arx(dir, 'tokens revoke --client-id explorer --yes');
  expect(await login()).toMatchObject({ exit: 0 });
  const explorer = startExplorer(dir, line, { env: { LANG: 'C.UTF-8' } });
  await explorer.shows(/> Conversations +60/);
  for (const times of ['once', 'twice', 'three times']) {
    expect(await revoke(), times).toMatchObject({ exit: 0 });
    explorer.type('f');
    await explorer.shows(/› files[^]*STATE[^]*lisbon/);
    explorer.type('q');
    await explorer.shows(/> Conversations/);
  }
  expect(await revoke()).toMatchObject({ exit: 0 });
  expect(await login()).toMatchObject({ exit: 0 });
  const logins = (await arx(dir, 'tokens ls --json')).stdout;
  explorer.type('\r');
  await explorer.shows(/1 of 60/);
  expect((await arx(dir, 'tokens ls --json')).stdout).toBe(logins);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test('without a token it is refused before the screen is taken', async () => {
  const explorer = startExplorer(dir, `--base-url ${proxy.url}`, { env: { LANG: 'C.UTF-8' } });
  expect(await explorer.ended).toBe(4);
  expect(explorer.stderr()).toMatch(/no token for .*exit 4.*\n.*hint: arx login/);
  expect(explorer.sent()).toBe('');
});

test('an id that cannot be read is refused before the screen is taken', async () => {
  const explorer = start('msg_1');
  await proxy.refuse(/^\/api\/content\//, 403);
  expect(await explorer.ended).toBe(5);
  expect(explorer.stderr()).toContain('[forbidden, exit 5]');
  expect(explorer.sent()).toBe('');
});

test('a service that reports drift: rows may be missing', async () => {
  const list = { status: 'stable', data: [{ id: 'conv_1', sequence: 1, subject: 'One' }], has_more: false };
  const server = await misbehave(always(answer(200, JSON.stringify({ ...list, drift_ratio: 0.25 }))));
  const explorer = startExplorer(dir, `--base-url ${server.url}`, {
    env: { LANG: 'C.UTF-8', ARX_TOKEN: 'arx_some.token' },
  });
  await explorer.shows(/> Conversations/);
  explorer.type('\r');
  await explorer.shows(
    /One[^]*! the service reports drift: rows may be missing; Y copies the command that lists all/,
  );
  explorer.type('Y');
  await explorer.shows(/ arx .*conversations ls --all {2}\(sent to the clipboard/);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
  await server.close();
});
