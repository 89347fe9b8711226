// A number of a service is the same number in every JSON form, whatever command shows it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('numbers')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Numbers that JavaScript would change, and some that it keeps. */
const NUMBERS = '[9007199254740993,-12345678901234567890,1e400,-1E-400,0.1000000000000000055,-0,-0.0,0.5,7]';
/** Numbers that JavaScript keeps and writes in another way: what the sender of an event wrote stays. */
const FORMS = '[2.0,1e2,1E+2,100.50,0.0,-0,{"payload":[3.0],"after":4.0}]';
const ODD = `"odd":{"deep":${NUMBERS},"9007199254740993":"9007199254740993"},"integrity":0.90000000000000002`;
const HASH = 'a'.repeat(64);

const ROWS: Record<string, string> = {
  attachments: `{"id":"att_1","filename":"f","file_url":null,"sha256":"${HASH}","redacted":true,"decorative_layer":false,"first_visible":true,${ODD}}`,
  conversations: `{"id":"conv_1","sequence":1,"subject":"s","message_count":1,${ODD}}`,
  messages: `{"id":"msg_1","conversation_id":"conv_1","sequence":1,${ODD}}`,
  events: `{"id":"evt_1","type":"contact.flagged","status":"stable","payload":{"contact":"c","odd":{"deep":${NUMBERS},"9007199254740993":"9007199254740993"},"forms":${FORMS}},"integrity":0.90000000000000002}`,
  arc_reconstruction: `{"entry":"entry_1","reported":1,"checked":1,"offset":0,${ODD}}`,
  msg_1: `{"view":"raw","data":{"id":"msg_1","format":"other",${ODD}}}`,
};

async function serveNumbers(): Promise<Misbehaving> {
  return misbehave((socket, { head }) => {
    const path = / ([^ ?]+)/.exec(head)?.[1] ?? '';
    const name = path.split('/').at(-1)!;
    const list = ROWS[name === 'x' ? 'attachments' : name];
    const row = Object.entries({ att_1: 'attachments', conv_1: 'conversations' }).find(
      ([id]) => id === name,
    )?.[1];
    const isPast = /starting_after|ending_before/.test(head);
    if (name === 'msg_1') socket.write(answer(200, ROWS['msg_1']));
    else if (row !== undefined) socket.write(answer(200, ROWS[row]));
    else if (list !== undefined)
      socket.write(
        answer(200, `{"status":"stable","data":[${isPast ? '' : list}],"has_more":false,"drift_ratio":0}`),
      );
    else socket.write(answer(404, '{}'));
  });
}

const run = (line: string) =>
  arx(dir, `--base-url ${server!.url} ${line}`, { env: { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_any' } });

test.each([
  'attachments ls',
  'attachments show att_1',
  'conversations ls',
  'events ls',
  'sequence show arc_reconstruction',
  'content get msg_1',
])('%s', async (command) => {
  server = await serveNumbers();
  for (const form of ['--json', '-o ndjson']) {
    const { stdout } = await run(`${command} ${form}`);
    expect(stdout).toContain(`"deep":${NUMBERS},"9007199254740993":"9007199254740993"`);
    expect(stdout).toContain('"integrity":0.90000000000000002');
  }
  const path = command.startsWith('events')
    ? 'payload.odd.deep'
    : command.startsWith('content')
      ? 'data.odd.deep'
      : 'odd.deep';
  const picked = await run(
    `${command} --json --fields ${path},${path.replace('payload.', '').replace('odd.deep', 'integrity')}`,
  );
  expect(picked.stdout).toContain(`"deep":${NUMBERS}`);
  expect(picked.stdout).toContain('"integrity":0.90000000000000002');
  const tabs = await run(`${command} -o tsv --fields ${path}`);
  expect(tabs.stdout).toContain(NUMBERS.slice(1, -1));
});

test('api prints the bytes of the answer', async () => {
  server = await serveNumbers();
  expect((await run('api /api/content/msg_1')).stdout).toBe(ROWS['msg_1']);
});

test('a walk prints them, and again from its frozen log', async () => {
  server = await serveNumbers();
  const walk = `walk ${server.url}/x -o ndjson --freeze log`;
  const first = await run(walk);
  expect(first.stdout).toContain(`"deep":${NUMBERS},"9007199254740993":"9007199254740993"`);
  expect(readFileSync(join(dir, 'log/rows.ndjson'), 'utf8')).toContain(`"deep":${NUMBERS}`);
  const resumed = await run(`${walk} --resume`);
  expect(JSON.stringify(sorted(resumed.stdout))).toBe(JSON.stringify(sorted(first.stdout)));
  expect(resumed.stdout).toContain(`"deep":${NUMBERS}`);
  expect(resumed.stdout).toContain('"integrity":0.90000000000000002');
});

/** The characters of a text; a frozen log sorts the keys of a row. */
function sorted(text: string): string[] {
  return Array.from(text).sort();
}

test('the numbers of an event stay as its sender wrote them, in every form', async () => {
  server = await serveNumbers();
  for (const form of ['--json', '-o ndjson', '-o tsv', '--template {{payload}}']) {
    const { stdout } = await run(`events ls ${form}`);
    expect(stdout, form).toContain(FORMS);
  }
});

test('a known field whose number is written in another way is read', async () => {
  const row = `{"id":"conv_1","sequence":2.0,"subject":"s","message_count":1e1,"integrity":1.0}`;
  server = await misbehave((socket) =>
    socket.write(answer(200, `{"status":"stable","data":[${row}],"has_more":false,"drift_ratio":0.0}`)),
  );
  const { stdout, stderr, exit } = await run('conversations ls --json --limit 1');
  expect({ ...JSON.parse(stdout), exit }).toMatchObject({
    data: [{ sequence: 2, message_count: 10, integrity: 1 }],
    summary: { drift_ratio: 0 },
    exit: 0,
  });
  expect(stderr).toBe('');
});
