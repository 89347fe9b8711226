// Two archives that differ only in what withheld rows hide: every list, filter, order, count and search of the commands prints the same.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { serve, type Served } from '../support/served.ts';
import { sha256Of } from '../support/digest.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** What only higher readers see of the mails above the tier, and of the file that is redacted. */
type Hidden = {
  sender: string;
  subject: string;
  day: string;
  body: string;
  file: { name: string; type: string; bytes: string };
  /** Of the redacted file; its name is shown. */
  redacted: { type: string; bytes: string; city: string };
};

const ONE: Hidden = {
  sender: 'Alma Secret <alma@hidden.example>',
  subject: 'the merger',
  day: '03',
  body: '> quoted whisper\nplain murmur',
  file: { name: 'plan.pdf', type: 'application/pdf', bytes: '%PDF-1.4 plan' },
  redacted: { type: 'text/plain', bytes: 'a note about harbours', city: 'oslo' },
};
/** Words, types and cities of rows that everybody sees, so that a filter could tell them apart. */
const OTHER: Hidden = {
  sender: 'Bo Open <bo@open.example>',
  subject: 'harbour news',
  day: '21',
  body: '> seen words\nopen text that is much longer than the other one',
  file: { name: 'photo.png', type: 'image/png', bytes: 'bytes of its own, for it is redacted' },
  redacted: { type: 'application/pdf', bytes: '%PDF-1.4 of quite another length', city: 'lisbon' },
};

const REDACTED_HASHES = new RegExp(
  [ONE, OTHER].map(({ redacted }) => sha256Of(Buffer.from(redacted.bytes))).join('|'),
  'g',
);

type Mail = {
  id: string;
  sender: string;
  subject: string;
  day: string;
  body: string;
  answers?: string;
  file: { name: string; type: string; bytes: string };
};

const mail = ({ id, sender, subject, day, body, answers, file }: Mail): string =>
  [
    'From a@b Thu Jan  1 00:00:00 2026',
    `Message-ID: <${id}@x>`,
    ...(answers === undefined ? [] : [`In-Reply-To: <${answers}@x>`]),
    `From: ${sender}`,
    `Subject: ${subject}`,
    `Date: ${day} Jan 2026 10:00:00 +0000`,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    `--b\n\n${body}`,
    `--b\nContent-Type: ${file.type}; name="${file.name}"\nContent-Disposition: attachment\n\n${file.bytes}`,
    '--b--\n\n',
  ].join('\n');

const OPEN = { sender: 'Bo Open <bo@open.example>', body: '> seen words\nopen text' };
const FILE = { name: 'photo.png', type: 'image/png', bytes: 'seen bytes' };

/** Makes an archive. `redactions` are done to the file of the first mail, and end with the same reason. */
async function archive(hidden: Hidden, redactions: readonly string[]): Promise<Served> {
  const dir = tempFolder('withheld-commands');
  mkdirSync(join(dir, 'in'));
  const first = {
    ...OPEN,
    id: 'r',
    subject: 'harbour news',
    day: '02',
    file: { name: 'held.txt', ...hidden.redacted },
  };
  writeFileSync(join(dir, 'in/1.mbox'), mail(first));
  writeFileSync(
    join(dir, 'in/2.mbox'),
    mail({ ...hidden, id: 'h1' }) +
      mail({ ...hidden, id: 'h2', answers: 'o1' }) +
      mail({ ...hidden, id: 'h3', answers: 'h1' }),
  );
  writeFileSync(
    join(dir, 'in/3.mbox'),
    mail({ ...OPEN, id: 'o1', subject: 'boats', day: '09', file: FILE }) +
      mail({
        ...OPEN,
        id: 'o2',
        subject: 'Re: boats',
        day: '12',
        answers: 'h2',
        file: { ...FILE, bytes: 'more' },
      }),
  );
  const lines = [
    `import in/1.mbox --tier external --origin-city ${hidden.redacted.city}`,
    'import in/2.mbox --tier internal',
    'import in/3.mbox --tier external --origin-city lisbon',
    ...redactions,
  ];
  for (const line of lines) expect([line, (await arx(dir, line)).exit]).toEqual([line, 0]);
  return serve(dir);
}

