// `arx fsck` of a large archive beside reading its file once: time, bytes read, memory. `npm run bench fsck [messages]`.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARX, scratchEnv, spent, table } from './timing.mjs';

/** Messages of the archive. */
const MESSAGES = 1_000_000;

export async function bench({ quick, numbers: [messages = quick ? 50_000 : MESSAGES] }) {
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    const mbox = join(dir, 'list.mbox');
    writeList(mbox, messages);
    const env = { ...process.env, ...scratchEnv(dir) };
    spent(['node', ARX, 'import', mbox], env);
    rmSync(mbox);
    const file = join(dir, 'data', 'archive.db');
    const { size } = statSync(file);
    // Writes what a process has read, when it ends.
    const hook = join(import.meta.dirname, 'bytes-read.cjs');
    const rows = [];
    const run = (command, line) => {
      const { ms, cpu, kib } = spent(line, env);
      rows.push({ command, ms, cpu, kib, read: line[0] === 'node' ? bytesRead(line, env, hook) : size });
    };
    run('cat archive.db', ['sh', '-c', 'exec cat "$0" > /dev/null', file]);
    // What any check in Node takes at least: SQLite's check of its pages, then every stored message read and hashed.
    run('integrity_check, rows hashed', ['node', join(import.meta.dirname, 'fsck-peer.mjs'), file]);
    run('arx fsck', ['node', ARX, 'fsck']);
    run('arx fsck --since tomorrow', ['node', ARX, 'fsck', '--since', '2999']);
    const [once] = rows;
    table(
      `arx fsck of ${messages} messages, ${(size / 1e6).toFixed(0)} MB, file in the page cache`,
      rows.map(({ command, ms, cpu, kib, read }) => ({
        command,
        'wall s': (ms / 1000).toFixed(1),
        'CPU s': (cpu / 1000).toFixed(1),
        'wall ÷ cat': (ms / once.ms).toFixed(1),
        'read ÷ file': (read / size).toFixed(1),
        'peak MiB': (kib / 1024).toFixed(0),
        goal: command === 'arx fsck' ? '≤ 3 × cat' : '',
      })),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function bytesRead([node, ...args], env, hook) {
  const { stderr } = spawnSync(node, ['-r', hook, ...args], { env, encoding: 'utf8' });
  return Number(/^bytes read: (\d+)$/m.exec(stderr)?.[1] ?? Number.NaN);
}

/** Writes a list of short mails, two of three of them replies, one in a hundred with a file; the same at each call. */
function writeList(path, count) {
  let state = 12_345;
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const letters = (most) =>
    Array.from({ length: 3 + Math.floor(random() * most) }, () =>
      String.fromCharCode(97 + Math.floor(random() * 26)),
    ).join('');
  const words = Array.from({ length: 20_000 }, () => letters(7));
  const text = (length) =>
    Array.from({ length }, () => words[Math.floor(random() * random() * words.length)]).join(' ');
  const recent = [];
  const file = openSync(path, 'w');
  for (let n = 1; n <= count; n += 1) {
    const id = `${Math.floor(random() * 2 ** 32).toString(16)}.${n}@list.example`;
    const parent = random() < 0.65 ? recent[Math.floor(random() * recent.length)] : undefined;
    recent.push(id);
    if (recent.length > 200) recent.shift();
    const body = Array.from({ length: 4 + Math.floor(random() * random() * 40) }, () => text(9)).join('\n');
    const head = [
      `From o@list.example Thu Jan  1 00:00:00 2026`,
      `From: Observer ${n % 997} <o${n % 997}@list.example>`,
      `Message-ID: <${id}>`,
      ...(parent === undefined ? [] : [`In-Reply-To: <${parent}>`]),
      `Subject: ${text(3)}`,
      `Date: ${new Date(9.5e11 + n * 60_000).toUTCString()}`,
    ].join('\n');
    const attached = `\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\n${body}\n--x\nContent-Disposition: attachment; filename=f-${n}.log\n\n${id}\n--x--\n\n`;
    writeSync(file, `${head}${random() < 0.01 ? attached : `\n\n${body}\n\n`}`);
  }
  closeSync(file);
}
