// `arx events send --file`: checked whole before it goes, journalled, and killed and run again it ends with every event in once.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { readJournal } from '../../../src/commands/events/journal.ts';
import { RefusedEvent } from '../../../src/contract/ingest.ts';
import { arx, exitRecordOf } from '../../support/command.ts';
import { emptyData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { serve, tokenOf } from '../../support/served.ts';

let dir: string;
beforeEach(async () => {
  dir = tempFolder('send');
  await emptyData(join(dir, 'data'));
});

type Event = { id: string; type: string; payload: object };
const flagged = (id: string, contact = id): Event => ({ id, type: 'contact.flagged', payload: { contact } });
const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => flagged(`e${from + n}`));
const write = (name: string, events: readonly (Event | string)[]) =>
  writeFileSync(
    join(dir, name),
    events.map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`).join(''),
  );
const journals = () => readdirSync(join(dir, 'data/sent')).map((name) => join(dir, 'data/sent', name));
const journal = (path = journals()[0]!) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map(
      (line) =>
        JSON.parse(line) as { type: string; id?: string; digest: string; event?: Event; code?: string },
    );
const summaryOf = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { summary: object }).summary;
const stored = (path = join(dir, 'data/archive.db')) => {
  const database = new DatabaseSync(path);
  const rows = database.prepare('SELECT id, deliveries, effect FROM events ORDER BY n').all() as {
    id: string;
    deliveries: number;
    effect: string;
  }[];
  database.close();
  return rows;
};

test.each([
  ['garbage', 'names and texts stand in double quotes: '],
  ['{"layer":"x"}', 'each line is an event: '],
  ['{"id":1}', 'each line is an event: '],
])('a line that is no event shows one: %s', async (line, lead) => {
  write('events', [line]);
  const { exit, stderr } = await arx(dir, 'events send --file events');
  const example = '{"id":"evt_1","type":"contact.flagged","payload":{"contact":"Ana"}}';
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`  hint: ${lead}${example}\n`)]);
});

describe('a file', () => {
  test('is sent in its order, and what was acknowledged is not sent again', async () => {
    write('in.ndjson', ['', ...many(1_200), '  ']);
    const first = await arx(dir, 'events send --file in.ndjson --json');
    expect(first).toMatchObject({ exit: 0, stderr: '' });
    expect(summaryOf(first)).toEqual({
      rows: 1_200,
      accepted: 1_200,
      failed: 0,
      known: 0,
      unsent: 0,
      complete: true,
    });
    expect(stored().map(({ id }) => id)).toEqual(many(1_200).map(({ id }) => id));
    write('in.ndjson', many(1_300));
    const second = await arx(dir, 'events send --file in.ndjson --json');
    expect(summaryOf(second)).toMatchObject({ rows: 100, accepted: 100, known: 1_200, complete: true });
    expect(stored().filter(({ deliveries }) => deliveries > 1)).toEqual([]);
    expect(journal().filter(({ type }) => type === 'acked')).toHaveLength(1_300);
  });

  test('in letters of three bytes makes no request that is too large', async () => {
    const events = many(40).map((event) => ({
      ...event,
      payload: { contact: 'c', text: '語'.repeat(20_000) },
    }));
    write('in.ndjson', events);
    const { exit, stdout, stderr } = await arx(dir, 'events send --file in.ndjson --json -v');
    expect(exit).toBe(0);
    expect(stderr).toContain('ingest: 200');
    expect(stderr).not.toContain('413');
    expect(summaryOf({ stdout })).toMatchObject({ accepted: 40, complete: true });
  });

  test.each([
    ['no JSON', 'line 2 is not JSON', ['{"id":']],
    ['M11 no id', 'line 2', [{ type: 'contact.flagged', payload: { contact: 'c' } } as Event]],
    [
      'M12 a payload that is no object',
      'line 2: payload',
      ['{"id":"b","type":"contact.flagged","payload":[]}'],
    ],
    [
      'M12 an unknown type',
      'line 3: unknown event type x.y',
      [flagged('b'), { ...flagged('c'), type: 'x.y' }],
    ],
    ['a payload that lacks a field', 'line 2: payload.contact', [{ ...flagged('b'), payload: {} }]],
    [
      'M12 a line longer than a request',
      'line 2 is longer than a request may be',
      [flagged('b', 'x'.repeat(3 << 20))],
    ],
  ])('with %s is not sent at all', async (_what, why, rest) => {
    write('in.ndjson', [flagged('a'), ...rest, flagged('z')]);
    const { exit, stdout, stderr } = await arx(dir, 'events send --file in.ndjson --json');
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr).toContain('nothing was sent');
    expect(existsSync(join(dir, 'data/sent'))).toBe(false);
  });

  test('with bytes that are not UTF-8 is not sent at all', async () => {
    const line = Buffer.from(`${JSON.stringify(flagged('b', 'x\uFFFD'))}\n`);
    const at = line.indexOf('\uFFFD');
    const damaged = Buffer.concat([line.subarray(0, at), Buffer.of(0xff), line.subarray(at + 3)]);
    writeFileSync(
      join(dir, 'in.ndjson'),
      Buffer.concat([Buffer.from(`${JSON.stringify(flagged('a'))}\n`), damaged]),
    );
    expect(await arx(dir, 'events send --file in.ndjson --json')).toMatchObject({
      exit: 2,
      stdout: '',
      stderr: expect.stringContaining('line 2 is not UTF-8; nothing was sent'),
    });
    writeFileSync(join(dir, 'payload.json'), Buffer.from('{"contact":"\xff"}', 'latin1'));
    expect(await arx(dir, 'events send contact.flagged --id e1 --payload @payload.json')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('the payload file payload.json is not UTF-8; nothing was sent'),
    });
  });

  test('M10 with an event that is repeated sends it once, and says so', async () => {
    write('in.ndjson', [flagged('e1'), flagged('e2'), flagged('e1')]);
    const ran = await arx(dir, 'events send --file in.ndjson --json');
    expect(ran).toMatchObject({
      exit: 0,
      stderr: 'arx: 1 line of in.ndjson repeated an event, which is sent once\n',
    });
    expect(summaryOf(ran)).toMatchObject({ rows: 2, accepted: 2, unsent: 0, complete: true });
    expect(stored().map(({ id, deliveries }) => [id, deliveries])).toEqual([
      ['e1', 1],
      ['e2', 1],
    ]);
  });

  test('M10 with one id for two events is not sent at all', async () => {
    write('in.ndjson', [flagged('e1'), flagged('e2'), flagged('e1', 'another')]);
    const ran = await arx(dir, 'events send --file in.ndjson');
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toContain('line 3: another event of this file has the id e1; nothing was sent');
    expect(stored()).toEqual([]);
  });

  test('from standard input is checked whole too, and leaves nothing behind', async () => {
    const text = many(700)
      .map((event) => JSON.stringify(event))
      .join('\n');
    const bad = await arx(dir, 'events send --file - --json', { stdin: `${text}\n{` });
    expect(bad).toMatchObject({ exit: 2, stdout: '' });
    const good = await arx(dir, 'events send --file - --json', { stdin: text });
    expect(summaryOf(good)).toMatchObject({ accepted: 700, complete: true });
    expect(readdirSync(join(dir, 'data')).filter((name) => name.startsWith('input'))).toEqual([]);
    const empty = await arx(dir, 'events send --file -', { stdin: '\n' });
    expect(empty.exit).toBe(3);
  });

  test('with events that are refused: each is named, the others are in, and the exit code is the conflict’s', async () => {
    await arx(dir, `events send contact.flagged --id e1 --payload '{"contact":"other"}'`);
    write('in.ndjson', many(3));
    const { exit, stdout, stderr } = await arx(dir, 'events send --file in.ndjson --json');
    expect(exit).toBe(7);
    expect(summaryOf({ stdout })).toMatchObject({
      rows: 3,
      accepted: 2,
      failed: 1,
      unsent: 0,
      complete: false,
    });
    expect(stderr).toContain('event_conflict');
    expect(stored().map(({ id }) => id)).toEqual(['e1', 'e0', 'e2']);
    expect(journal().filter(({ type }) => type === 'refused')).toMatchObject([
      { id: 'e1', code: 'event_conflict' },
    ]);
  });

  test('with many that are refused: each is a row with its line, ten are named on stderr and the rest counted', async () => {
    const known = ['a\u2028b', ...Array.from({ length: 30 }, (_, n) => `e${n}`)];
    write(
      'first.ndjson',
      known.map((id) => flagged(id, 'other')),
    );
    await arx(dir, 'events send --file first.ndjson');
    const events = [flagged('a\u2028b'), ...many(40)];
    write('in.ndjson', ['', ...events]);
    const refused = (id: string, line: number) => ({
      accepted: false,
      event_id: id,
      type: 'contact.flagged',
      status: 'refused',
      line,
      error: {
        code: 'event_conflict',
        message: 'an event with this id and another body was taken in before',
      },
    });
    const { exit, stdout, stderr } = await arx(dir, 'events send --file in.ndjson -o ndjson');
    expect(exit).toBe(7);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { accepted: boolean });
    expect(rows).toEqual(
      events.map(({ id, type }, n) =>
        known.includes(id)
          ? refused(id, n + 2)
          : { accepted: true, event_id: id, type, status: 'queued', line: null, error: null },
      ),
    );
    for (const row of rows) if (!row.accepted) RefusedEvent.parse(row);
    const record = exitRecordOf({ stderr });
    const said = [record, ...(record.others ?? [])].map(({ message }) => message);
    expect(said.map((text) => /^(line \d+, event [^:]+): /.exec(text)?.[1]).filter(Boolean)).toEqual([
      'line 2, event a\u2028b',
      ...Array.from({ length: 9 }, (_, n) => `line ${n + 3}, event e${n}`),
    ]);
    expect(record.others).toContainEqual({ class: 'conflict', message: 'and 21 more events' });
    const table = await arx(dir, 'events send --file in.ndjson -o tsv');
    expect(table.stdout.split('\n')[1]).toBe('e0\tcontact.flagged\tfalse\trefused');
  });
});

describe('the journal', () => {
  test('is private, has a line before and after each event, and no token', async () => {
    await arx(dir, `events send contact.flagged --id e1 --payload '{"contact":"a"}'`);
    const [path] = journals();
    expect(statSync(path!).mode & 0o777).toBe(0o600);
    expect(journal()).toMatchObject([
      { type: 'sent', event: flagged('e1', 'a') },
      { type: 'acked', id: 'e1' },
    ]);
    expect(journal()[0]!.digest).toBe(journal()[1]!.digest);
    const tokens = readFileSync(join(dir, 'config/tokens.json'), 'utf8');
    const token = /"access_token": "(arx_[^"]+)"/.exec(tokens)![1]!;
    expect(readFileSync(path!, 'utf8')).not.toContain(token.slice(4, 20));
  });

  test('stands at the path that is given, otherwise one for each service', async () => {
    write('in.ndjson', many(2));
    await arx(dir, 'events send --file in.ndjson --journal here.ndjson');
    expect(journal(join(dir, 'here.ndjson'))).toHaveLength(4);
    expect(existsSync(join(dir, 'data/sent'))).toBe(false);
    // The rights of a folder that is not ours stay as they are, however it is called.
    for (const folder of ['data-of-all', 'data/shared']) {
      mkdirSync(join(dir, folder), { recursive: true, mode: 0o755 });
      const { exit, stderr } = await arx(dir, `events send --file in.ndjson --journal ${folder}/here.ndjson`);
      expect({ exit, stderr, mode: statSync(join(dir, folder)).mode & 0o777 }).toEqual({
        exit: 0,
        stderr: '',
        mode: 0o755,
      });
    }
    const served = await serve(join(dir, 'other'), ['--max-tier', 'internal']);
    try {
      await arx(
        dir,
        `login --client-id a --observer-tier internal --requested-tier internal --base-url ${served.base_url}`,
      );
      for (const flags of ['', `--base-url ${served.base_url}`]) {
        const ran = await arx(dir, `events send --file in.ndjson --json ${flags}`);
        expect(summaryOf(ran)).toMatchObject({ accepted: 2, known: 0 });
      }
      expect(journals()).toHaveLength(2);
    } finally {
      await served.close();
    }
  });

  test('with a torn last line, and lines of no meaning: what they spoke of is sent again', async () => {
    write('in.ndjson', many(4));
    await arx(dir, 'events send --file in.ndjson');
    const [path] = journals();
    const lines = readFileSync(path!, 'utf8').split('\n');
    // The acknowledgements of the last two are gone, one in the middle of its line.
    writeFileSync(
      path!,
      [...lines.slice(0, 4), 'noise', '{"type":"acked"}', ...lines.slice(4, 6), lines[6]!.slice(0, 40)].join(
        '\n',
      ),
    );
    const again = await arx(dir, 'events send --file in.ndjson --json');
    expect(summaryOf(again)).toMatchObject({ known: 2, accepted: 2, complete: true });
    expect(stored().map(({ deliveries }) => deliveries)).toEqual([1, 1, 2, 2]);
    expect(journal().filter(({ type }) => type === 'sent')).toHaveLength(6);
    expect(summaryOf(await arx(dir, 'events send --file in.ndjson --json'))).toMatchObject({ known: 4 });
  });

  test('with a line that is not UTF-8: what it spoke of is not read, so no other body is sent', async () => {
    write('in.ndjson', [flagged('e1', 'x\uFFFD')]);
    await arx(dir, 'events send --file in.ndjson');
    const [path] = journals();
    const whole = readFileSync(path!);
    const at = whole.indexOf('\uFFFD');
    writeFileSync(path!, Buffer.concat([whole.subarray(0, at), Buffer.of(0xff), whole.subarray(at + 3)]));
    const sent = [];
    for await (const entry of readJournal(path!)) if (entry.type === 'sent') sent.push(entry);
    expect(sent).toEqual([]);
  });

  test('of the same id with another body is no excuse not to send it', async () => {
    await arx(dir, `events send contact.flagged --id e1 --payload '{"contact":"a"}'`);
    write('in.ndjson', [flagged('e1', 'b')]);
    expect((await arx(dir, 'events send --file in.ndjson')).exit).toBe(7);
  });

  test('that cannot be written stops everything before it is sent', async () => {
    write('in.ndjson', many(2));
    const { exit, stderr } = await arx(dir, 'events send --file in.ndjson --journal /dev/full');
    expect(exit).toBe(13);
    expect(stderr).toContain('not a regular file');
    expect(existsSync(join(dir, 'data/archive.db')) ? stored() : []).toEqual([]);
  });
});

describe('a service that takes one event at a time', () => {
  test('gets single requests, a few at once; the first that it cannot take stops the rest', async () => {
    let open = 0;
    let most = 0;
    const seen: string[] = [];
    const server = createServer((incoming, outgoing) => {
      open += 1;
      most = Math.max(most, open);
      incoming.toArray().then(
        async (chunks) => {
          await sleep(1);
          open -= 1;
          outgoing.setHeader('content-type', 'application/json');
          if (incoming.url !== '/api/webhooks/ingest') return outgoing.writeHead(404).end('{}');
          const { id, type } = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as Event;
          seen.push(id);
          if (Number(id.slice(1)) >= 40)
            return outgoing.writeHead(403).end('{"error":{"code":"scope_missing","message":"no"}}');
          return outgoing.end(JSON.stringify({ accepted: true, event_id: id, type, status: 'queued' }));
        },
        () => {},
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      write('in.ndjson', many(100));
      const env = { ARX_TOKEN: 'x', LANG: 'C.UTF-8' };
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { exit, stdout, stderr } = await arx(
        dir,
        `events send --file in.ndjson --json --base-url ${url}`,
        { env },
      );
      expect(exit).toBe(5);
      expect(summaryOf({ stdout })).toMatchObject({ accepted: 40, complete: false });
      const { data } = JSON.parse(stdout) as { data: { event_id: string; error?: { code: string } }[] };
      expect(data[40]).toMatchObject({ event_id: 'e40', line: 41, error: { code: 'scope_missing' } });
      expect(stderr).toContain('"message":"line 41, event e40: the service refused the request: no"');
      expect(most).toBeLessThanOrEqual(6);
      expect(most).toBeGreaterThan(1);
      expect(seen.length).toBeLessThan(60);
    } finally {
      server.close();
    }
  });
});

describe('X4 what goes out', () => {
  const payload =
    '{ "contact": "c",\n  "amount": 1.0, "\\u0062": [1e2, 0.30000000000000004], "a": "\\u00e9" }';
  const sentTo = async (line: string) => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      request.toArray().then(
        (chunks) => {
          if (request.method === 'POST') bodies.push(Buffer.concat(chunks as Buffer[]).toString());
          const { id, type } = (request.method === 'POST' ? JSON.parse(bodies.at(-1)!) : {}) as Event;
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ accepted: true, event_id: id, type, status: 'queued' }));
        },
        () => {},
      );
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const base = `--base-url http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const ran = await arx(dir, `${line} ${base}`, { env: { LANG: 'C.UTF-8', ARX_TOKEN: 'secret' } });
      return { ...ran, bodies };
    } finally {
      server.close();
    }
  };

  test('is the payload as it was written', async () => {
    writeFileSync(join(dir, 'payload.json'), `${payload}\n`);
    const { exit, bodies } = await sentTo('events send contact.flagged --id e1 --payload @payload.json');
    expect([exit, bodies]).toEqual([0, [`{"id":"e1","type":"contact.flagged","payload":${payload}}`]]);
    expect(journal()[0]).toMatchObject({ type: 'sent', text: bodies[0] });
  });

  test('is the line as it was written; a field that envelopes do not have is left out', async () => {
    const line = `{ "type": "contact.flagged", "id": "e1", "payload": ${payload.replace('\n', ' ')} }`;
    const more = '{"x":1,"payload" :\t{"n":1.0, "contact":"c" } ,"id":"e2","type":"contact.flagged"}';
    write('in.ndjson', [line, more]);
    const { exit, bodies } = await sentTo('events send --file in.ndjson');
    expect(exit).toBe(0);
    expect(bodies.sort()).toEqual(
      [line, '{"id":"e2","type":"contact.flagged","payload":{"n":1.0, "contact":"c" }}'].sort(),
    );
  });

  test('is what the service has and shows, also after a replay', async () => {
    const odd = payload.replace('1.0', '[9007199254740993, 1e300, -1E-400, 0.1000000000000000055]');
    writeFileSync(join(dir, 'payload.json'), `\n${odd}\r\n`);
    const line = `{"id":"e2","type":"contact.flagged","payload":${odd.replace('\n', ' ')}}`;
    const close = line.replace('40993', '40992').replace('e2', 'e3');
    write('in.ndjson', [line, close, flagged('e4')]);
    const expected = [
      ['e1', odd],
      ['e2', odd.replace('\n', ' ')],
      ['e3', odd.replace('\n', ' ').replace('40993', '40992')],
      ['e4', '{"contact":"e4"}'],
    ];
    const shown = async () => {
      const { stdout } = await arx(dir, 'api /api/webhooks/events');
      return [...stdout.matchAll(/"id":"(e\d)".*?"payload":(\{.*?\}),"sequence"/gs)].map(
        ([, ...found]) => found,
      );
    };
    expect(await arx(dir, 'events send contact.flagged --id e1 --payload @payload.json')).toMatchObject({
      exit: 0,
    });
    expect(await arx(dir, 'events send --file in.ndjson')).toMatchObject({ exit: 0 });
    expect(await shown()).toEqual(expected);
    const database = new DatabaseSync(join(dir, 'data/archive.db'));
    database.exec('DELETE FROM events');
    database.close();
    expect(await arx(dir, 'events reconcile --replay')).toMatchObject({ exit: 0 });
    expect(await shown()).toEqual(expected);
    expect(await arx(dir, 'fsck')).toMatchObject({ exit: 0 });

    const numbers = '[9007199254740993,1e300,-1E-400,0.1000000000000000055]';
    const { stdout: lines } = await arx(dir, 'events ls -o ndjson');
    expect(lines.split('\n')[0]).toContain(
      `"payload":{"contact":"c","amount":${numbers},"b":[1e2,0.30000000000000004],`,
    );
    expect((await arx(dir, 'events ls --json')).stdout).toContain(`"amount":${numbers}`);
    expect((await arx(dir, 'events ls --fields payload.amount -o tsv')).stdout.split('\n')[0]).toBe(
      '9007199254740993,1e300,-1E-400,0.1000000000000000055',
    );
    expect((await arx(dir, 'events ls -o tsv')).stdout).toContain(`"amount":${numbers}`);
  });

  test.each([
    ['{"contact":"c","contact":"d"}', ': two values for the key contact'],
    ['{"contact":"c","n":1e400}', ': 1e400 is beyond the range of 64 bits'],
    ['{"contact":"c","n":[-1E999]}', ': -1E999 is beyond the range of 64 bits'],
    [`{"contact":"c","n":${'['.repeat(300)}${']'.repeat(300)}}`, ' is nested more than 200 levels deep'],
  ])('is never another value: %s', async (text, message) => {
    writeFileSync(join(dir, 'payload.json'), text);
    write('in.ndjson', [flagged('e0'), `{"id":"e1","type":"contact.flagged","payload":${text}}`]);
    const one = await sentTo('events send contact.flagged --id e1 --payload @payload.json');
    expect([one.exit, one.bodies]).toEqual([2, []]);
    expect(one.stderr).toContain(`--payload${message}; nothing was sent`);
    const file = await sentTo('events send --file in.ndjson');
    expect([file.exit, file.bodies]).toEqual([2, []]);
    expect(file.stderr).toContain(`line 2${message}; nothing was sent`);
  });
});

