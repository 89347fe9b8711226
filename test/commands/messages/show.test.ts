// `arx messages show ID --around N`: the neighbours of a message in their order, its place, what is withheld between.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { arx, recordsOf } from '../../support/command.ts';
import { serve } from '../../support/served.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('around')));

/** Conversation 1 has the messages 1, 3, 5 …, conversation 2 the others. `hidden` are above the tier internal. */
async function imported(count: number, hidden: readonly number[] = []): Promise<void> {
  for (const n of Array.from({ length: count }, (_, at) => at + 1)) {
    const thread = 2 - (n % 2);
    const answers = n > 2 ? `In-Reply-To: <${n - 2}@x>\n` : '';
    const mail = `From: a@x\nSubject: thread ${thread}\nMessage-ID: <${n}@x>\n${answers}Date: Fri, 1 Mar 2019 10:${String(n).padStart(2, '0')}:00 +0000\n\nhello\n`;
    mkdirSync(join(dir, 'mails'), { recursive: true });
    writeFileSync(join(dir, 'mails', `${n}.eml`), mail);
    const tier = hidden.includes(n) ? 'mirror' : 'internal';
    expect(await arx(dir, `import mails/${n}.eml --tier ${tier}`)).toMatchObject({ exit: 0 });
  }
}

const placesOf = async (line: string): Promise<string[]> =>
  recordsOf(await arx(dir, `messages show ${line} -o ndjson`))
    .filter(({ id }) => id !== undefined)
    .map(({ id, offset }) => `${offset} ${id}`);

test('one row, and with --around its neighbours in the conversation', async () => {
  await imported(9);
  expect((await arx(dir, 'messages show msg_5')).stdout).toMatch(/^id\tmsg_5$/m);
  expect(await placesOf('msg_5 --around 1')).toEqual(['-1 msg_3', '0 msg_5', '1 msg_7']);
  expect(await placesOf('msg_5 --around 2')).toEqual([
    '-2 msg_1',
    '-1 msg_3',
    '0 msg_5',
    '1 msg_7',
    '2 msg_9',
  ]);
  expect(await placesOf('msg_2 --around 1')).toEqual(['0 msg_2', '1 msg_4']);
  const shown = await arx(dir, 'messages show msg_5 --around 1 --no-color', { columns: 100 });
  expect(shown.stdout).toMatch(/\n +-1 +msg_3 .*\n +> +msg_5 .*\n +\+1 +msg_7 /);
  expect(shown.stderr).toBe('3 rows · 0 withheld\n');
});

test('--in archive: the neighbours in the list of all messages', async () => {
  await imported(9);
  expect(await placesOf('msg_5 --around 2 --in archive')).toEqual([
    '-2 msg_3',
    '-1 msg_4',
    '0 msg_5',
    '1 msg_6',
    '2 msg_7',
  ]);
});

test('the ends of the list are said', async () => {
  await imported(5);
  const { stderr } = await arx(dir, 'messages show msg_3 --around 2');
  expect(stderr).toBe(
    'arx: msg_1 is the first message of conv_1\narx: msg_5 is the last message of conv_1\n',
  );
  const json = await arx(dir, 'messages show msg_3 --around 2 --json');
  expect(json.stderr).toBe('');
  expect(JSON.parse(json.stdout)).toMatchObject({
    list: 'conv_1',
    is_first: true,
    is_last: true,
    summary: { rows: 3, withheld: 0 },
  });
});

test('withheld neighbours keep their place and are said', async () => {
  await imported(7, [3]);
  const served = await serve(dir, ['--max-tier', 'internal']);
  try {
    const at = `--base-url ${served.base_url}`;
    const login = `login --client-id c --observer-tier internal --requested-tier internal ${at}`;
    expect((await arx(dir, login)).exit).toBe(0);
    const { stdout, stderr, exit } = await arx(dir, `messages show msg_5 --around 1 --json ${at}`);
    expect(exit).toBe(0);
    const { data, summary } = JSON.parse(stdout) as { data: object[]; summary: object };
    expect(data[0]).toMatchObject({ id: 'msg_3', offset: -1, status: 'withheld', subject: null });
    expect(summary).toMatchObject({ rows: 3, withheld: 1 });
    expect(stderr).toBe('');
    const shown = await arx(dir, `messages show msg_5 --around 1 ${at}`);
    expect(shown.stderr).toContain('1 of these 3 messages is withheld: only its place is shown');
    expect((await arx(dir, `messages show msg_5 --around 1 --strict ${at}`)).exit).toBe(3);
    expect((await arx(dir, `messages show msg_3 --strict ${at}`)).exit).toBe(3);
  } finally {
    await served.close();
  }
});

test.each([
  ['msg_99 --around 2', 6],
  ['msg_1 --around 0', 2],
  ['msg_1 --around 1001', 2],
  ['msg_1 --in archive', 2],
  ['msg_1 --around 2 --in elsewhere', 2],
])('%s is exit %i', async (line, exit) => {
  await imported(1);
  expect((await arx(dir, `messages show ${line}`)).exit).toBe(exit);
});
