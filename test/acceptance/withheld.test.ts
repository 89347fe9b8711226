// Nothing that a withheld row hides changes an answer: over every route, parameter and column, for a reader of each tier.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceResponse, Service } from '../../src/contract/exchange.ts';
import { PARAMETERS } from '../../src/contract/parameters.ts';
import { pathOf, ROUTES, type Route, type RouteName } from '../../src/contract/routes.ts';
import { TIERS, type Tier } from '../../src/contract/tier.ts';
import { createAssetService, createService } from '../../src/service/index.ts';
import { DRIFT_FAULTS } from '../../src/service/fault-injection/drift.ts';
import { createFaultPlan } from '../../src/service/fault-injection/index.ts';
import { importItems } from '../../src/service/import/index.ts';
import { parseMail } from '../../src/service/mail/mail-record.ts';
import { ATTACHMENTS } from '../../src/service/records/attachment.ts';
import { CONVERSATIONS } from '../../src/service/records/conversation.ts';
import { MESSAGES } from '../../src/service/records/message.ts';
import type { ColumnType, Table, WireColumn, Withheld } from '../../src/service/records/table.ts';
import { tiersAbove, tiersUpTo } from '../../src/service/rules/tiers.ts';
import { invalidateSummary } from '../../src/service/store/meta-table/summary.ts';
import { redact } from '../../src/service/store/redaction.ts';
import type { Row, Statements, Value } from '../../src/service/store/sql/database.ts';
import { ASSET_URL, sampleArchive, textOf, tokenFor, type Sample } from '../support/archive.ts';
import { ENGINE } from '../support/engine.ts';
import { sha256Of } from '../support/digest.ts';

type Columns = Record<string, WireColumn<string> & { type: ColumnType }>;
type TableName = 'attachments' | 'messages' | 'conversations';
const TABLES = { attachments: ATTACHMENTS, messages: MESSAGES, conversations: CONVERSATIONS } as Record<
  TableName,
  Table<Columns>
>;

const list = (tiers: readonly Tier[]) => `(${["''", ...tiers.map((tier) => `'${tier}'`)].join(', ')})`;

/** The rows of which something is withheld from a reader, by the reason. Written apart from the statements of the service. */
const ROWS: Record<TableName, Partial<Record<Withheld, (reader: Tier) => string>>> = {
  attachments: {
    above: (reader) => `tier IN ${list(tiersAbove(reader))}`,
    redacted: (reader) => `redacted = 1 AND tier IN ${list(tiersUpTo(reader))}`,
  },
  messages: {
    above: (reader) => `tier IN ${list(tiersAbove(reader))}`,
    part: (reader) => `tier IN ${list(tiersUpTo(reader))} AND n IN
      (SELECT message FROM attachments WHERE redacted = 1 OR tier IN ${list(tiersAbove(reader))})`,
  },
  conversations: {
    above: (reader) => `first_message IN (SELECT n FROM messages WHERE tier IN ${list(tiersAbove(reader))})`,
    part: (reader) =>
      `first_message IN (SELECT n FROM messages WHERE tier IN ${list(tiersUpTo(reader))}) AND n IN
      (SELECT conversation FROM messages WHERE tier IN ${list(tiersAbove(reader))})`,
  },
};

/** What differs: for one reader, all columns that are hidden in the rows that are withheld for one reason. */
const CASES = TIERS.flatMap((reader) =>
  (Object.keys(ROWS) as TableName[]).flatMap((name) =>
    (Object.keys(ROWS[name]) as Withheld[])
      .filter((why) => reader !== 'mirror' || why === 'redacted' || name === 'messages')
      .filter((why) => reader !== 'mirror' || why !== 'above')
      .map((why) => ({ reader, name, why })),
  ),
);

let sample: Sample;
let statements: Statements;
let assets: Service;
const tokens = new Map<Tier, string>();

