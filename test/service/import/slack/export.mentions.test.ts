// Names in place of ids in the texts of Slack messages: as they are read, searched and exported.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { openArchive } from '../../../../src/service/store/open.ts';
import { arx, recordsOf } from '../../../support/command.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { sourceFolder } from '../sources.ts';

const say = (ts: string, text: string) => ({
  type: 'message',
  user: 'U1',
  ts,
  thread_ts: '1700000000.1',
  text,
});
const TEXT = 'ask <@U2> or <@U9> in <#C1|>';
const SHOWN = 'ask @Haruka Mori or @U9 in #general';

let dir: string;
let source: string;
beforeAll(async () => {
  dir = tempFolder('mentions');
  source = await sourceFolder({
    'users.json': JSON.stringify([
      { id: 'U1', name: 'ines' },
      { id: 'U2', name: 'mori', profile: { display_name: 'Haruka Mori' } },
    ]),
    'channels.json': JSON.stringify([{ id: 'C1', name: 'general' }]),
    'general/2023-11-14.json': JSON.stringify([
      say('1700000000.1', `first\n${TEXT}`),
      say('1700000060.2', 'nobody'),
    ]),
  });
  expect((await arx(dir, `import ${source}`)).exit).toBe(0);
});

const found = async (query: string): Promise<unknown[]> =>
  recordsOf(await arx(dir, `search '${query}' -o ndjson`)).map(({ id, snippet }) => [id, snippet]);

test('in the text of a message, in what is found, and in exported threads', async () => {
  expect((await arx(dir, 'read msg_1')).stdout).toContain(SHOWN);
  expect(JSON.parse((await arx(dir, 'content get msg_1 --json')).stdout)).toMatchObject({
    data: { text: `first\n${SHOWN}` },
  });
  expect(await found('body:"haruka mori"')).toEqual([['msg_1', expect.stringContaining('@Haruka Mori')]]);
  expect(await found('body:u2')).toEqual([]);
  for (const format of ['mbox', 'md', 'html']) {
    expect((await arx(dir, `conversations export conv_1 --format ${format} --to ${format}`)).exit).toBe(0);
    const thread = readFileSync(join(dir, format), 'utf8');
    // The text of a mail that is made of a message of a chat is base64.
    const [text] = /^\w[\w+/=\n]{70,}$/m.exec(thread) ?? [''];
    expect(thread + Buffer.from(text, 'base64').toString(), format).toContain('Haruka Mori');
  }
  expect((await arx(dir, 'content get msg_1 --raw')).stdout).toContain(TEXT);
  expect((await arx(dir, 'fsck')).exit).toBe(0);
});

test('an archive of an earlier version gets them when the export is imported again', async () => {
  const archive = await openArchive({
    dir: join(dir, 'data'),
    sleep,
    now: () => 0,
    randomBytes: (count) => new Uint8Array(count),
  });
  await archive.database.transaction(async (statements) => {
    await statements.run('UPDATE messages SET mentions = NULL');
    await statements.run(`UPDATE meta SET value = '{"version":2,"upto":2}' WHERE key = 'search'`);
  });
  await archive.close();
  expect((await arx(dir, 'read msg_1')).stdout).toContain('ask @U2 or @U9 in #C1');
  expect(await found('body:u2')).toHaveLength(1);
  expect((await arx(dir, `import ${source} --dry-run`)).exit).toBe(0);
  expect((await arx(dir, 'read msg_1')).stdout).toContain('@U2');
  const again = await arx(dir, `import ${source} --json`);
  expect(JSON.parse(again.stdout)).toMatchObject({ sources: [{ messages: { stored: 0, known: 2 } }] });
  expect((await arx(dir, 'read msg_1')).stdout).toContain(SHOWN);
  expect(await found('body:u2')).toEqual([]);
  expect(await found('body:"haruka mori"')).toHaveLength(1);
  expect((await arx(dir, 'fsck')).exit).toBe(0);
});
