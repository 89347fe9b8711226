// An import into PostgreSQL killed during its COPY: nothing is stored by half, and the next run completes it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { withClient, freshUrl, noPostgres, schemaOf } from '../support/postgres.ts';
import { buildProgram, type Program } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Makes three transactions: this import commits every 256 messages. */
const MESSAGES = 600;

/**
 * Has the program kill itself at the `nth` message to PostgreSQL in which `word` stands: before it is sent, in the
 * middle of the message after it, or after it.
 */
type Point = { word: string; nth: number; when: 'before' | 'within' | 'after' };

const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { Socket } from 'node:net';
const { word, nth, when } = JSON.parse(process.env.ARX_TEST_KILL);
const { write } = Socket.prototype;
let met = 0;
let isNext = false;
const die = () => process.kill(process.pid, 'SIGKILL');
Socket.prototype.write = function (chunk, ...rest) {
  if (isNext) {
    write.call(this, chunk.subarray(0, Math.floor(chunk.length / 2)));
    die();
  }
  if (Buffer.from(chunk).includes(word) && ++met === nth) {
    if (when === 'before') die();
    isNext = when === 'within';
    if (when === 'after') { write.call(this, chunk); die(); }
  }
  return write.call(this, chunk, ...rest);
};
`)}`;

function letter(n: number): string {
  // A fifth answers an earlier one, every seventh has a file, every ninth a file that another has, too.
  const parent = n % 5 === 0 && n > 10 ? `In-Reply-To: <m${n - 7}@b>\n` : '';
  const head = `From a@b Thu Jan  1 00:00:00 2026\nMessage-ID: <m${n}@b>\n${parent}From: a${n % 9}@b\nSubject: s${n}\nDate: Thu, 1 Jan 2026 00:00:${String(n % 60).padStart(2, '0')} +0000\n`;
  if (n % 7 !== 0 && n % 9 !== 0) return `${head}\ntext ${n} ${'x'.repeat(n)}\n\n`;
  const file = Buffer.from(n % 9 === 0 ? 'the same' : `file ${n} `.repeat(200)).toString('base64');
  return `${head}MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\ntext ${n}\n--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename=f${n}.bin\nContent-Transfer-Encoding: base64\n\n${file}\n--b--\n\n`;
}

const TABLES = {
  conversations: 'n',
  messages: 'n',
  raws: 'n',
  threads: 'message_key',
  attachments: 'n',
  orphans: 'message_key, message',
  blobs: 'sha256',
  chunks: 'sha256, chunk',
};

/** A line a table: how many rows, and the hash of all that is in them. */
function stateOf(url: string): Promise<string[]> {
  return withClient(async (client) => {
    const lines: string[] = [];
    for (const [table, order] of Object.entries(TABLES)) {
      const { rows } = await client.query<{ rows: string; hash: string }>(
        `SELECT COUNT(*) AS rows, md5(string_agg(md5(CAST(t AS TEXT)), '' ORDER BY ${order})) AS hash
          FROM ${schemaOf(url)}.${table} t`,
      );
      lines.push(`${table} ${rows[0]!.rows} ${rows[0]!.hash}`);
    }
    return lines;
  });
}

describe.skipIf(noPostgres)('an import into PostgreSQL', () => {
  let dir: string;
  let program: Program;
  let clean: string[];
  const run = (url: string, point?: Point) =>
    program.run(['import', 'list.mbox', '--json', '--database', url], {
      dir,
      ...(point === undefined
        ? {}
        : { env: { ARX_TEST_KILL: JSON.stringify(point), NODE_OPTIONS: `--import=${PRELOAD}` } }),
    });
  beforeAll(async () => {
    dir = tempFolder('killed-import');
    program = buildProgram();
    writeFileSync(join(dir, 'list.mbox'), Array.from({ length: MESSAGES }, (_, n) => letter(n + 1)).join(''));
    const url = await freshUrl();
    expect((await run(url)).exit).toBe(0);
    clean = await stateOf(url);
    expect(clean[1]).toMatch(/^messages 600 /);
    expect(clean[4]).toMatch(/^attachments 142 /);
  });

  const POINTS: [point: Point, messages: number][] = [
    [{ word: 'COPY messages', nth: 1, when: 'before' }, 0],
    [{ word: 'COPY messages', nth: 1, when: 'within' }, 0],
    [{ word: 'COPY raws', nth: 2, when: 'within' }, 256],
    [{ word: 'COPY attachments', nth: 2, when: 'within' }, 256],
    [{ word: 'COPY messages', nth: 3, when: 'after' }, 512],
  ];
  test.each(POINTS)(
    'killed at %j, and run again: as if it had never been killed',
    async (point, messages) => {
      const url = await freshUrl();
      expect((await run(url, point)).signal).toBe('SIGKILL');
      // What was not committed is gone when the server learns that its client is.
      await expect.poll(async () => (await stateOf(url))[1]).toMatch(new RegExp(`^messages ${messages} `));
      const again = await run(url);
      expect({ exit: again.exit, stderr: again.stderr }).toEqual({ exit: 0, stderr: '' });
      const { sources } = JSON.parse(again.stdout) as { sources: { messages: object }[] };
      expect(sources[0]!.messages).toEqual({
        read: MESSAGES,
        stored: MESSAGES - messages,
        known: messages,
        refused: 0,
      });
      expect(await stateOf(url)).toEqual(clean);
      const checked = await program.run(['fsck', '--database', url], { dir });
      expect(checked.exit).toBe(0);
    },
  );
});