beforeAll(async () => {
  sample = await sampleArchive({
    conversations: 5,
    messages: 3,
    attachments: 18,
    redactEvery: 5,
    mirrorEvery: 4,
  });
  const { archive } = sample;
  statements = archive.database;
  const mails: [Tier, string][] = [
    ['external', mail(1, 'a file that is redacted')],
    ['external', mail(2, 'a file above the tier of its mail')],
    ['internal', mail(3, 'a file of another tier')],
    ['mirror', mail(4, 'a file of the highest tier')],
    // An answer to a mail that everybody may read.
    ['internal', mail(5, 'a file of an answer', { header: 'In-Reply-To: <file1@x>' })],
  ];
  await importMails(archive, mails);
  await redact(archive, 'att_19', 'by the operator');
  await statements.run(`UPDATE attachments SET tier = 'internal' WHERE n = 20`);
  // The description of a file, which tells its size.
  await statements.run(`UPDATE messages SET format = 'file' WHERE n = 5`);
  // Rows that fail checks, among them those that are withheld.
  await statements.run('UPDATE messages SET failed = 2 WHERE n IN (1, 4, 8)');
  await statements.run('UPDATE attachments SET failed = 4 WHERE n IN (1, 4, 5, 8)');
  await outdate();
  for (const tier of TIERS) tokens.set(tier, await tokenFor(sample.service, tier));
  assets = createAssetService(archive);
  // So often that the number of deliveries, which grows with each answer below, keeps its length.
  for (let delivery = 0; delivery < 100; delivery += 1)
    for (const body of BODIES.ingest)
      await answerTo(sample.service, {
        method: 'POST',
        target: ROUTES.ingest.path,
        token: tokens.get('mirror')!,
        body,
      });
});
afterAll(() => sample.close());

async function importMails(archive: Sample['archive'], mails: [Tier, string][]): Promise<void> {
  await importItems(
    archive,
    (async function* () {
      for (const [position, [tier, text]] of mails.entries()) {
        const raw = Buffer.from(text);
        yield parseMail({ kind: 'raw', path: 'mails', position, raw, sha256: sha256Of(raw) }, tier);
      }
    })(),
  );
}

function mail(
  n: number,
  words: string,
  { header = 'X-Answers: nothing', subject = `mail ${n}`, day = '01' } = {},
): string {
  const file = Buffer.from(`${words}. `.repeat(20)).toString('base64');
  return [
    `Message-ID: <file${n}@x>`,
    'From: a@x',
    `Subject: ${subject}`,
    `Date: ${day} Jan 2026 10:00:00 +0000`,
    header,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    `the text of mail ${n}`,
    '--b',
    `Content-Type: application/octet-stream; name=file${n}`,
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: base64',
    '',
    file.replaceAll(/.{76}/g, '$&\r\n'),
    '--b--',
    '',
  ].join('\r\n');
}

/** Makes the service count again. Whoever changes rows in the program does the same. */
async function outdate(): Promise<void> {
  await sample.archive.database.transaction((inside) => invalidateSummary(inside, 'conversations'));
}

type Request = { method: string; target: string; token?: string; body?: unknown };

/** Bodies for the routes that take one. A new route without one does not compile. */
const BODIES: Record<
  { [name in RouteName]: (typeof ROUTES)[name]['method'] extends 'POST' ? name : never }[RouteName],
  unknown[]
> = {
  token: TIERS.map((tier) => ({ client_id: 'c', observer_tier: tier, requested_tier: tier })),
  ingest: [
    { id: 'evt_1', type: 'contact.flagged', payload: { contact: 'a@x' } },
    { id: 'evt_2', type: 'message.reordered', payload: { id: 'msg_999', entry: 'entry_999', sequence: 4 } },
  ],
};

/** Returns every request that the contract describes, for one reader, with these texts as values of its parameters. */
function requestsFor(reader: Tier, texts: readonly string[], turn: number): Request[] {
  const token = tokens.get(reader)!;
  const names = ['arc_reconstruction', 'mirror_relay', 'none'];
  return (Object.entries(ROUTES) as [RouteName, Route][]).flatMap(([name, { method, path }]) => {
    if (method === 'POST') {
      const bodies: unknown[] = BODIES[name as keyof typeof BODIES];
      // Who gets the token of a higher tier reads what this tier may not know.
      const isAbove = (body: unknown) =>
        tiersAbove(reader).some((tier) => tier === (body as { requested_tier?: Tier }).requested_tier);
      return bodies
        .filter((body) => !isAbove(body))
        .map((body): Request => ({ method, target: path, token, body }));
    }
    const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
    const values = parameter === undefined ? [''] : parameter === 'name' ? names : texts.filter(isId);
    return values.flatMap((value) => {
      const target = parameter === undefined ? path : pathOf(name, { [parameter]: value });
      return [
        ...['HEAD', 'OPTIONS', 'POST'].map((other): Request => ({ method: other, target, token })),
        { method, target },
        { method, target, token: 'wrong' },
        ...queriesOf(name, texts)
          .filter(isAskedBy(reader, turn))
          .map((query): Request => ({ method, target: target + query, token })),
      ];
    });
  });
}

const isId = (text: string) => /^[a-z]+_\d+$/.test(text);

