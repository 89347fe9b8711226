// `arx serve --archives`: all archives of databases under one address, opened when they are asked for.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../src/exit.ts';
import { withSchema } from '../../src/service/administration.ts';
import { freshDatabase } from '../support/archives-database.ts';
import { arx, dataOf } from '../support/command.ts';
import { noPostgres, withClient } from '../support/postgres.ts';
import { serve, tokenOf, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
let url: string;
let served: Served | undefined;
beforeEach(async () => {
  dir = tempFolder('serve-archives');
  if (!noPostgres) url = await freshDatabase();
});
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const mail = (subject: string) =>
  `From a@x Mon Jan  1 00:00:00 2024\nMessage-ID: <${subject}@x>\nSubject: ${subject}\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\nContent-Type: text/plain; name=f.txt\nContent-Disposition: attachment; filename=f.txt\n\nfile of ${subject}\n--b--\n`;

/** Makes archives, each with a mail whose subject is its name. */
async function create(database: string, ...names: string[]): Promise<void> {
  expect(await arx(dir, `archive create ${database} ${names.join(' ')}`)).toMatchObject({ exit: 0 });
  for (const name of names) {
    writeFileSync(join(dir, 'mail.mbox'), mail(name));
    const line = `import mail.mbox --tier external --database ${withSchema(database, name)}`;
    expect(await arx(dir, line)).toMatchObject({ exit: 0 });
  }
}

type Reply = { status: number; headers: Headers; text: string; json: any };
async function ask(target: string, init: RequestInit & { token?: string } = {}): Promise<Reply> {
  const { token, ...rest } = init;
  const reply = await fetch(`${target.startsWith('http') ? '' : served!.base_url}${target}`, {
    ...rest,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const text = await reply.text();
  const isJson = reply.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
const subjectsOf = ({ json }: Reply) => json.data.map(({ subject }: { subject: string }) => subject);

test('options about one archive are refused', async () => {
  const database = 'postgres://nobody@127.0.0.1:1/x';
  for (const more of [
    '--database sqlite:x',
    '--drift 0.1',
    '--webhook-secret-file x',
    '--list-variants strict',
  ])
    expect(await arx(dir, `serve --port 0 --archives ${database} ${more}`), more).toMatchObject({
      exit: EXIT.usage,
    });
  expect(await arx(dir, `serve --port 0 --archives ${database}?schema=x`)).toMatchObject({
    exit: EXIT.usage,
  });
  expect(await arx(dir, `serve --port 0 --archives ${database}`)).toMatchObject({ exit: EXIT.network });
});

describe.skipIf(noPostgres)('archives of a database', () => {
  test('each has its rows, files and tokens, and none of another', async () => {
    await create(url, 'one', 'two');
    served = await serve(dir, ['--archives', url]);
    const base = (name: string) => `${served!.base_url}/a/${name}`;
    const tokens = {
      one: await tokenOf(base('one'), served.owner),
      two: await tokenOf(base('two'), served.owner),
    };
    for (const name of ['one', 'two'] as const) {
      expect(subjectsOf(await ask(`/a/${name}/v1/messages`, { token: tokens[name] }))).toEqual([name]);
      const { json } = await ask(`/a/${name}/v1/attachments`, { token: tokens[name] });
      const [{ file_url: file }] = json.data;
      expect(file).toMatch(new RegExp(`^${served.asset_url}/a/${name}/files/`));
      expect(await ask(file)).toMatchObject({ status: 200, text: `file of ${name}` });
      // The signature is that of one archive.
      const other = name === 'one' ? 'two' : 'one';
      expect(await ask(file.replace(`/a/${name}/`, `/a/${other}/`))).toMatchObject({ status: 403 });
      expect(await ask(`/a/${other}/v1/messages`, { token: tokens[name] })).toMatchObject({ status: 401 });
      expect((await ask(`/a/${name}/api/health`)).json).toMatchObject({ counts: { messages: 1 } });
    }
    // Answers are not taken from the cache of another.
    for (let at = 0; at < 3; at += 1)
      for (const name of ['one', 'two'] as const)
        expect(subjectsOf(await ask(`/a/${name}/v1/messages?limit=1`, { token: tokens[name] }))).toEqual([
          name,
        ]);
  });

  test('what is not there is 404 with the words for every unknown path, on both ports', async () => {
    await create(url, 'one');
    await withClient((client) => client.query('CREATE SCHEMA empty'), url);
    served = await serve(dir, ['--archives', url]);
    const unknown = [
      '/',
      '/a',
      '/a/',
      '/a/none',
      '/a/none/v1/messages',
      '/a/empty/v1/messages',
      '/a/public/x',
      '/A/one/v1/messages',
      '/a/ONE/v1/messages',
      '/a/%6fne/v1/messages',
      '/a/one/none',
      '/v1/messages',
      '/openapi.json',
      '/a/pg_catalog/v1/messages',
      '/a/one%2f..%2fone/v1/messages',
    ];
    const messages = new Set<string>();
    for (const path of unknown) {
      const reply = await ask(path);
      expect(reply.status, path).toBe(404);
      messages.add(reply.json.error.message);
      expect(reply.headers.get('x-request-id')).toMatch(/^req_/);
    }
    // Outside of /a/NAME the words do not depend on what there is.
    const plain = 'nothing is served under this path';
    expect([...messages].toSorted()).toEqual([plain, `${plain}: archives are under /a/NAME`]);
    expect((await ask('/a/none/v1/messages')).json.error.message).toBe(plain);
    expect((await ask('/a/one/none')).json.error.message).toBe(plain);
    expect((await ask('/a/one/openapi.json')).json.servers).toEqual([{ url: '/a/one' }]);
    for (const command of [
      'health',
      'login --client-id c --observer-tier internal --requested-tier internal',
    ]) {
      const { exit, stderr } = await arx(dir, `${command} --base-url ${served.base_url}`);
      expect(exit, command).toBe(EXIT.not_found);
      expect(stderr, command).toContain('archives are under /a/NAME');
    }
    // Nothing was made by asking for it.
    expect(dataOf(await arx(dir, `archive ls ${url} --json`)).map(({ name }) => name)).toEqual(['one']);
    expect((await ask(`${served.asset_url}/a/none/files/att_1/external/1/x`)).status).toBe(404);
    expect((await ask('/a/none/v1/messages', { method: 'HEAD' })).text).toBe('');
    expect((await ask('/api/health/live')).json).toMatchObject({ status: 'live', read_only: false });
    expect((await ask('/api/health/ready')).json).toMatchObject({ status: 'ready', reachable: true });
  });

  test('a command reaches one by its base URL', async () => {
    await create(url, 'one', 'two');
    served = await serve(dir, ['--archives', url]);
    const base = (name: string) => `--base-url ${served!.base_url}/a/${name}`;
    for (const name of ['one', 'two']) {
      const login = await arx(
        dir,
        `login --client-id c --observer-tier internal --requested-tier internal ${base(name)}`,
      );
      expect(login, login.stderr).toMatchObject({ exit: 0 });
    }
    for (const name of ['one', 'two']) {
      expect(
        dataOf(await arx(dir, `messages ls --json ${base(name)}`)).map(({ subject }) => subject),
      ).toEqual([name]);
      expect(await arx(dir, `attachments pull --all --to ${name} ${base(name)}`)).toMatchObject({ exit: 0 });
      expect(existsSync(join(dir, name, 'f.txt')) || existsSync(join(dir, name, 'att_1-f.txt'))).toBe(true);
    }
  });

  test('events of one are applied by its worker, also those that a killed process left', async () => {
    await create(url, 'one', 'left');
    await withClient(
      (client) =>
        client.query(
          `INSERT INTO "left".events (n, id, type, payload, body_sha256, received_ms, deliveries, effect)
           VALUES (1, 'evt_left', 'mirror.detected', '{"layer":"outer"}', 'x', 0, 1, 'queued')`,
        ),
      url,
    );
    const effect = (name: string) => async () =>
      withClient(
        async (client) => (await client.query(`SELECT effect FROM "${name}".events`)).rows[0]?.effect,
        url,
      );
    served = await serve(dir, ['--archives', url]);
    await expect.poll(effect('left')).not.toBe('queued');
    const token = await tokenOf(`${served.base_url}/a/one`, served.owner);
    const sent = await fetch(`${served.base_url}/a/one/api/webhooks/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        id: 'evt_1',
        type: 'message.reordered',
        payload: { id: 'msg_1', entry: 'entry_1', sequence: 7 },
      }),
    });
    expect(sent.status).toBe(200);
    await expect.poll(effect('one')).toBe('applied');
  });

  test('one that is dropped is 404 at once, one that is made is found, and one that is moved is served from its new database', async () => {
    const second = await freshDatabase();
    await create(url, 'moved', 'dropped');
    served = await serve(dir, ['--archives', url, second, '--log', join(dir, 'log')]);
    const token = await tokenOf(`${served.base_url}/a/moved`, served.owner);
    const read = () => ask('/a/moved/v1/messages', { token });
    expect(subjectsOf(await read())).toEqual(['moved']);
    expect((await ask('/a/dropped/api/health')).status).toBe(200);
    expect((await ask('/a/made/api/health')).status).toBe(404);

    expect(await arx(dir, `archive drop ${url} dropped --yes`)).toMatchObject({ exit: 0 });
    expect((await ask('/a/dropped/api/health')).status).toBe(404);
    await create(second, 'made');
    expect((await ask('/a/made/api/health')).status).toBe(200);

    expect(
      await arx(dir, `archive copy ${withSchema(url, 'moved')} ${withSchema(second, 'moved')}`),
    ).toMatchObject({ exit: 0 });
    expect(await arx(dir, `archive drop ${url} moved --yes`)).toMatchObject({ exit: 0 });
    // Tokens are not copied.
    expect((await read()).status).toBe(401);
    const again = await tokenOf(`${served.base_url}/a/moved`, served.owner);
    expect(subjectsOf(await ask('/a/moved/v1/messages', { token: again }))).toEqual(['moved']);
    await served.close();
    const lines = readFileSync(join(dir, 'log'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const answered = lines.filter(({ event, port }) => event === 'answered' && port === 'api');
    expect(new Set(answered.map(({ archive }) => archive))).toEqual(
      new Set(['moved', 'dropped', 'made', undefined]),
    );
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test.each(['archive drop', 'archive drop and create'])(
    'a file that is being sent is cut by arx %s, whole or a range, and a pull says so',
    async (change) => {
      const size = 24 * 1024 * 1024;
      await create(url, 'big');
      mkdirSync(join(dir, 'from'));
      writeFileSync(join(dir, 'from', 'big.bin'), Buffer.alloc(size, 'some bytes'));
      const place = withSchema(url, 'big');
      const run = async (line: string) => expect(await arx(dir, line)).toMatchObject({ exit: 0 });
      await run(`import from --kind folder --tier external --database ${place}`);
      served = await serve(dir, ['--archives', url]);
      const base = `${served.base_url}/a/big`;
      const token = await tokenOf(base, served.owner);
      const { json } = await ask('/a/big/v1/attachments', { token });
      const { file_url: address } = json.data.find(({ filename }: any) => filename === 'big.bin');
      const begin = async (headers: Record<string, string>) => {
        const reply = await fetch(address, { headers });
        const body = reply.body!.getReader();
        const first = await body.read();
        return { body, length: Number(reply.headers.get('content-length')), bytes: first.value!.length };
      };
      const bodies = [await begin({}), await begin({ range: `bytes=100-${size - 100}` })];
      const env = { ARX_BASE_URL: base, ARX_TOKEN: token };
      const pulling = arx(dir, 'attachments pull --all --to files --max-rate 4MB --retries 0 --json', {
        env,
      });
      const hasBegun = (): boolean =>
        existsSync(join(dir, 'files')) &&
        readdirSync(join(dir, 'files'), { recursive: true }).some(
          (name) => (statSync(join(dir, 'files', String(name)), { throwIfNoEntry: false })?.size ?? 0) > 1e6,
        );
      await expect.poll(hasBegun).toBe(true);

      await run(`archive drop ${url} big --yes`);
      if (change.endsWith('create')) await run(`archive create ${url} big`);
      for (const begun of bodies) {
        const rest = async () => {
          for (;;) {
            const part = await begun.body.read();
            if (part.done) return;
            begun.bytes += part.value.length;
          }
        };
        await expect(rest()).rejects.toThrow();
        expect(begun.bytes).toBeLessThan(begun.length);
      }
      const { exit, stdout } = await pulling;
      expect(exit).toBe(EXIT.network);
      const report = JSON.parse(stdout);
      expect(report.completeness).toBe('incomplete');
      expect(report.files.find(({ path }: any) => path === 'big.bin').verdict).toBe('missing');
    },
  );

  test('an archive that its operator must repair is named with what is wrong, and nobody is told to wait', async () => {
    await create(url, 'moved', 'newer', 'fine');
    const from = `--database ${withSchema(url, 'moved')}`;
    expect(await arx(dir, `blobs move ${from} --to files/moved --yes`)).toMatchObject({ exit: 0 });
    await withClient((client) => client.query('INSERT INTO newer.migrations VALUES (9999)'), url);
    served = await serve(dir, ['--archives', url]);
    for (const name of ['moved', 'newer']) {
      const reply = await ask(`/a/${name}/api/health`);
      expect(reply.status, name).toBe(503);
      expect(reply.json.error.message).toBe('the archive cannot be served; the log of the service says why');
      expect(reply.headers.get('retry-after')).toBeNull();
      expect(served.stderrText()).toContain(`${reply.json.error.request_id} (${name}) failed: `);
    }
    expect(served.stderrText()).toContain(
      'OtherFilesLocation: the archive keeps its files in the folder, not in a database; name that folder',
    );
    expect(served.stderrText()).toContain('NewerSchema: ');
    await served.close();
    // Here the folder does not fit the archive that has its files in the database.
    served = await serve(dir, ['--archives', url, '--blobs', 'files']);
    expect((await ask('/a/moved/api/health')).status).toBe(200);
    expect((await ask('/a/fine/api/health')).status).toBe(503);
    expect(served.stderrText()).toMatch(
      /\(fine\) failed: OtherFilesLocation: the archive keeps its files in the database, not in a folder: \S+files.fine; name no place/,
    );
  });

  test('a database that is renamed is named once until it answers again, and so are archives of one name', async () => {
    const second = await freshDatabase();
    await create(url, 'same', 'one');
    await create(second, 'same');
    served = await serve(dir, ['--archives', url, second]);
    expect(served.stderrText()).toContain(
      '1 archive in more than one of the databases (same): that of the first address is served',
    );
    const name = new URL(second).pathname.slice(1);
    const rename = async (from: string, to: string) =>
      withClient(async (client) => {
        await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${from}'`,
        );
        await client.query(`ALTER DATABASE ${from} RENAME TO ${to}`);
      });
    const ready = async () => (await ask('/api/health/ready')).status;
    expect(await ready()).toBe(200);
    await rename(name, `${name}x`);
    for (let at = 0; at < 3; at += 1) expect(await ready()).toBe(503);
    const told = `the database ${name} at `;
    const lines = () =>
      served!
        .stderrText()
        .split('\n')
        .filter((line) => line.includes(told));
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toContain('there is no such database (3D000)');
    // An archive that only the other database could have cannot be told from one that is nowhere.
    expect((await ask('/a/none/api/health')).json.error.message).toBe(
      'the archive cannot be served; the log of the service says why',
    );
    await rename(`${name}x`, name);
    expect(await ready()).toBe(200);
    expect(lines()).toHaveLength(2);
    expect(lines()[1]).toContain('answers again');
  });

  test('metrics name no archive, and say how many are open', async () => {
    await create(url, 'one', 'two');
    served = await serve(dir, ['--archives', url, '--metrics-port', '0']);
    for (const name of ['one', 'two', 'none']) await ask(`/a/${name}/api/health`);
    const { text } = await ask(served.metrics_url!);
    expect(text).toMatch(/^arx_archives_open 2$/m);
    expect(text).toMatch(/^arx_archives_opened_total 2$/m);
    expect(text).toMatch(/^arx_database_connections\{state="idle"\} \d+$/m);
    expect(text).not.toMatch(/archive="/);
  });

  test('read-only, nothing is written and an unfinished copy is not served', async () => {
    await create(url, 'one', 'copy');
    await withClient(
      (client) =>
        client.query(`INSERT INTO copy.meta VALUES ('copy', '{"version":1,"run":"x","phase":"rows"}')`),
      url,
    );
    served = await serve(dir, ['--archives', url, '--read-only']);
    expect((await ask('/a/one/api/health')).json).toMatchObject({ read_only: true });
    const token = await tokenOf(`${served.base_url}/a/one`, served.owner);
    expect(subjectsOf(await ask('/a/one/v1/messages', { token }))).toEqual(['one']);
    const closed = await ask('/a/copy/api/health');
    expect(closed.status).toBe(503);
    expect(closed.headers.get('retry-after')).toBe('1');
  });
});