const LISTS = [
  '',
  '--count',
  '--name *.pdf',
  '--name held*',
  '--name * --count',
  '--since 2026-01-10',
  '--type none',
  '--type application/*',
  '--city none',
  '--city oslo',
  '--redacted yes',
  '--redacted no --count',
  '--from alma',
  '--matching whisper',
  '--matching "quoted:whisper OR quoted:seen" --count',
  ...['type', '-bytes', 'city', '-from'].map((sort) => `--sort ${sort}`),
  '--fields id,filename,from,date,bytes,type,sha256 --all',
].map((options) => `attachments ls ${options}`);
const QUERIES = [
  '*',
  'quoted:whisper',
  'quoted:seen',
  'unquoted:murmur',
  'from:alma',
  'file:plan',
  'type:application/pdf',
  '-type:image/*',
  'city:oslo',
  'city:osl',
  'has:attachment',
  'on:2026-01-03',
  'alma merger whisper',
];
const LINES = [
  ...LISTS,
  ...['cities', 'types', 'sources', 'senders'].map((name) => `attachments ${name}`),
  ...[
    "types --name '*plan*'",
    'cities --on 2026-01-03',
    'senders --matching merger',
    'types --from alma',
  ].map((line) => `attachments ${line}`),
  ...[1, 2, 5].map((n) => `attachments show att_${n}`),
  ...QUERIES.map((query) => `search '${query}'`),
  ...['year', 'from', 'type', 'city', 'conversation'].map((facet) => `search '*' --facet ${facet}`),
  `search '*' --count`,
  `search '*' --sort newest --all`,
  ...[
    '--from alma',
    '--subject merger',
    '--since 2026-01-10',
    '--until 2026-01-05 --count',
    '--all',
    '--walk',
  ].map((options) => `messages ls ${options}`),
  ...['date', '-subject'].map((sort) => `messages ls --sort ${sort}`),
  ...['', '--subject merger', '--since 2026-01-10', '--until 2026-01-04', '--count', '--all'].map(
    (options) => `conversations ls ${options}`,
  ),
  ...['last', 'subject'].map((sort) => `conversations ls --sort ${sort}`),
  ...['merger --sort -hits', 'whisper', '* --count'].map((query) => `conversations ls --matching ${query}`),
  ...[2, 5].flatMap((n) => [`conversations show conv_${n}`, `conversations export conv_${n}`]),
  ...[2, 6].flatMap((n) => [`messages show msg_${n} --around 2`, `read msg_${n}`]),
  ...[1, 2, 6].flatMap((n) => [`content get msg_${n} --raw`, `content get msg_${n} --json`]),
  'sequence show arc_reconstruction',
  'report',
  'health',
];

let archives: { served: Served; token: string }[];
beforeAll(async () => {
  const redacted = (reason: string) => `redact att_1 --reason "${reason}" --yes`;
  const served = [
    await archive(ONE, [redacted('sealed')]),
    // Another history of the same state; and a file above the tier that is redacted, too.
    await archive(OTHER, [
      redacted('a first reason'),
      'redact att_1 --undo --yes',
      redacted('sealed'),
      'redact att_2 --reason "not for internals" --yes',
    ]),
  ];
  archives = await Promise.all(
    served.map(async (each) => {
      const asked = await fetch(`${each.base_url}/api/auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: 'c', observer_tier: 'external', requested_tier: 'external' }),
      });
      return { served: each, token: ((await asked.json()) as { access_token: string }).access_token };
    }),
  );
});
afterAll(async () => {
  for (const { served } of archives) await served.close();
});

/** Returns what a command prints for an external reader, without what differs between any two services and runs. */
async function printed(line: string, { served, token }: (typeof archives)[number]): Promise<string> {
  const { exit, stdout, stderr } = await arx(tempFolder('reader'), line, {
    env: { LANG: 'C.UTF-8', ARX_BASE_URL: served.base_url, ARX_TOKEN: token },
  });
  return (
    `${exit}\n${stdout}\n${stderr}`
      .replaceAll(served.base_url, 'BASE')
      .replaceAll(served.asset_url, 'ASSETS')
      .replaceAll(new URL(served.base_url).host, 'HOST')
      .replaceAll(/req_[0-9a-f]{24}/g, 'req_')
      .replaceAll(/ASSETS\/[\w/.~-]+/g, 'ADDRESS')
      // Every reader of its tier sees the hash of a redacted file (interface 2.1).
      .replaceAll(REDACTED_HASHES, 'HASH')
  );
}

test.each(LINES)('N5 arx %s', async (line) => {
  const [one, other] = await Promise.all([printed(line, archives[0]!), printed(line, archives[1]!)]);
  expect(other).toBe(one);
  for (const word of [
    'alma',
    'merger',
    'whisper',
    'murmur',
    'plan.pdf',
    'not for internals',
    'a first reason',
  ])
    if (!line.includes(word)) expect(one.toLowerCase()).not.toContain(word);
});