/** `turn`: the number of the case. PostgreSQL takes ten times as long for all of them, so there one reader makes each query, in every second of his cases. */
const isAskedBy = (reader: Tier, turn: number) => (_: string, index: number) =>
  ENGINE === 'sqlite' || (index + turn * TIERS.length) % (2 * TIERS.length) === TIERS.indexOf(reader);

/** Returns queries of a route: all combinations of its closed choices, each with at most one text or number. */
function queriesOf(name: RouteName, texts: readonly string[]): string[] {
  let choices: [string, string][][] = [[]];
  const singles: [string, string][][] = [[]];
  for (const [parameter, schema] of Object.entries(PARAMETERS[name].shape)) {
    const { type, options } = schema.unwrap() as { type: string; options?: string[] };
    const values = { boolean: ['true', 'false'], enum: options, number: ['1', '3', '500'], string: texts }[
      type
    ];
    if (values === undefined) throw new Error(`${parameter}: no values for the type ${type}`);
    const pairs = values.map((value): [string, string] => [parameter, value]);
    if (type === 'boolean' || type === 'enum')
      choices = choices.flatMap((chosen) => [chosen, ...pairs.map((pair) => [...chosen, pair])]);
    else singles.push(...pairs.map((pair) => [pair]));
  }
  // All combinations of many choices are too many for each text.
  if (choices.length > 30) choices = choices.filter((chosen) => chosen.length < 2);
  return choices.flatMap((chosen) =>
    singles.map((single) => {
      const query = new URLSearchParams([...chosen, ...single]).toString();
      return query === '' ? '' : `?${query}`;
    }),
  );
}

let count = 0;

/** Returns the response as text without what differs between any two: the id of the request, new tokens, deliveries. */
async function answerTo(service: Service, { method, target, token, body }: Request): Promise<string> {
  const headers: [string, string][] = token === undefined ? [] : [['authorization', `Bearer ${token}`]];
  if (body !== undefined) headers.push(['content-type', 'application/json']);
  // Another address each time, for requests without a token are limited by address.
  count += 1;
  const peer = `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`;
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
  const ask = () => service({ method, target, headers, body: bytes, peer });
  let response: ServiceResponse = await ask();
  // Beside other tests the database can be late; a client asks again, too.
  for (let tries = 1; response.status === 503 && tries < 3; tries += 1) response = await ask();
  const { status, headers: sent } = response;
  return `${status} ${JSON.stringify(sent)} ${await textOf(response)}`
    .replaceAll(/req_[0-9a-f]{24}/g, 'req_')
    .replaceAll(/"access_token":"[^"]*"/g, '')
    .replaceAll(/"deliveries":\d+/g, '');
}

/** Returns the answers by request, in the order of the requests. */
async function answersTo(
  requests: readonly Request[],
  asked = { service: sample.service, assets },
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const paths = new Set<string>();
  for (const request of requests) {
    const answer = await answerTo(asked.service, request);
    answers.set(JSON.stringify(request), answer);
    for (const [, path = ''] of answer.matchAll(/"http:\/\/127\.0\.0\.1:9(\/[^"]+)"/g)) paths.add(path);
  }
  // Addresses that were given out, the same for other rows, and made-up ones.
  for (const path of paths) {
    const other = ['att_1', 'att_5', 'att_20', 'att_999'].map((id) => path.replace(/(att|msg)_\d+/, id));
    for (const target of [path, ...other, path.replace(/external|internal|mirror/, 'mirror')])
      answers.set(target, await answerTo(asked.assets, { method: 'GET', target }));
  }
  return answers;
}

type Change = { table: TableName; n: number; values: Record<string, Value> };

/** Returns other values for all columns that are hidden in the rows of a case. */
async function changesOf({ reader, name, why }: (typeof CASES)[number]): Promise<Change[]> {
  const rows = await statements.all(`SELECT * FROM ${name} ORDER BY n`);
  const withheld = new Set(
    (await statements.all<{ n: number }>(`SELECT n FROM ${name} WHERE ${ROWS[name][why]!(reader)}`)).map(
      ({ n }) => n,
    ),
  );
  const hidden = Object.entries(TABLES[name].columns).filter(([, { hidden }]) => hidden.includes(why));
  const changed = new Set<string>();
  const changes = rows
    .filter(({ n }) => withheld.has(Number(n)))
    .map((row): Change => {
      const values: Record<string, Value> = {};
      for (const [column, { type }] of hidden) {
        const readable = rows.filter(({ n }) => !withheld.has(Number(n))).map((other) => other[column]!);
        const value = otherValue(column, type, row[column]!, { reader, readable });
        if (value === row[column]) continue;
        values[column] = value;
        changed.add(column);
      }
      return { table: name, n: Number(row['n']), values };
    });
  // Above internal there is one tier alone.
  if (reader === 'internal') changed.add('tier');
  expect(hidden.map(([column]) => column).filter((column) => !changed.has(column))).toEqual([]);
  return changes;
}

