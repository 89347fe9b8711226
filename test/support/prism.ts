// Prism, an independent proxy that checks requests and answers against an OpenAPI document.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOpenApi } from '../../src/contract/openapi.ts';
import { freePort } from './cluster.ts';
import { startProcess } from './program.ts';
import { tempFolder } from './temp-folder.ts';

/** The words that start it, set by those who installed it: it needs a newer Node than ours. */
const WORDS = process.env['ARX_TEST_PRISM']?.split(' ') ?? [];
export const noPrism = WORDS.length === 0;

export type Prism = { url: string; close(): Promise<void> };

/** Stands before the service at this address until it is closed. */
export async function startPrism(upstream: string): Promise<Prism> {
  const dir = tempFolder('prism');
  const document = join(dir, 'openapi.json');
  writeFileSync(document, JSON.stringify(buildOpenApi('0')));
  const port = String(await freePort());
  const [command = '', ...words] = WORDS;
  // Cross-origin requests are the service's to answer.
  const running = startProcess(command, [...words, 'proxy', document, upstream, '-p', port, '--cors=false'], {
    dir,
  });
  await running.says('stdout', /is listening/);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      running.child.kill('SIGTERM');
      await running.ended;
    },
  };
}

export type Violation = { location: string[]; severity: string; message: string };

/** What an answer that came through it says of the exchange. */
export function violationsOf(headers: Record<string, string>): Violation[] {
  return JSON.parse(headers['sl-violations'] ?? '[]') as Violation[];
}
