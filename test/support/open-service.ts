// A real `arx serve` on an open port, with the sample archive and a large file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Listening } from '../../src/contract/reports/command.ts';
import type { Victim } from './hostile-clients.ts';
import { buildProgram } from './program.ts';
import { sampleData } from './sample.ts';
import { tokenOf } from './served.ts';
import { tempFolder } from './temp-folder.ts';

export type OpenService = { victim: Victim; pid: number; headers: Record<string, string> };

/** Runs `work` beside the service, and ends the service. */
export async function withOpenService<T>(work: (service: OpenService) => Promise<T>): Promise<T> {
  const arx = buildProgram();
  const dir = tempFolder('open-service');
  await sampleData(join(dir, 'data'));
  mkdirSync(join(dir, 'files'));
  writeFileSync(join(dir, 'files/large.bin'), Buffer.alloc(16 * 1024 * 1024, 'large '));
  await arx.run(['import', 'files'], { dir });
  const running = arx.start(
    ['serve', '--host', '0.0.0.0', '--port', '0', '--json', '--max-tier', 'internal'],
    { dir },
  );
  try {
    const { pid, base_url } = JSON.parse(await running.says('stdout', /\n/)) as Listening;
    const headers = { authorization: `Bearer ${await tokenOf(base_url)}` };
    const list = await fetch(`${base_url}/v1/attachments?limit=500`, { headers });
    const { data } = (await list.json()) as { data: { filename: string; file_url: string }[] };
    const file = new URL(data.find(({ filename }) => filename === 'large.bin')!.file_url);
    const ports = { port: Number(new URL(base_url).port), filePort: Number(file.port) };
    return await work({ victim: { ...ports, file: file.pathname }, pid, headers });
  } finally {
    running.child.kill('SIGTERM');
    await running.ended;
  }
}