type Surroundings = { reader: Tier; readable: readonly Value[] };

/** Returns another value: where it can, one that a row has which is not withheld, since filters are asked for it. */
function otherValue(
  column: string,
  { sql, nullable }: ColumnType,
  value: Value,
  { reader, readable }: Surroundings,
): Value {
  if (column === 'tier') return tiersAbove(reader).find((tier) => tier !== value) ?? value;
  if (column === 'raw_sha256') return sha256Of(`other ${String(value)}`);
  if (sql === 'BIGINT') {
    const all = [value, ...readable].map(Number);
    if (value === null) return 77;
    return all.every((each) => each === 0 || each === 1) ? 1 - Number(value) : Number(value) + 7;
  }
  const other = readable.find((each) => each !== value && each !== null);
  return other ?? (nullable && value !== null ? null : `other ${String(value)}`);
}

async function apply(changes: readonly Change[]): Promise<void> {
  for (const { table, n, values } of changes) {
    if (values['raw_sha256'] !== undefined) values['raw_sha256'] = await changeBytes(n, rewrapped);
    if (values['sha256'] !== undefined) values['sha256'] = (await replaceFile(n)) ?? values['sha256'];
    await update(table, n, values);
  }
  // A row of another size than its bytes would be damage, which is answered for itself.
  await statements.run(
    'UPDATE messages SET raw_bytes = (SELECT length(r.content) FROM raws r WHERE r.n = messages.n)',
  );
  await outdate();
}

async function update(table: string, n: number, values: Record<string, Value>): Promise<void> {
  const sets = Object.keys(values).map((column, index) => `${column} = $${index + 2}`);
  await statements.run(`UPDATE ${table} SET ${sets.join(', ')} WHERE n = $1`, [n, ...Object.values(values)]);
}

/** Changes the stored bytes of a message. Returns their hash. */
async function changeBytes(n: number, change: (text: string) => string): Promise<string> {
  const row = await statements.get<{ content: Uint8Array }>('SELECT content FROM raws WHERE n = $1', [n]);
  const content = Buffer.from(change(Buffer.from(row!.content).toString()));
  await update('raws', n, { content });
  return sha256Of(content);
}

const BASE64_LINES = /(?:^[A-Za-z0-9+/]{20,}=*\r\n)+/m;

/** Returns a mail whose base64 is wrapped elsewhere: no byte of a file changes, no header and no text. */
function rewrapped(text: string): string {
  const lines = BASE64_LINES.exec(text)?.[0];
  if (lines === undefined) return `${text}more of it\r\n`;
  const base64 = lines.replaceAll('\r\n', '');
  return text.replace(lines, `${base64.replaceAll(/.{40}/g, '$&\r\n')}\r\n`);
}

/** Puts other bytes into a mail in place of the file of this row. Returns their hash, undefined where no mail holds it. */
async function replaceFile(n: number): Promise<string | undefined> {
  const row = await statements.get<{ message: number; sha256: string }>(
    'SELECT message, sha256 FROM attachments WHERE n = $1',
    [n],
  );
  const { message, sha256 } = row!;
  const other = Buffer.from(`other bytes for the file ${n}, of another length`);
  let isHere = false;
  const raw_sha256 = await changeBytes(message, (text) => {
    const lines = BASE64_LINES.exec(text)?.[0] ?? '';
    isHere = sha256Of(Buffer.from(lines, 'base64')) === sha256;
    return isHere ? text.replace(lines, `${other.toString('base64')}\r\n`) : text;
  });
  if (!isHere) return undefined;
  await update('messages', message, { raw_sha256 });
  return sha256Of(other);
}

/** Returns what puts all rows and stored bytes back. */
async function saved(): Promise<() => Promise<void>> {
  const tables: [string, Row[]][] = [];
  for (const name of [...Object.keys(TABLES), 'raws'])
    tables.push([name, await statements.all(`SELECT * FROM ${name}`)]);
  return async () => {
    for (const [name, rows] of tables)
      for (const { n, ...values } of rows) await update(name, Number(n), values);
    await outdate();
  };
}

