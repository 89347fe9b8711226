// One page of a list whose service reports drift: what is said of it in each form of output.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { arx, type Ran } from '../../support/command.ts';
import { answer, misbehave, type Misbehaving } from '../../support/misbehaving-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let server: Misbehaving;
let ratio: number;
beforeEach(async () => {
  ratio = 0.3;
  server = await misbehave((socket) => {
    const page = {
      object: 'list',
      status: 'stable',
      data: [{ id: 'a_1', type: 'message.reordered', status: 'stable', payload: {} }],
      has_more: false,
      drift_ratio: ratio,
    };
    socket.write(answer(200, JSON.stringify(page)));
  });
});
afterEach(() => server.close());

const run = (line: string, options = {}): Promise<Ran> =>
  arx(tempFolder('page-drift'), `${line} --base-url ${server.url}`, {
    env: { ARX_TOKEN: 'tok_any' },
    ...options,
  });
const DRIFT = 'arx: drift ratio 0.3: rows may be missing, repeated or in another order';
const notice = (line: string): string => `${DRIFT}; exact: arx ${line} --base-url ${server.url} --all\n`;

test.each(['attachments ls', 'conversations ls', 'messages ls', 'events ls'])('%s', async (line) => {
  for (const form of ['', ' -o tsv', ' -o csv', ' -o ndjson', ' --jq .data[].id'])
    expect((await run(`${line}${form}`)).stderr.replaceAll("'", '')).toContain(notice(`${line}${form}`));
  const table = await run(line, { columns: 300 });
  expect(table.stderr).toContain(notice(line));
  expect(table.stderr).toContain(' · not complete');
  expect((await run(`${line} -q`)).stderr).not.toContain('drift');

  // The document says it itself.
  const json = await run(`${line} --json`);
  expect(JSON.parse(json.stdout)).toMatchObject({ summary: { drift_ratio: 0.3, complete: false } });
  expect(json.stderr).not.toContain('drift');

  ratio = 0;
  const steady = await run(`${line} --json`);
  expect(JSON.parse(steady.stdout)).toMatchObject({ summary: { drift_ratio: 0, complete: true } });
  expect((await run(line)).stderr).not.toContain('drift');
});
