// Load on the port of `arx serve`, in turn with a bare node:http server that sends the same bytes, and with pgbench doing the same select.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, median, scratchEnv, table } from './timing.mjs';

const CONNECTIONS = 16;
const PAGES = 200;
const ATTACHMENTS = '/v1/attachments?limit=100&starting_after=att_';
/** `fresh`: no page is asked for twice. */
const LISTS = {
  'attachments, page of 100': { path: ATTACHMENTS },
  'the same, never read before': { path: ATTACHMENTS, fresh: true },
  'conversations, page of 100': { path: '/v1/conversations?limit=100&starting_after=conv_' },
  'messages, page of 20': { path: '/messages?limit=20&starting_after=msg_' },
  'one attachment': { path: '/v1/attachments/att_' },
};

export async function bench({ quick, numbers: [rows = quick ? 5_000 : 100_000] }) {
  const timing = quick ? { rounds: 2, seconds: 0.5 } : { rounds: 5, seconds: 2 };
  await withBundle('loaded.ts', async (loaded) => {
    const stop = await loaded.startPostgres();
    try {
      const figures = [...(await served('sqlite', rows, timing, loaded))];
      if (process.env.ARX_TEST_CLUSTER !== undefined) {
        figures.push(...(await served('postgres', rows, timing, loaded)));
      }
      table(
        `Load on the port, ${rows.toLocaleString('en')} attachments, ${CONNECTIONS} connections, ${PAGES} pages at random; ` +
          `medians of ${timing.rounds} rounds in turn`,
        figures,
      );
    } finally {
      await stop();
    }
  });
}

async function served(engine, rows, timing, loaded) {
  const place = await loaded.makeArchive(engine, rows);
  const dir = engine === 'sqlite' ? place : join(tmpdir(), 'arx-none');
  const where = engine === 'sqlite' ? `sqlite:${place}` : place;
  const running = [];
  const start = (...given) => {
    const one = started(...given);
    running.push(one);
    return one;
  };
  try {
    const line = [
      'node',
      ARX,
      'serve',
      '--port',
      '0',
      '--json',
      '--max-tier',
      'internal',
      '--database',
      where,
    ];
    const arx = start(line, { ...process.env, ...scratchEnv(dir) });
    const base = JSON.parse(await arx.said).base_url;
    const token = await tokenOf(base);
    const figures = [];
    for (const [name, { path, fresh = false }] of Object.entries(LISTS)) {
      const targets = Array.from({ length: PAGES }, (_, at) => path + numberAt(at, rows));
      const answers = {};
      for (const target of targets) {
        const answer = await fetch(base + target, { headers: { authorization: `Bearer ${token}` } });
        if (answer.ok) answers[target] = await answer.text();
      }
      const asked = Object.keys(answers);
      const bare = start(
        ['node', join(import.meta.dirname, 'bare.mjs')],
        process.env,
        JSON.stringify(answers),
      );
      const servers = {
        arx: { ...arx, port: Number(new URL(base).port) },
        bare: { ...bare, port: Number(await bare.said) },
      };
      const seen = { arx: [], bare: [], pgbench: [] };
      for (let round = -1; round < timing.rounds; round += 1) {
        for (const [server, { port, child }] of Object.entries(servers)) {
          const before = cpuOf(child.pid);
          const figure = await load({
            port,
            targets: asked,
            fresh,
            token,
            seconds: timing.seconds,
            // PostgreSQL needs the second core, too.
            awake: engine === 'sqlite',
          });
          figure.cpu = ((cpuOf(child.pid) - before) * 1000) / figure.requests;
          if (figure.refused > 0) throw new Error(`${server} refused ${figure.refused} requests`);
          if (round >= 0) seen[server].push(figure);
        }
        if (engine === 'postgres' && path === ATTACHMENTS) {
          const rate = await pgbench(place, await loaded.pageStatement(), rows, timing.seconds);
          if (round >= 0) seen.pgbench.push({ rate });
        }
      }
      bare.child.kill();
      const of = (server, figure) => median(seen[server].map((one) => one[figure]));
      figures.push({
        engine,
        request: name,
        'KB each': (of('arx', 'bytes') / 1000).toFixed(1),
        'arx, requests/s': of('arx', 'rate').toFixed(0),
        'bare node:http': of('bare', 'rate').toFixed(0),
        ratio: (of('arx', 'rate') / of('bare', 'rate')).toFixed(2),
        'CPU of arx, µs each': of('arx', 'cpu').toFixed(0),
        'of bare': of('bare', 'cpu').toFixed(0),
        'ratio (≥ 0.5)': (of('bare', 'cpu') / of('arx', 'cpu')).toFixed(2),
        'p99, ms': of('arx', 'p99').toFixed(1),
        'to pgbench (≥ 0.6)':
          seen.pgbench.length === 0
            ? ''
            : `${(of('arx', 'rate') / of('pgbench', 'rate')).toFixed(2)} of ${of('pgbench', 'rate').toFixed(0)}/s`,
      });
    }
    return figures;
  } finally {
    for (const { child } of running) child.kill();
    if (engine === 'sqlite') rmSync(place, { recursive: true, force: true });
  }
}

