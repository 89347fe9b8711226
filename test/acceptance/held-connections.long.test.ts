// A real service whose connections are held: others are answered, nothing grows, and acknowledged events are kept.
import { DatabaseSync } from '@photostructure/sqlite';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Listening } from '../../src/contract/reports/command.ts';
import { moved } from '../support/event.ts';
import {
  BODY_DRIP,
  HEAD_DRIP,
  hold,
  IDLE,
  latencies,
  resets,
  unread,
  until,
  usageOf,
} from '../support/held-connections.ts';
import { tokenOf } from '../support/served.ts';
import { buildProgram, startProcess, type Program, type Running } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

let arx: Program;
let dir: string;
let running: Running | undefined;
beforeAll(async () => {
  arx = buildProgram();
  dir = tempFolder('hold');
  mkdirSync(join(dir, 'files'));
  writeFileSync(join(dir, 'files/large.bin'), Buffer.alloc(16 * 1024 * 1024, 'large '));
  expect(await arx.run(['import', 'files'], { dir })).toMatchObject({ exit: 0 });
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = undefined;
});

type Serving = Listening & { port: number; bearer: Record<string, string>; file: string; filePort: number };

async function serve(start: () => Running): Promise<Serving> {
  running = start();
  const line = JSON.parse(await running.says('stdout', /\n/)) as Listening;
  const bearer = { authorization: `Bearer ${await tokenOf(line.base_url)}` };
  const list = await fetch(`${line.base_url}/v1/attachments`, { headers: bearer });
  const { data } = (await list.json()) as { data: { file_url: string }[] };
  const file = new URL(data[0]!.file_url);
  return {
    ...line,
    bearer,
    port: Number(new URL(line.base_url).port),
    file: file.pathname,
    filePort: Number(file.port),
  };
}

const SERVE = ['serve', '--port', '0', '--json', '--max-tier', 'internal'];
const plain = () => serve(() => arx.start(SERVE, { dir }));
/** With so many file descriptors. */
const underLimit = (descriptors: number, ...flags: string[]) =>
  serve(() => {
    const limited = `ulimit -n ${descriptors}; exec "$0" "$@"`;
    return startProcess('sh', ['-c', limited, process.execPath, arx.launcher, ...SERVE, ...flags], { dir });
  });

test('Q1 Q11 beside slow and idle clients others are answered in time, and nothing is kept of those', async () => {
  const { port, filePort, file, bearer, pid } = await plain();
  const ask = () => latencies(port, '/v1/conversations?limit=20', { seconds: 2, headers: bearer });
  await ask();
  const { descriptors } = usageOf(pid);
  const held = await Promise.all([
    hold(port, 100, HEAD_DRIP),
    hold(port, 100, BODY_DRIP),
    hold(filePort, 30, unread(file)),
    hold(port, 1_000, IDLE),
  ]);
  const beside = await ask();
  expect(held.reduce((sum, { open }) => sum + open(), 0)).toBe(1_230);
  // How long they wait is measured by `npm run bench hold`.
  expect(beside).toMatchObject({ failed: 0 });
  expect(beside.requests).toBeGreaterThan(0);
  // Drips do not move the end of the time for headers.
  expect(await until(() => held[0].open() === 0)).toBe(true);
  for (const one of held) one.release();
  expect(await until(() => usageOf(pid).descriptors <= descriptors + 8)).toBe(true);
});

test('Q11 where descriptors run out it accepts again afterwards', async () => {
  const { port, bearer } = await underLimit(96, '--max-connections', '1000');
  const held = await hold(port, 300, IDLE);
  const ask = () => latencies(port, '/v1/conversations', { seconds: 0.3, clients: 1, headers: bearer });
  const full = await ask();
  expect(full.failed).toBeGreaterThan(0);
  held.release();
  expect(await until(async () => (await ask()).failed === 0)).toBe(true);
  expect(running!.child.exitCode).toBeNull();
});

test('Q11 of itself it takes no more connections than leave it descriptors to work with', async () => {
  const { port, filePort, file, bearer, base_url } = await underLimit(160);
  // Kept from before: a new one may be turned away.
  const kept = latencies(port, '/v1/conversations', { seconds: 3, clients: 1, headers: bearer });
  const held = await hold(port, 300, IDLE);
  expect(await until(() => held.open() < 100)).toBe(true);
  expect((await fetch(`http://127.0.0.1:${filePort}${file}`)).status).toBe(200);
  expect(await kept).toMatchObject({ failed: 0 });
  held.release();
  expect(
    await until(() =>
      fetch(`${base_url}/api/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
  ).toBe(true);
});

test('Q12 clients that reset in the middle of a file leave nothing', async () => {
  const { filePort, file, pid } = await plain();
  const { descriptors } = usageOf(pid);
  const turn = async () => {
    await resets(filePort, file, 300);
    // What is closed late is closed by chance.
    expect(await until(() => usageOf(pid).descriptors <= descriptors + 30, 3)).toBe(true);
    return usageOf(pid);
  };
  await turn();
  const warm = await turn();
  await turn();
  const later = await turn();
  expect(later.rss - warm.rss).toBeLessThan(48 * 1024 * 1024);
  expect(later.descriptors).toBeLessThan(descriptors + 30);
});

test('R1 SIGTERM under load: an end within ten seconds, and every event it acknowledged is kept', async () => {
  const serving = await plain();
  const acknowledged: string[] = [];
  let sent = 0;
  const ending = new AbortController();
  const worker = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      sent += 1;
      const event = moved(`evt_${sent}`, 1, sent);
      const answer = await fetch(`${serving.base_url}/api/webhooks/ingest`, {
        method: 'POST',
        headers: { ...serving.bearer, 'content-type': 'application/json' },
        body: JSON.stringify(event),
      })
        .then(async (response) => (await response.text(), response.status))
        .catch(() => 0);
      if (answer === 200) acknowledged.push(event.id);
      else if (answer === 0) return;
    }
  };
  const workers = Array.from({ length: 8 }, worker);
  expect(await until(() => acknowledged.length > 100)).toBe(true);
  running!.child.kill('SIGTERM');
  expect(await running!.ended).toMatchObject({ exit: 0, signal: null, stderr: '' });
  ending.abort();
  await Promise.all(workers);
  const handle = new DatabaseSync(join(dir, 'data/archive.db'), { readOnly: true });
  const kept = new Set(
    handle
      .prepare('SELECT id FROM events')
      .all()
      .map(({ id }) => id),
  );
  handle.close();
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
});

test('R2 a second process that would write the same folder is refused in one line, one that only reads is not', async () => {
  await plain();
  const second = await arx.run(['serve', '--port', '0'], { dir });
  expect(second).toMatchObject({ exit: 15, stdout: '' });
  expect(second.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  expect(second.stderr).toContain(`serve.lock is held by process ${running!.pid}`);
  const reading = arx.start(['serve', '--port', '0', '--read-only', '--json'], { dir });
  await reading.says('stdout', /\n/);
  reading.child.kill('SIGTERM');
  expect((await reading.ended).exit).toBe(0);
  // Killed, it leaves no lock that would hold.
  running!.child.kill('SIGKILL');
  await running!.ended;
  await plain();
});
