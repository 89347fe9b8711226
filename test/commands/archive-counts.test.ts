// What lists and searches say where the local archive is empty.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { serveList } from '../support/cursor-server.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

const NOTICE = 'arx: no archive yet: arx import FILE, or arx login --base-url URL; arx help start';
const LISTS = [
  'attachments ls',
  'attachments ls --all',
  'attachments ls --city lisbon',
  'attachments cities',
  'attachments senders',
  'conversations ls',
  'conversations walk',
  'messages ls',
  'messages ls --walk',
  'search lisbon',
];

describe('an empty local archive', () => {
  test.each(LISTS)('%s says what to do next, once', async (line) => {
    const { stdout, stderr, exit } = await arx(tempFolder('empty'), line);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' });
    expect(stderr.split('\n').filter((said) => said === NOTICE)).toHaveLength(1);
  });

  test('-q says nothing', async () => {
    expect((await arx(tempFolder('empty'), 'messages ls -q')).stderr).toBe('');
  });
});

test('an archive with rows of which none match, and an empty list of another service, are no empty archive', async () => {
  const dir = tempFolder('filled');
  await sampleData(join(dir, 'data'));
  expect((await arx(dir, 'attachments ls --city nowhere')).stderr).not.toContain(NOTICE);
  expect((await arx(dir, 'search nobodywrotethis')).stderr).not.toContain(NOTICE);
  const server = await serveList({ rows: [] });
  try {
    const options = { env: { ARX_TOKEN: 'tok_given' } };
    const { stderr } = await arx(dir, `messages ls --base-url ${server.url}`, options);
    expect(stderr).not.toContain(NOTICE);
  } finally {
    await server.close();
  }
});