/** Milliseconds of processor time so far: of a busy machine the one figure that others do not change much. */
function cpuOf(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Numbers all over the archive, the same in each run. */
function numberAt(at, rows) {
  return 1 + ((at * 7_919) % (rows - 200));
}

/** A server has the first core for itself, and who loads it the second, where there are two. */
const pinned = (core, line) =>
  availableParallelism() > 1 && existsSync('/usr/bin/taskset')
    ? ['taskset', '-c', String(core), ...line]
    : line;

const children = new Set();
process.once('exit', () => children.forEach((child) => child.kill()));

function started(line, env, input) {
  const [command, ...args] = pinned(0, line);
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  child.stdin.end(input ?? '');
  const said = new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', (code) => reject(new Error(`${line[1]} ended with ${code}`)));
  });
  return { child, said };
}

async function tokenOf(base) {
  const answer = await fetch(`${base}/api/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'bench', observer_tier: 'internal', requested_tier: 'internal' }),
  });
  return (await answer.json()).access_token;
}

async function load(given) {
  const line = [
    'node',
    join(import.meta.dirname, 'load.mjs'),
    JSON.stringify({ connections: CONNECTIONS, ...given }),
  ];
  return JSON.parse(await output(pinned(1, line)));
}

/** Transactions a second of the very select, prepared, by as many connections. */
async function pgbench(url, sql, rows, seconds) {
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a));
  const program = join('/usr/lib/postgresql', versions[0], 'bin/pgbench');
  const script = join(tmpdir(), `arx-bench-${process.pid}.sql`);
  const select = sql
    .replaceAll(/json_quote\(([\w.]+)\)/g, 'CAST(to_json($1) AS TEXT)')
    // Within texts, too, it takes a colon and a letter for a variable.
    .replaceAll(/:(?=[a-z])/g, `:', '`)
    .replaceAll('$1', ':n')
    .replaceAll('$2', '101')
    .replaceAll('\n', ' ');
  writeFileSync(script, `\\set n random(1, ${rows - 200})\n${select};\n`);
  try {
    const said = await output([
      program,
      '-n',
      '-M',
      'prepared',
      '-c',
      String(CONNECTIONS),
      '-T',
      String(Math.ceil(seconds)),
      '-f',
      script,
      url,
    ]);
    return Number(/tps = ([\d.]+)/.exec(said)[1]);
  } finally {
    rmSync(script, { force: true });
  }
}

function output([command, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [said, failed] = ['', ''];
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (failed += chunk));
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve(said) : reject(new Error(`${command}: ${failed}`))));
  });
}
