// Attachments whose service gives no certain SHA-256: they are listed, and none of them is ever called verified.
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { answer, misbehave, type Misbehaving } from '../../support/misbehaving-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let server: Misbehaving;
let rows: object[];
beforeEach(async () => {
  dir = tempFolder('no-hash');
  server = await misbehave((socket, { head }) => {
    const path = / (\S+) /.exec(head)?.[1] ?? '';
    const found = path.startsWith('/v1/attachments') ? { data: rowsFor(path), has_more: false } : {};
    socket.write(answer(200, JSON.stringify(found)));
  });
});
afterEach(() => server.close());

/** Returns the rows after or before the cursors in a path. */
function rowsFor(path: string): object[] {
  const { searchParams } = new URL(path, 'http://localhost');
  const placeOf = (name: string) => {
    const id = searchParams.get(name);
    return id === null ? undefined : rows.findIndex((row) => String((row as { id: number }).id) === id);
  };
  return rows.slice((placeOf('starting_after') ?? -1) + 1, placeOf('ending_before'));
}

const run = (line: string) => arx(dir, `--base-url ${server.url} ${line}`, { env: { ARX_TOKEN: 'tok_any' } });
const file = (id: number, more: object) => ({
  id,
  name: `${id}.txt`,
  file_url: `${server.url}/f/${id}`,
  ...more,
});

test('listed with what is there', async () => {
  rows = [file(1, { hash: 'a'.repeat(64) }), file(2, { checksum: 'md5:abc', size: 4 })];
  const { exit, stdout, stderr } = await run('attachments ls -o table --no-color');
  expect(exit).toBe(0);
  expect(stdout).toContain('NAME');
  expect(stdout).toMatch(/^2 +available +2\.txt/m);
  expect(stderr).not.toContain('left out');
});

test('not downloaded, and said to be unverifiable', async () => {
  rows = [file(1, { hash: 'a'.repeat(64) }), file(2, {})];
  const { exit, stdout, stderr } = await run('attachments pull --all --to files --json');
  expect(exit).toBe(3);
  expect(stderr).toContain('the service gives no SHA-256, so its file cannot be verified');
  const { files, verdicts } = JSON.parse(stdout) as {
    files: { verdict: string }[];
    verdicts: { match: number };
  };
  expect(files.map(({ verdict }) => verdict)).toEqual(['unverifiable', 'unverifiable']);
  expect(verdicts.match).toBe(0);
  expect(readdirSync(`${dir}/files`).filter((name) => name.endsWith('.txt'))).toEqual([]);
  expect(server.requests.filter(({ head }) => head.includes(' /f/'))).toEqual([]);
});
