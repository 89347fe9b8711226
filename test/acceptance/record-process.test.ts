// A recorded run as a real process: killed, and on a disk that fails while the record is written.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serveCatalogue } from '../support/catalogue-server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import type { Misbehaving } from '../support/misbehaving-server.ts';
import { buildProgram, startProcess, type Program } from '../support/program.ts';
import { readWarc } from '../support/warc.ts';

let program: Program;
beforeAll(() => void (program = buildProgram()));

let dir: string;
let server: Misbehaving;
beforeEach(() => void (dir = tempFolder('recording')));
afterEach(async () => {
  await server.close();
});
const env = { ARX_TOKEN: 'arx_0123456789.abc' };
const line = (...words: string[]) => [
  ...words,
  '--base-url',
  server.url,
  '--record',
  'a.warc.gz',
  '--retries',
  '0',
];
const left = (): string[] =>
  readdirSync(dir).filter((name) => name.includes('.part') || name.includes('.warc'));

test('killed while a file comes: nothing under the name, and the next record removes what is left', async () => {
  let kill = (): void => {};
  const head = 'HTTP/1.1 200 X\r\ncontent-length: 900000\r\n\r\n';
  server = await serveCatalogue([
    { content: 'x', script: (socket) => void socket.write(head + 'x'.repeat(600_000), () => kill()) },
  ]);
  const running = program.start(line('attachments', 'pull', '--all', '--to', 'dl'), { dir, env });
  kill = () => running.child.kill('SIGKILL');
  expect((await running.ended).signal).toBe('SIGKILL');
  expect(left()).toEqual([expect.stringMatching(/^\.arx-.*\.part$/)]);
  expect((await program.run(line('attachments', 'ls'), { dir, env })).exit).toBe(0);
  expect(left()).toEqual(['a.warc.gz']);
  expect(await readWarc(join(dir, 'a.warc.gz'))).toHaveLength(4);
});

test('a pull that has threads and sockets of its own does not use them: each file is in the record', async () => {
  const files = Array.from({ length: 40 }, (_, index) => ({ content: `file ${index} `.repeat(index) }));
  server = await serveCatalogue(files);
  const ran = await program.run(line('attachments', 'pull', '--all', '--to', 'dl'), { dir, env });
  expect([ran.exit, readdirSync(join(dir, 'dl')).length]).toEqual([0, 41]);
  const bodies = (await readWarc(join(dir, 'a.warc.gz'))).flatMap(({ type, fields, payload }) =>
    type === 'response' && fields['WARC-Target-URI']?.includes('/files/') ? [payload.toString()] : [],
  );
  expect(bodies.sort()).toEqual(files.map(({ content }) => content).sort());
});

const hasStrace = spawnSync('strace', ['-V']).status === 0;
if (!hasStrace) process.stderr.write('SKIPPED: strace is not here; a disk that fails is not tested\n');

describe.skipIf(!hasStrace)('the disk fails', () => {
  test.each([
    'pwrite64:error=ENOSPC:when=1+',
    'pwrite64:error=EIO:when=1',
    'fsync:error=EIO:when=1+',
    'link:error=ENOSPC:when=1+',
    'getdents64:error=EIO:when=1',
  ])('%s: exit 14, no record, and the command did its work', async (injection) => {
    server = await serveCatalogue([{ content: 'a' }, { content: 'b' }]);
    const call = injection.slice(0, injection.indexOf(':'));
    const traced = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${injection}`];
    const words = [...traced, process.execPath, program.launcher, ...line('attachments', 'ls')];
    const { exit, stdout, stderr } = await startProcess('strace', words, { dir, env }).ended;
    expect([exit, left()]).toEqual([14, []]);
    expect(stderr).toMatch(/(no space left on the device|input\/output error) \[disk, exit 14\]/);
    // Where the folder itself cannot be read nothing is begun.
    expect(stdout.split('\n')).toHaveLength(call === 'getdents64' ? 1 : 3);
  });
});
