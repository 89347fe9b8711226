// Many messages of a local archive in each form, beside Node and sqlite3, which print the rows of the same file.
// `npm run bench rows [rows [rounds]]`: 50,000 rows and 1 round unless said otherwise, under three minutes; quick: 20,000 rows.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, median, scratchEnv, spent, table } from './timing.mjs';

const GOALS = { mib: 150, firstMs: 200, rowsPerSecond: 100_000 };
const FORMS = ['ndjson', 'tsv', 'csv', 'table'];

/** A message as the peers read it: its columns in JSON. */
const sql = (
  rows,
) => `SELECT json_object('id', 'msg_' || n, 'conversation_id', 'conv_' || conversation, 'sequence', sequence,
  'date', date_ms, 'from', sender, 'subject', subject, 'format', format, 'source', source, 'attachments', attachments,
  'sha256', raw_sha256, 'bytes', raw_bytes) AS line FROM messages ORDER BY n LIMIT ${rows}`;
/** Reads row by row, parses and writes each as a line: what no program in JavaScript that shows JSON can do without. */
const NODE = `
const { DatabaseSync } = require('@photostructure/sqlite');
const rows = new DatabaseSync(process.argv[1], { readOnly: true }).prepare(process.argv[2]).iterate();
let text = '';
for (const { line } of rows) {
  text += JSON.stringify(JSON.parse(line)) + '\\n';
  if (text.length < 65536) continue;
  require('node:fs').writeSync(1, text);
  text = '';
}
require('node:fs').writeSync(1, text);`;

/** Milliseconds until a process has written its first bytes; then it is ended. */
function firstBytes([command, ...args], env) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(command, args, {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: import.meta.dirname,
    });
    let ms;
    child.once('error', reject);
    child.stdout.once('data', () => {
      ms = performance.now() - begun;
      // Ends it at once, however busy it is.
      child.kill('SIGKILL');
    });
    child.once('close', () => resolve(ms));
  });
}

export async function bench({ quick, numbers }) {
  const [rows = quick ? 20_000 : 50_000, rounds = 1] = numbers;
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    const env = { ...process.env, ...scratchEnv(dir) };
    const made = await withBundle('generated-archive.ts', ({ makeArchive }) =>
      makeArchive(env.ARX_DATA_DIR, rows),
    );
    const database = join(env.ARX_DATA_DIR, 'archive.db');
    const cases = {
      ...Object.fromEntries(
        FORMS.map((form) => [`arx, ${form}`, ['node', ARX, 'messages', 'ls', '--all', '-o', form]]),
      ),
      'node, JSON lines': ['node', '-e', NODE, database, sql(made)],
      'sqlite3, JSON lines': ['sqlite3', '-readonly', database, sql(made)],
    };
    const seen = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++)
      for (const [name, line] of Object.entries(cases)) {
        const first = await firstBytes(line, env);
        seen[name].push({ first, ...spent(line, env) });
      }
    table(
      `${made.toLocaleString('en')} messages, medians of ${rounds} in turn`,
      Object.entries(seen).map(([name, figures]) => {
        const of = (key) => median(figures.map((each) => each[key]));
        const perSecond = (ms) => Math.round((1000 * made) / ms).toLocaleString('en');
        return {
          command: name,
          'rows per CPU second': perSecond(of('cpu')),
          'rows per second': perSecond(of('ms')),
          'first row ms': of('first').toFixed(0),
          'peak MiB': (Math.max(...figures.map(({ kib }) => kib)) / 1024).toFixed(0),
        };
      }),
    );
    process.stdout.write(
      `\nGoals: ndjson ≥ ${GOALS.rowsPerSecond} rows per second, first row ≤ ${GOALS.firstMs} ms, peak ≤ ${GOALS.mib} MiB.\n`,
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
