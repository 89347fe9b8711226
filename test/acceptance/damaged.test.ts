// Stored bytes that are not those of import: every command that reads them says so (exit 12), and none shows them.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openArchive, type OpenArchive } from '../../src/service/index.ts';
import { blobPath } from '../../src/service/store/files/blobs.ts';
import { arx } from '../support/command.ts';
import { NOON } from '../support/fake-world.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
let archive: OpenArchive;
beforeAll(async () => {
  dir = tempFolder('damaged');
  await sampleData(join(dir, 'data'));
  archive = await openArchive({ sleep, dir: join(dir, 'data'), now: () => NOON, randomBytes });
});
afterAll(() => archive.close());

const run = (line: string) => arx(dir, line, { env: { LANG: 'C.UTF-8', ARX_DATA_DIR: join(dir, 'data') } });

describe('a message with one changed letter', () => {
  let id: string;
  let content: Buffer;
  beforeAll(async () => {
    // One without files, so that nothing of it is withheld.
    const row = await archive.database.get<{ n: number; content: Uint8Array }>(
      'SELECT m.n, r.content FROM messages m JOIN raws r ON r.n = m.n WHERE m.attachments = 0 ORDER BY m.n LIMIT 1',
    );
    id = `msg_${row!.n}`;
    content = Buffer.from(row!.content);
    expect(await run(`content get ${id} --json`)).toMatchObject({ exit: 0 });
    content[content.length - 5]! ^= 1;
    await archive.database.run('UPDATE raws SET content = $1 WHERE n = $2', [content, row!.n]);
  });

  test.each(['', '--view lore', '--pipeline --stego', '--raw', '--save kept'])(
    'content get %s',
    async (option) => {
      const { exit, stdout, stderr } = await run(`content get ${id} ${option}`);
      expect({ exit, stdout }).toEqual({ exit: 12, stdout: '' });
      expect(stderr).toContain(`${id} is damaged`);
      expect(existsSync(join(dir, 'kept'))).toBe(false);
    },
  );

  test('is asked for once: it stays damaged', async () => {
    const { stderr } = await run(`content get ${id} -v`);
    expect(stderr.match(/GET \/api\/content\S*: 500/g)).toHaveLength(1);
  });
});

describe('a stored file with one changed byte', () => {
  let id: string;
  let path: string;
  let before: Buffer;
  beforeAll(async () => {
    const row = await archive.database.get<{ n: number; sha256: string }>(
      'SELECT n, sha256 FROM attachments WHERE stored = 1 AND redacted = 0 ORDER BY n LIMIT 1',
    );
    id = `att_${row!.n}`;
    path = blobPath(archive.blobs.dir!, row!.sha256);
    before = readFileSync(path);
    const changed = Buffer.from(before);
    changed[0]! ^= 1;
    writeFileSync(path, changed);
  });

  test('attachments pull: mismatch, and no file', async () => {
    const { exit, stdout } = await run('attachments pull --all --to pulled --json');
    expect(exit).toBe(12);
    const { files } = JSON.parse(stdout) as { files: { id: string; verdict: string; path: string }[] };
    const damaged = files.filter(({ verdict }) => !['match', 'withheld'].includes(verdict));
    expect(damaged.map(({ verdict }) => verdict)).toEqual(damaged.map(() => 'mismatch'));
    expect(damaged.map((file) => file.id)).toContain(id);
    for (const file of damaged) expect(existsSync(join(dir, 'pulled', file.path))).toBe(false);
    const attempts = JSON.parse(stdout).files.filter((file: { id: string }) => file.id === id);
    expect(attempts).toEqual([expect.objectContaining({ attempts: 1 })]);
  });
});

test('an event whose stored payload was changed is listed without it', async () => {
  const event = { id: 'evt_damaged', type: 'mirror.detected', payload: { layer: 'seventh' } };
  writeFileSync(join(dir, 'event.json'), JSON.stringify(event));
  expect((await run('events send --file event.json')).exit).toBe(0);
  await archive.database.run(`UPDATE events SET payload = '{"layer":"eighth"}' WHERE id = 'evt_damaged'`);
  const { stdout } = await run('events ls --limit 500 -o ndjson');
  const line = stdout.split('\n').find((text) => text.includes('evt_damaged'))!;
  expect(JSON.parse(line)).toMatchObject({
    payload: {},
    status: 'partial',
    error: 'the stored event is damaged: it is not the one received',
  });
});