/** Ids of rows of every kind, of unknown ones, and all values of the columns that a parameter could be compared with. */
async function textsOf(changes: readonly Change[]): Promise<string[]> {
  const texts = new Set<string>();
  for (const kind of ['att', 'msg', 'conv', 'entry'])
    for (const n of [1, 4, 5, 8, 16, 17, 19, 20, 23, 999]) texts.add(`${kind}_${n}`);
  for (const { table, n, values } of changes) {
    const row = (await statements.get(`SELECT * FROM ${table} WHERE n = $1`, [n]))!;
    for (const column of Object.keys(values))
      for (const value of [row[column], values[column]])
        if (typeof value === 'string' && value.length <= 64) texts.add(value);
  }
  return [...texts];
}

describe.each(CASES)('$reader: $name, $why', (differing) => {
  test('N5 what is hidden changes no answer', async () => {
    const { reader } = differing;
    const changes = await changesOf(differing);
    expect(changes.length).toBeGreaterThan(0);
    const requests = requestsFor(reader, await textsOf(changes), CASES.indexOf(differing));
    const before = await answersTo(requests);
    // Most is answered, and the withheld rows are in it.
    expect([...before.values()].filter((answer) => answer.startsWith('20')).length).toBeGreaterThan(100);
    const restore = await saved();
    await apply(changes);
    try {
      const after = await answersTo(requests);
      for (const [request, answer] of before)
        expect([request, after.get(request)]).toEqual([request, answer]);
      expect(after.size).toBe(before.size);
    } finally {
      await restore();
    }
  });

  test('and none where lists are faulty on purpose', async () => {
    const { reader } = differing;
    const ask = async () => {
      // On PostgreSQL the reads are counted in the database: the same faults need the same counts.
      if (ENGINE === 'postgres') await statements.run('DELETE FROM counters');
      const service = createService(sample.archive, {
        assetUrl: ASSET_URL,
        version: '0',
        faults: createFaultPlan(sample.archive, {
          drift: { from: 0.4, to: 0.4, seed: 2, faults: DRIFT_FAULTS, mode: 'each' },
        }),
      });
      const answers: string[] = [];
      for (let turn = 0; turn < 6; turn += 1)
        for (const target of ['/v1/attachments', '/v1/conversations', '/messages', '/messages?opening=true'])
          answers.push(await answerTo(service, { method: 'GET', target, token: tokens.get(reader)! }));
      return answers;
    };
    const before = await ask();
    const changes = await changesOf(differing);
    const restore = await saved();
    await apply(changes);
    try {
      expect(await ask()).toEqual(before);
    } finally {
      await restore();
    }
  });
});

test('two archives that were imported differ for nobody in what is above his tier', async () => {
  /** Mails with other words, dates and files where `hidden` is another one. Each file is attached to a mail that all may read. */
  const answersOf = async (hidden: { subject: string; day: string; files: string[] }) => {
    const own = await sampleArchive({ conversations: 0, messages: 0, attachments: 0 });
    try {
      const [before, between, after] = hidden.files as [string, string, string];
      await importMails(own.archive, [
        ['mirror', mail(1, before, hidden)],
        ['external', mail(2, 'seen')],
        ['internal', mail(3, between, { ...hidden, header: 'In-Reply-To: <file2@x>' })],
        ['external', mail(4, 'seen later')],
        ['external', mail(5, 'seen again', { header: 'In-Reply-To: <file3@x>' })],
        ['mirror', mail(6, after, hidden)],
      ]);
      const token = await tokenFor(own.service, 'external');
      const texts = ['att', 'msg', 'conv', 'entry'].flatMap((kind) =>
        [1, 2, 3, 4, 5, 6, 7].map((n) => `${kind}_${n}`),
      );
      texts.push(
        'mail',
        'seen',
        'never',
        'one',
        'another',
        'file1',
        'text',
        'has:attachment',
        'date:2026-01-17',
      );
      const requests = requestsFor('external', texts, 0).map((request) =>
        request.token === undefined || request.token === 'wrong' ? request : { ...request, token },
      );
      return await answersTo(requests, { service: own.service, assets: createAssetService(own.archive) });
    } finally {
      await own.close();
    }
  };
  const unlike = { subject: 'one', day: '02', files: ['not seen', 'not seen either', 'never seen'] };
  // The same bytes in mails that are above the tier.
  const alike = { subject: 'another', day: '17', files: ['seen', 'seen later', 'seen again'] };
  const [one, other] = [await answersOf(unlike), await answersOf(alike)];
  for (const [request, answer] of one) expect([request, other.get(request)]).toEqual([request, answer]);
  expect([...one.values()].filter((answer) => answer.startsWith('20')).length).toBeGreaterThan(50);
});