test.each([
  ['is refused where the service says accepted false', false, 7, 'did not accept e1'],
  ['is unconfirmed where a success acknowledges nothing', undefined, 16, 'e1 may have been accepted'],
])('M9 an event %s, and the others are sent', async (_what, accepted, exit, words) => {
  const server = createServer((request, response) => {
    request.toArray().then(
      (chunks) => {
        const { id, type } = JSON.parse(Buffer.concat(chunks as Buffer[]).toString() || '{}') as Event;
        response.setHeader('content-type', 'application/json');
        const said = id === 'e1' ? { accepted, status: 'received' } : { accepted: true, status: 'queued' };
        response.end(JSON.stringify({ event_id: id, type, ...said }));
      },
      () => {},
    );
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    write('in.ndjson', many(20));
    const base = `--base-url http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ran = await arx(dir, `events send --file in.ndjson --json ${base}`, {
      env: { LANG: 'C.UTF-8', ARX_TOKEN: 'secret' },
    });
    expect(ran.exit).toBe(exit);
    expect(summaryOf(ran)).toMatchObject({ accepted: 19, failed: 1, unsent: 0 });
    expect(ran.stderr).toContain(words);
    expect(ran.stderr.includes('events reconcile')).toBe(exit === 16);
  } finally {
    server.close();
  }
});

test('a batch that something before the service refuses goes as single events', async () => {
  const bodies: string[] = [];
  const server = createServer((incoming, outgoing) => {
    incoming.toArray().then(
      (chunks) => {
        outgoing.setHeader('content-type', 'application/json');
        if (incoming.url === '/api/health') return outgoing.end('{"status":"stable","ingest_batch":100}');
        if (incoming.headers['content-type'] === 'application/x-ndjson')
          return outgoing.writeHead(413).end('{}');
        bodies.push(Buffer.concat(chunks as Buffer[]).toString());
        const { id, type } = JSON.parse(bodies.at(-1)!) as Event;
        return outgoing.end(JSON.stringify({ accepted: true, event_id: id, type, status: 'queued' }));
      },
      () => {},
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    write('in.ndjson', many(20));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { ARX_TOKEN: 'x', LANG: 'C.UTF-8' };
    const { exit, stdout } = await arx(dir, `events send --file in.ndjson --json --base-url ${url}`, { env });
    expect(exit).toBe(0);
    expect(summaryOf({ stdout })).toMatchObject({ accepted: 20, complete: true });
    expect(bodies).toHaveLength(20);
  } finally {
    server.close();
  }
});

test('events that may have arrived are no rows, and are reported once', async () => {
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/api/health') outgoing.end('{"status":"stable","ingest_batch":100}');
    else incoming.resume().on('end', () => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    write('in.ndjson', ['', ...many(20)]);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { ARX_TOKEN: 'x', LANG: 'C.UTF-8' };
    const { exit, stdout, stderr } = await arx(
      dir,
      `events send --file in.ndjson --json --retries 0 --base-url ${url}`,
      { env },
    );
    expect(exit).toBe(16);
    expect(JSON.parse(stdout)).toMatchObject({ data: [], summary: { rows: 20, failed: 20 } });
    expect(stderr).toMatch(
      /"message":"20 events, lines 2 to 21: event e0 and 19 more may have been accepted/,
    );
    expect(stderr.match(/may have been accepted/g)).toHaveLength(2);
  } finally {
    server.close();
  }
});

test('signed events need no token, and secrets show nowhere', async () => {
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  writeFileSync(join(dir, 'secret'), `${secret}\n`, { mode: 0o644 });
  writeFileSync(join(dir, 'wrong'), `whsec_${Buffer.alloc(32, 6).toString('base64')}\n`, { mode: 0o600 });
  const served = await serve(join(dir, 'there'), ['--webhook-secret-file', join(dir, 'secret')]);
  try {
    write('in.ndjson', [...many(30), flagged('ümlaut')]);
    // The clock of the tests stands still for both.
    const send = (file: string, more = '') =>
      arx(
        dir,
        `events send --file in.ndjson --json -v --base-url ${served.base_url} ${more} --sign-with ${file}`,
      );
    const refused = await send('wrong');
    expect(refused.exit).toBe(4);
    expect(refused.stderr).toMatch(/"message":"31 events, lines 1 to 31: [^\n]*"code":"signature_invalid"/);
    expect(refused.stdout.match(/"accepted":false/g)).toHaveLength(31);
    const ran = await send('secret');
    expect(summaryOf(ran)).toMatchObject({ accepted: 31, complete: true });
    const one = await arx(
      dir,
      `events send contact.flagged --id ünö --payload '{"contact":"a"}' --base-url ${served.base_url} --sign-with secret`,
    );
    expect(one.exit).toBe(0);
    const said = [refused, ran, one, { stdout: '', stderr: served.stderrText() }]
      .map(({ stdout, stderr }) => stdout + stderr)
      .join('');
    expect(said).not.toContain(secret.slice(6, 30));
    expect(readFileSync(journals()[0]!, 'utf8')).not.toContain(secret.slice(6, 30));
    // A file open to others is closed, as those of tokens are.
    expect(statSync(join(dir, 'secret')).mode & 0o777).toBe(0o600);
    expect(new Webhook(secret)).toBeDefined();
  } finally {
    await served.close();
  }
  for (const [file, why] of [
    ['none', 'cannot read the secret file none'],
    ['in.ndjson', 'line 1 is no secret'],
  ] as const) {
    const { exit, stderr } = await arx(dir, `events send --file in.ndjson --sign-with ${file}`);
    expect(exit).toBe(2);
    expect(stderr).toContain(why);
  }
});

test.each(['one', 'a file'])('a service that only reads is not asked again: %s', async (what) => {
  write('events.ndjson', many(3));
  const served = await serve(dir, ['--read-only']);
  try {
    const args =
      what === 'one' ? `contact.flagged --id e0 --payload '{"contact":"c"}'` : '--file events.ndjson';
    const ran = await arx(dir, `events send ${args} -v --base-url ${served.base_url}`, {
      env: { ARX_TOKEN: await tokenOf(served.base_url, served.owner) },
    });
    expect(ran.exit).toBe(9);
    expect(ran.stderr).toContain('this service is read-only now');
    expect(ran.stderr).not.toContain('attempt 2');
    expect(ran.stderr.match(/POST \S+: 503/g)).toHaveLength(1);
  } finally {
    await served.close();
  }
});

describe('a service that is away for a while', () => {
  /** Answers `failures` requests by 503, and then as a service that takes single events. */
  const away = async (failures: number) => {
    let requests = 0;
    const server = createServer((incoming, outgoing) => {
      requests += 1;
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        if (requests <= failures) {
          outgoing.writeHead(503).end();
          return;
        }
        const { id, type } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Partial<Event>;
        outgoing.writeHead(200, { 'content-type': 'application/json' });
        outgoing.end(JSON.stringify({ accepted: true, event_id: id, type, status: 'accepted' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
  };
  const env = { ARX_TOKEN: 'x', LANG: 'C.UTF-8' };

  test.each(['--file in.ndjson', 'contact.flagged --id e0 --payload \'{"contact":"e0"}\''])(
    'gets the event again, and one line says so: %s',
    async (what) => {
      const { url, server } = await away(40);
      write('in.ndjson', many(1));
      const ran = await arx(dir, `events send ${what} --json --base-url ${url}`, { env });
      server.close();
      expect(ran).toMatchObject({
        exit: 0,
        stderr: expect.stringMatching(/^arx: .*; sending again for up to 120 s\n$/),
      });
    },
  );

  test.each([
    ['--retry-for 3', 'after 5 tries); gave up after 3 s [busy, exit 9]', 40],
    ['--retry-for 0', 'after 5 tries) [busy, exit 9]', 10],
    ['--retries 0', '503 [busy, exit 9]', 2],
  ])('until the time is over; the message is that of the last try: %s', async (option, text, requests) => {
    const { url, server } = await away(1_000);
    let seen = 0;
    server.on('request', () => (seen += 1));
    write('in.ndjson', many(1));
    const ran = await arx(dir, `events send --file in.ndjson --base-url ${url} ${option}`, { env });
    server.close();
    expect(ran.stderr).toContain(text);
    expect(ran.exit).toBe(9);
    expect(seen).toBe(requests);
  });
});

test('on a terminal the end says how to see the effect of the events; scripts see nothing of it', async () => {
  write('three', many(3));
  const lines = [
    [`contact.flagged --id one --payload '{"contact":"a"}'`, 'its effect: arx events ls;'],
    ['--file three', 'their effects: arx events ls;'],
  ] as const;
  for (const [line, next] of lines) {
    const ran = await arx(dir, `events send ${line}`, { columns: 80 });
    // It breaks where the terminal ends.
    expect([ran.exit, ran.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      0,
      expect.stringContaining(`arx: acknowledged as queued, and applied where possible; ${next}`),
    ]);
    expect((await arx(dir, `events send ${line} -q`, { columns: 80 })).stderr).toBe('');
    expect((await arx(dir, `events send ${line}`)).stderr).toBe('');
  }
  expect((await arx(dir, 'events ls')).stdout).toContain('one\t');
  const { base_url, owner, close } = await serve(dir);
  const line = `events send ${lines[0][0]} --base-url ${base_url}`;
  const env = { ARX_TOKEN: await tokenOf(base_url, owner) };
  const remote = await arx(dir, line, { columns: 80, env });
  await close();
  expect(remote.stderr.replaceAll(/\s+/g, ' ')).toContain(
    `acknowledged as queued, and perhaps applied since; its effect: arx --base-url ${base_url} events ls; `,
  );
});
