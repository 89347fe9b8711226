// The explorer: start to the end of a run that quits at once, and the time from a key to the frame that it sends.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, LIST, median, once, scratchEnv, spent, table } from './timing.mjs';

/** Goals of the full-screen explorer: its start against bare Node, and a key on a screen of 200 × 50. */
const GOALS = { start: 1.5, key: 8 };
const SIZE = { columns: 200, rows: 50 };
const ROWS = 10_000;

export async function bench({ quick }) {
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    start(dir, quick ? 5 : 15);
    await withBundle('../../src/explore/explorer.ts', keys);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Each command runs at a terminal of its own (util-linux `script`), where q is typed before it starts. */
function start(dir, runs) {
  const env = { ...scratchEnv(dir), TERM: 'xterm-256color' };
  if (LIST === undefined) {
    mkdirSync(join(dir, 'files'));
    writeFileSync(join(dir, 'files', 'note.txt'), 'a note\n');
  }
  const list = join(dir, 'list.mbox');
  if (LIST !== undefined) once(['sh', '-c', `xz -dc '${LIST}' > '${list}'`]);
  once(['node', ARX, 'import', LIST === undefined ? join(dir, 'files') : list], { ...process.env, ...env });
  const atTerminal = (line) => [
    'sh',
    '-c',
    `printf q | script -qec "stty cols 100 rows 30; ${line}" /dev/null`,
  ];
  const cases = {
    'node -e 0': atTerminal('node -e 0'),
    'arx explore, q': atTerminal(`node ${ARX} explore`),
    'arx conversations ls': atTerminal(`node ${ARX} conversations ls --limit 20 -o tsv`),
  };
  const seen = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  // In turn, so that a drifting machine drifts for all of them alike. The first round warms up.
  for (let round = -1; round < runs; round += 1)
    for (const [name, line] of Object.entries(cases)) {
      const figures = spent(line, { ...process.env, ...env });
      if (round >= 0) seen[name].push(figures);
    }
  const of = (name, figure) => median(seen[name].map((each) => each[figure]));
  const ratio = (name, figure) => (of(name, figure) / of('node -e 0', figure)).toFixed(2);
  table(
    `Start of the explorer, Node ${process.version}, medians of ${runs} in turn, with the terminal of each`,
    Object.keys(cases).map((command) => ({
      command,
      'CPU ms': of(command, 'cpu').toFixed(0),
      'CPU ÷ node -e 0': ratio(command, 'cpu'),
      'wall ÷ node -e 0': ratio(command, 'ms'),
      goal: command.startsWith('arx explore') ? `≤ ${GOALS.start}` : '',
    })),
  );
}

/** Drives the explorer with a terminal and an archive in memory: a frame is sent before the key returns. */
async function keys({ explore }) {
  const entries = Array.from({ length: ROWS }, (_, at) => conversation(at));
  const text = Array.from(
    { length: ROWS },
    (_, at) => `line ${at}: ${'some words 漢字 '.repeat(at % 20)}`,
  ).join('\n');
  const cases = {
    'down a list': { place: { kind: 'conversations' }, chunk: { entries }, typed: 'j' },
    'a page of a list': { place: { kind: 'conversations' }, chunk: { entries }, typed: ' ' },
    'a letter of a filter': {
      place: { kind: 'conversations' },
      chunk: { entries },
      before: '/',
      typed: 'subject 9',
    },
    'down a message of 10,000 lines': {
      place: { kind: 'message', id: 'msg_1' },
      chunk: { document: { kind: 'message', message: message(text) } },
      typed: 'j',
    },
  };
  const rows = [];
  for (const [name, each] of Object.entries(cases)) {
    const { times, bytes } = await timed(explore, each);
    const sorted = [...times].sort((a, b) => a - b);
    rows.push({
      key: name,
      'CPU ms, median': median(times).toFixed(2),
      'most of 100': sorted.at(-1).toFixed(2),
      'bytes a frame': Math.round(bytes / times.length),
      goal: `≤ ${GOALS.key}`,
    });
  }
  table(`From a key to its frame, ${SIZE.columns} × ${SIZE.rows}, ${ROWS.toLocaleString('en')} rows`, rows);
}

async function timed(explore, { place, chunk, before = '', typed }) {
  let listeners;
  let bytes = 0;
  let drawn = () => {};
  const terminal = {
    size: () => SIZE,
    listen: (given) => (listeners = given),
    write: async (frame) => {
      bytes += frame.length;
      drawn();
    },
    suspend() {},
    close() {},
  };
  const archive = {
    name: 'archive',
    openReader: () => ({ read: async () => chunk }),
    run: async () => ({ exit: 0, stderr: '' }),
    commandLine: (words) => words.join(' '),
  };
  const world = { signal: new AbortController().signal, sleep: async () => {} };
  const frame = () => new Promise((resolve) => (drawn = resolve));
  const ended = explore({
    terminal,
    archive,
    places: [place],
    paint: (line) => line,
    unicode: true,
    timeZone: 'UTC',
    hasMouse: false,
    world,
  });
  // The chunk, and its frame.
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const key of before) listeners.input(Buffer.from(key));
  const times = [];
  bytes = 0;
  for (let count = 0; count < 100; count += 1) {
    const next = frame();
    const begun = process.cpuUsage();
    listeners.input(Buffer.from(typed[count % typed.length]));
    await next;
    // CPU time: it does not depend on who else uses the machine.
    const { user, system } = process.cpuUsage(begun);
    times.push((user + system) / 1000);
    // The next key comes when this frame is written.
    await new Promise(setImmediate);
    if (before !== '' && count % typed.length === typed.length - 1) listeners.input(Buffer.from('\x15'));
    await new Promise(setImmediate);
  }
  listeners.input(Buffer.from('\x1b\x03\x03'));
  listeners.end();
  await ended;
  return { times, bytes };
}

function conversation(number) {
  return {
    kind: 'conversation',
    id: `conv_${number}`,
    subject: `subject ${number} with words, été and 漢字`,
    messages: '3',
    last: { instant: '2019-03-08T07:33:00Z', text: '2019-03-08 07:33', offset: 0 },
    source: 'gateway',
    status: 'stable',
    integrity: 1,
  };
}

function message(text) {
  const parts = [{ kind: 'text', type: 'text/plain', text }];
  const head = {
    from: 'A <a@b.example>',
    to: null,
    cc: null,
    date: '2019-03-08T07:33:00Z',
    subject: 'A subject',
  };
  return { version: 1, id: 'msg_1', conversation_id: null, parent_id: null, ...head, parts, warnings: [] };
}
