// Runs sqlmap against an address, and serves a page with an SQL injection that it must find.
import { DatabaseSync } from '@photostructure/sqlite';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { tempFolder } from './temp-folder.ts';

export const noSqlmap = !existsSync('/usr/bin/sqlmap');

export type Target = { url: string; parameter?: string; body?: string; token?: string };

/** `vulnerable`, `not`, or what it says instead, of the target: `*` in the address or body marks where to try, where no parameter is named. */
export async function sqlmap(
  { url, parameter, body, token }: Target,
  { level = 1, risk = 1, technique = 'BEU', engine = 'SQLite', seconds = 60 } = {},
): Promise<string> {
  const dir = tempFolder('sqlmap');
  const settings =
    `--batch --flush-session --disable-coloring --threads 4 --timeout 10 --retries 1 --skip-waf --ignore-code * ` +
    `--level ${level} --risk ${risk} --technique ${technique} --dbms ${engine} --output-dir ${dir}`;
  const headers = `Authorization: Bearer ${token ?? ''}\nContent-Type: application/json`;
  const words = [
    '-u',
    url,
    ...settings.split(' '),
    '--headers',
    headers,
    ...(parameter === undefined ? [] : ['-p', parameter]),
    ...(body === undefined ? [] : ['--data', body]),
  ];
  const { stdout } = await promisify(execFile)('sqlmap', words, {
    timeout: seconds * 1000,
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env['PATH'], HOME: dir, LANG: 'C.UTF-8' },
  });
  if (/identified the following injection point|is vulnerable/.test(stdout)) return 'vulnerable';
  // All tested parameters do not appear to be injectable: nothing less is a no.
  if (/do(es)? not (appear|seem) to be injectable/.test(stdout)) return 'not';
  return (
    stdout
      .split('\n')
      .filter((line) => /CRITICAL|ERROR|WARNING/.test(line))
      .join('\n') || stdout
  );
}

/** A list whose filter is pasted into its statement. */
export async function serveVulnerableList(): Promise<{ url: string; close(): void }> {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE TABLE files (id, city); INSERT INTO files VALUES (1, 'lisbon'), (2, 'oslo')`);
  const server = createServer((incoming, outgoing) => {
    const city = new URL(incoming.url ?? '/', 'http://x').searchParams.get('origin_city') ?? '';
    try {
      const rows = database.prepare(`SELECT id, city FROM files WHERE city = '${city}'`).all();
      outgoing.end(JSON.stringify({ data: rows }));
    } catch {
      outgoing.writeHead(500).end('{"error":"failed"}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/attachments?origin_city=lisbon`,
    close: () => {
      server.close();
      server.closeAllConnections();
      database.close();
    },
  };
}
