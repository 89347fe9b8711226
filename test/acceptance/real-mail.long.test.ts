// Imports the real archives and compares messages, threads and attachment hashes with what Python's email package sees.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { importPaths } from '../support/import-paths.ts';
import { openArchive, type OpenArchive } from '../../src/service/store/open.ts';
import { ENGINE, freshPlace } from '../support/engine.ts';
import { expectedTable, hasRealData, unpackFile, unpackTar } from '../support/real-data.ts';
import { tempFolder } from '../support/temp-folder.ts';

const present = hasRealData('lists', ['xz', 'tar']);

const VARIANTS = 'apache-mbox-variants.tar.xz';
/** Name in expected/, packed file, path of the source in it, and the conversations it holds. */
const SOURCES: [name: string, packed: string, path: string, kind: string, conversations: number][] = [
  ['samba-technical-2019-2022', 'samba-technical-2019-2022.mbox.xz', '', 'mbox', 1234],
  ['usrp-users.Maildir', 'usrp-users.Maildir.tar.xz', 'usrp-users.Maildir', 'maildir', 302],
  ['cypherpunks-1992', 'cypherpunks-1992.mbox.xz', '', 'mbox', 677],
  ['spamassassin-2002', 'spamassassin-2002.tar.xz', 'spamassassin-2002', 'mail', 2279],
  // 668 for the oracle, which opens one for each of seven copies of messages without a Message-ID, and for each mail of CR lines.
  ['sisimai-maildir', '../mime-torture/sisimai-bounces.tar.xz', 'sisimai-bounces/maildir', 'mail', 595],
  [
    'apache-httpd-users-2020-07.asf',
    VARIANTS,
    'apache-mbox-variants/httpd-users-2020-07.asf.mbox',
    'mbox',
    41,
  ],
  ['apache-httpd-users-2020-07', VARIANTS, 'apache-mbox-variants/httpd-users-2020-07.mbox', 'mbox', 41],
  ...['listsao', 'mailarchivesao', 'mboxvm'].map((from): [string, string, string, string, number] => [
    `apache-maven-dev-2017-11-${from}`,
    VARIANTS,
    `apache-mbox-variants/maven-dev-2017-11-${from}.mbox`,
    'mbox',
    93,
  ]),
];

const RESERIALISED =
  'a named message/rfc822 part: Python writes the nested message anew, with other folding; ours are the bytes as sent';
const CR_LINES =
  'all line ends are lone CR: the oracle has no field of them; ours has those that the email package of Python reads, so that they join their threads';
const PADDED =
  'base64 with one letter too many: Python gives up and hashes the base64 text itself; ours is the decoded file';
/**
 * Every row that differs, by `name/seq`, and why. Not listed: rows that repeat an earlier row byte for byte (one in
 * samba, 48 in sisimai), which are stored once and counted as known.
 */
const DIFFERENT: Record<string, string> = {
  'spamassassin-2002/3009': PADDED,
  'spamassassin-2002/3056': PADDED,
  ...Object.fromEntries(
    [381, 382, 383, 420, 673, 827].map((seq) => [`sisimai-maildir/${seq}`, RESERIALISED]),
  ),
  ...Object.fromEntries(
    Array.from({ length: 80 }, (_, at) => 746 + at)
      // Without a Message-ID and a file there is nothing that differs.
      .filter((seq) => ![761, 806, 813, 814, 818, 824].includes(seq))
      .map((seq) => [`sisimai-maildir/${seq}`, CR_LINES]),
  ),
};

type Stored = {
  n: number;
  message_key: string | null;
  date_ms: number | null;
  parent: number | null;
  conversation: number;
  raw_sha256: string;
  raw_bytes: number;
  attachments: number;
};

