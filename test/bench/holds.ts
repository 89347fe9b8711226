// Clients that hold a real `arx serve`, in numbers: latencies of the others, and what the process keeps.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
  usageOf,
  type Held,
} from '../support/held-connections.ts';
import { buildProgram } from '../support/program.ts';
import { sampleData } from '../support/sample.ts';
import { tokenOf } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

type Row = Record<string, string | number>;
type Service = {
  pid: number;
  base: string;
  port: number;
  filePort: number;
  file: string;
  headers: Record<string, string>;
};

async function withService<T>(work: (service: Service) => Promise<T>): Promise<T> {
  const arx = buildProgram();
  const dir = tempFolder('bench-hold');
  await sampleData(join(dir, 'data'));
  mkdirSync(join(dir, 'files'));
  writeFileSync(join(dir, 'files/large.bin'), Buffer.alloc(16 * 1024 * 1024, 'large '));
  await arx.run(['import', 'files'], { dir });
  const running = arx.start(
    ['serve', '--port', '0', '--json', '--max-tier', 'internal', '--max-connections', '15000'],
    { dir },
  );
  try {
    const line = JSON.parse(await running.says('stdout', /\n/)) as Listening;
    const headers = { authorization: `Bearer ${await tokenOf(line.base_url)}` };
    const list = await fetch(`${line.base_url}/v1/attachments?limit=500`, { headers });
    const { data } = (await list.json()) as { data: { filename: string; file_url: string }[] };
    const file = new URL(data.find(({ filename }) => filename === 'large.bin')!.file_url);
    return await work({
      pid: line.pid,
      base: line.base_url,
      port: Number(new URL(line.base_url).port),
      filePort: Number(file.port),
      file: file.pathname,
      headers,
    });
  } finally {
    running.child.kill('SIGTERM');
    await running.ended;
  }
}

const ms = (value: number): number => Math.round(value * 10) / 10;
const mib = (bytes: number): number => Math.round(bytes / 1024 / 1024);

export async function measureHold(scale: number): Promise<Row[]> {
  return withService(async ({ pid, port, filePort, file, headers }) => {
    const slow = async (): Promise<Held[]> =>
      Promise.all([
        hold(port, Math.round(450 * scale), HEAD_DRIP),
        hold(port, Math.round(450 * scale), BODY_DRIP),
        // Each may take up to tcp_wmem of the kernel, 4 MiB, and all TCP stops where tcp_mem is used up.
        hold(filePort, Math.round(100 * scale), unread(file)),
      ]);
    const idle = async (): Promise<Held[]> => [await hold(port, Math.round(10_000 * scale), IDLE)];
    const rows: Row[] = [];
    const look = async (name: string, holders: readonly (() => Promise<Held[]>)[]) => {
      const held = (await Promise.all(holders.map((holder) => holder()))).flat();
      const open = () => held.reduce((sum, one) => sum + one.open(), 0);
      // Their coming is not what is measured; silent ones are dropped after ten seconds.
      await sleep(1_500);
      const before = open();
      const { requests, failed, p50, p99, max } = await latencies(port, '/v1/conversations?limit=20', {
        seconds: 6,
        headers,
      });
      rows.push({
        beside: name,
        held: before,
        'held at the end': open(),
        requests,
        failed,
        p50: ms(p50),
        p99: ms(p99),
        max: ms(max),
        'RSS, MiB': mib(usageOf(pid).rss),
      });
      for (const one of held) one.release();
      await sleep(1_000);
    };
    await look('nobody', []);
    await look('slow clients', [slow]);
    await look('idle connections', [idle]);
    await look('both', [slow, idle]);
    await look('nobody, again', []);
    return rows;
  });
}

export async function measureResets(count: number): Promise<Row[]> {
  return withService(async ({ pid, filePort, file }) => {
    const rows: Row[] = [];
    for (let part = 0; part <= 4; part += 1) {
      if (part > 0) await resets(filePort, file, count / 4);
      await sleep(500);
      const { rss, descriptors } = usageOf(pid);
      rows.push({ resets: (part * count) / 4, 'RSS, MiB': mib(rss), descriptors });
    }
    return rows;
  });
}

export async function measureSoak(minutes: number): Promise<Row[]> {
  return withService(async ({ pid, base, port, filePort, file, headers }) => {
    const end = performance.now() + minutes * 60_000;
    const isOver = () => performance.now() >= end;
    const counts = { events: 0, lists: 0, files: 0, guesses: 0, resets: 0, slow: 0, failed: 0 };
    const ask = async (path: string, init: RequestInit, origin = base): Promise<void> => {
      const answer = await fetch(origin + path, init).catch(() => undefined);
      if (answer === undefined || answer.status >= 500) counts.failed += 1;
      await answer?.arrayBuffer();
    };
    const each = async (
      name: keyof typeof counts,
      pause: number,
      work: () => Promise<void>,
    ): Promise<void> => {
      while (!isOver()) {
        await work();
        counts[name] += 1;
        await sleep(pause);
      }
    };
    const json = { 'content-type': 'application/json', ...headers };
    const work = [
      each('events', 2, () =>
        ask('/api/webhooks/ingest', {
          method: 'POST',
          headers: json,
          body: JSON.stringify(moved(`evt_${counts.events}`, (counts.events % 190) + 1, counts.events)),
        }),
      ),
      each('lists', 1, () => ask(`/v1/attachments?limit=${(counts.lists % 100) + 1}`, { headers })),
      each('files', 20, () => ask(file, {}, `http://127.0.0.1:${filePort}`)),
      each('guesses', 50, () => ask('/messages', { headers: { authorization: 'Bearer arx_guess' } })),
      each('resets', 50, () => resets(filePort, file, 5, 5)),
      each('slow', 500, async () => {
        const held = await Promise.all([
          hold(port, 20, HEAD_DRIP),
          hold(port, 20, BODY_DRIP),
          hold(filePort, 10, unread(file)),
          hold(port, 100, IDLE),
        ]);
        await sleep(3_000);
        for (const one of held) one.release();
      }),
    ];
    const rows: Row[] = [];
    const samples: { rss: number; descriptors: number }[] = [];
    const parts = 6;
    for (let part = 1; part <= parts; part += 1) {
      samples.length = 0;
      for (
        const until = performance.now() + (minutes * 60_000) / parts;
        performance.now() < until;
        await sleep(1_000)
      )
        samples.push(usageOf(pid));
      const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
      rows.push({
        minutes: Math.round((minutes * part * 10) / parts) / 10,
        'RSS, MiB (median)': mib(middle(samples.map(({ rss }) => rss))),
        'descriptors (median)': middle(samples.map(({ descriptors }) => descriptors)),
        ...counts,
      });
    }
    await Promise.all(work);
    return rows;
  });
}