describe.skipIf(!present)('import of real archives', () => {
  let dir = '';
  beforeAll(async () => {
    dir = tempFolder('oracle');
  });

  // One is enough to tell whether the engines differ; all would take long.
  const sources = ENGINE === 'sqlite' ? SOURCES : SOURCES.slice(0, 1);
  test.each(sources)('%s', async (name, packed, path, kind, conversations) => {
    const archive = await archiveIn(join(dir, `${name}.archive`));
    try {
      const source = unpack(dir, packed, path);
      const report = await importPaths(archive, [source], { signal: new AbortController().signal });
      const messages = expectedTable(`${name}.messages`);
      const files = expectedTable(`${name}.attachments`);
      const unique = new Set(messages.map((row) => row.raw_sha256)).size;
      expect(report).toMatchObject({
        sources: [
          {
            kind,
            messages: {
              read: messages.length,
              stored: unique,
              known: messages.length - unique,
              refused: 0,
            },
          },
        ],
        conversations,
        refused: [],
      });
      const differences = await compare(archive, name, messages, files);
      const named = Object.keys(DIFFERENT).filter((row) => row.startsWith(`${name}/`));
      expect(differences.sort()).toEqual(named.sort());
    } finally {
      await archive.close();
    }
  });
});

/** The rows, as `name/seq`, whose message, thread or files differ from the oracle's. */
async function compare(
  archive: OpenArchive,
  name: string,
  messages: Record<string, string>[],
  files: Record<string, string>[],
): Promise<string[]> {
  const stored = await archive.database.all<Stored>('SELECT * FROM messages ORDER BY n');
  const ours = await archive.database.all<{
    message: number;
    declared_type: string;
    sha256: string;
    bytes: number;
  }>('SELECT message, declared_type, sha256, bytes FROM attachments ORDER BY n');
  const byHash = new Map(stored.map((row) => [row.raw_sha256, row]));
  const numberOf = (seq: string | undefined) =>
    seq === '' ? null : (byHash.get(messages[Number(seq)]!['raw_sha256']!)?.n ?? -1);
  const filesOf = grouped(ours, (file) => file.message);
  const expectedOf = grouped(files, (file) => file['seq']);
  const seen = new Set<number>();
  const differences: string[] = [];
  let last = 0;
  for (const row of messages) {
    const found = byHash.get(row['raw_sha256']!);
    if (found !== undefined && seen.has(found.n)) continue;
    const same =
      found !== undefined &&
      found.n > last &&
      (found.message_key ?? '') === row['message_id'] &&
      (found.date_ms === null ? '' : String(Math.floor(found.date_ms / 1000))) === row['date_unix'] &&
      found.parent === numberOf(row['parent_seq']) &&
      found.conversation === numberOf(row['conversation_first_seq']) &&
      String(found.raw_bytes) === row['raw_size'] &&
      JSON.stringify(
        (filesOf.get(found.n) ?? []).map((f) => [f.declared_type, String(f.bytes), f.sha256]),
      ) ===
        JSON.stringify(
          (expectedOf.get(row['seq']) ?? []).map((f) => [f['content_type'], f['size'], f['sha256']]),
        );
    if (!same) differences.push(`${name}/${row['seq']}`);
    if (found !== undefined) {
      seen.add(found.n);
      last = Math.max(last, found.n);
    }
  }
  return differences;
}

function grouped<Row, Key>(rows: Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/** Returns the path of the unpacked source. */
function unpack(dir: string, packed: string, path: string): string {
  const name = `lists/${packed}`;
  if (packed.endsWith('.tar.xz')) {
    unpackTar(name.slice(0, -'.tar.xz'.length), dir, path);
    return join(dir, path);
  }
  const to = join(dir, packed.slice(0, -'.xz'.length));
  unpackFile(name.slice(0, -'.xz'.length), to);
  return to;
}

async function archiveIn(dir: string): Promise<OpenArchive> {
  return openArchive({
    sleep,
    ...(await freshPlace(dir)),
    now: () => Date.UTC(2026, 0, 1),
    randomBytes: (count) => new Uint8Array(count),
  });
}
