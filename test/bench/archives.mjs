// Many archives in one PostgreSQL database: made, listed, upgraded, served, and half of them moved to a second server meanwhile.
// `npm run bench archives [count]`: 1,000 archives unless said otherwise; quick: 50.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, scratchEnv, spent, table } from './timing.mjs';

/** Mails of each archive, every one with a file. */
const MAILS = 100;

export async function bench({ quick, numbers: [count = quick ? 50 : 1_000] }) {
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    await withBundle('copies.ts', async ({ startDatabase }) => {
      const clusters = [await startDatabase(), await startDatabase()];
      if (clusters.includes(undefined)) process.stdout.write('\narchives: skipped, no PostgreSQL\n');
      else
        await measure({ dir, clusters, count }).finally(() =>
          Promise.all(clusters.map((cluster) => cluster.close())),
        );
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const nameOf = (n) => `list-${String(n).padStart(5, '0')}`;

async function measure({ dir, clusters, count }) {
  const [first, second] = clusters;
  const env = { ...process.env, ...scratchEnv(join(dir, 'arx')) };
  const psql = ({ bin, url }, ...more) =>
    execFileSync(join(bin, 'psql'), ['-q', '-At', url, ...more], { encoding: 'utf8' });
  const sql = (cluster, text) => psql(cluster, '-c', text);
  const arx = (...words) => ['node', ARX, ...words];
  const names = Array.from({ length: count }, (_, n) => nameOf(n));
  const rows = [];
  const add = (what, ms, each = count) =>
    rows.push({ what, seconds: (ms / 1000).toFixed(1), 'ms each': (ms / each).toFixed(1) });
  const run = (what, line, each = count) => {
    process.stderr.write(`archives: ${what}\n`);
    add(what, spent(line, env).ms, each);
  };

  run(`arx archive create, ${count}`, arx('archive', 'create', first.url, ...names));
  run('the same again: all are there', arx('archive', 'create', first.url, ...names));
  writeFileSync(join(dir, 'list.mbox'), mails());
  const own = `${first.url}&schema=${names[0]}`;
  run(
    `arx import of ${MAILS} mails`,
    arx('import', join(dir, 'list.mbox'), '--tier', 'external', '--database', own),
    1,
  );
  writeFileSync(
    join(dir, 'fill.sql'),
    names
      .slice(1)
      .map((name) => filledFrom(names[0], name))
      .join('\n'),
  );
  psql(first, '-f', join(dir, 'fill.sql'));
  sql(first, 'ANALYZE');
  run('arx archive ls', arx('archive', 'ls', first.url, '--json'));
  run('arx archive upgrade, nothing to do', arx('archive', 'upgrade', first.url));
  writeFileSync(join(dir, 'older.sql'), names.map(madeOlder).join('\n'));
  psql(first, '-f', join(dir, 'older.sql'));
  run('arx archive upgrade, one version (1 index)', arx('archive', 'upgrade', first.url));

  process.stderr.write('archives: arx serve\n');
  const served = await serve([first.url, second.url], env);
  const ask = async (name, path, token) => {
    const begun = performance.now();
    const reply = await fetch(
      `${served.base_url}/a/${name}${path}`,
      token && { headers: { authorization: `Bearer ${token}` } },
    );
    const text = await reply.text();
    return {
      ms: performance.now() - begun,
      status: reply.status,
      json: reply.status < 300 ? JSON.parse(text) : undefined,
    };
  };
  const connections = () =>
    Number(sql(first, `SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'arx'`));
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${served.pid}/status`, 'utf8'))[1]) / 1024;
  const served_rows = [];
  const note = (what, times) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share) =>
      sorted.length === 0
        ? ''
        : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1);
    served_rows.push({
      what,
      requests: times.length,
      'median ms': at(0.5),
      'p99 ms': at(0.99),
      'most ms': at(1),
      'RSS MiB': memory().toFixed(0),
      connections: connections(),
    });
  };
  note('at the start', []);
  const timesOf = async (of, path, tokenOf = () => undefined) => {
    const times = [];
    for (const name of of) {
      const { ms, status } = await ask(name, path, tokenOf(name));
      if (status !== 200) throw new Error(`${name}${path}: ${status}`);
      times.push(ms);
    }
    return times;
  };
  note('health, cold: each archive is opened', await timesOf(names, '/api/health'));
  note('the same again: closed meanwhile, 64 stay open', await timesOf(names, '/api/health'));
  const warm = names.slice(-32);
  await timesOf(warm, '/api/health');
  note(
    'health, warm: of 32 that are open',
    await timesOf([...warm, ...warm, ...warm, ...warm], '/api/health'),
  );
  const tokens = new Map();
  for (const name of warm) tokens.set(name, await token(`${served.base_url}/a/${name}`));
  await timesOf(warm, '/v1/messages?limit=100', (name) => tokens.get(name));
  note(
    '100 messages, warm',
    await timesOf([...warm, ...warm], '/v1/messages?limit=100', (name) => tokens.get(name)),
  );
  note('an unknown name', await unknown(ask, 200));

  process.stderr.write('archives: move\n');
  const half = names.slice(0, count / 2);
  const state = { stopped: false, statuses: new Map(), times: [] };
  const load = Promise.all([0, 1].map((worker) => readAll({ names, ask, state, worker })));
  const begun = performance.now();
  await ended(arx('archive', 'move', first.url, second.url, ...half, '--yes'), env);
  add(`arx archive move, ${half.length}, while all are read`, performance.now() - begun, half.length);
  state.stopped = true;
  await load;
  note('reads during the move', state.times);
  note('health of all, half of them on the second server', await timesOf(names, '/api/health'));
  await served.close();
  run(
    `arx archive drop, ${count - half.length}`,
    arx('archive', 'drop', first.url, ...names.slice(count / 2), '--yes'),
    count - half.length,
  );
  table(`${count} archives of ${MAILS} mails in one database`, rows);
  table(`arx serve --archives, ${count} archives, two servers`, served_rows);
  process.stdout.write(
    `\nstatus of the reads during the move: ${JSON.stringify(Object.fromEntries(state.statuses))}\n`,
  );
}

/** Runs a command beside what this process does. */
async function ended([command, ...args], env) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${args.slice(0, 3).join(' ')} ended with ${code}`);
}

async function readAll({ names, ask, state, worker }) {
  for (let n = worker; !state.stopped; n += 7) {
    const { ms, status } = await ask(names[n % names.length], '/api/health');
    state.times.push(ms);
    state.statuses.set(status, (state.statuses.get(status) ?? 0) + 1);
  }
}

async function unknown(ask, requests) {
  const times = [];
  for (let n = 0; n < requests; n += 1) times.push((await ask(`none-${n}`, '/api/health')).ms);
  return times;
}

async function token(base) {
  const reply = await fetch(`${base}/api/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'bench', observer_tier: 'external', requested_tier: 'external' }),
  });
  return (await reply.json()).access_token;
}

/** Runs `arx serve` and returns where it listens. */
async function serve(urls, env) {
  const child = spawn('node', [ARX, 'serve', '--port', '0', '--json', '--archives', ...urls], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', (code) => reject(new Error(`arx serve ended with ${code}`)));
  });
  return {
    ...JSON.parse(line),
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
    },
  };
}

function mails() {
  return Array.from(
    { length: MAILS },
    (_, n) => `From a@x Mon Jan  1 00:00:00 2024
Message-ID: <${n}@bench>
From: Someone ${n % 7} <s${n % 7}@bench.example>
Date: Mon, 1 Jan 2024 00:00:${String(n % 60).padStart(2, '0')} +0000
Subject: Letter ${n}
Content-Type: multipart/mixed; boundary=b

--b

${`Line ${n} of the text. `.repeat(40)}
--b
Content-Type: text/plain; name=${n}.txt
Content-Disposition: attachment; filename=${n}.txt

${`File ${n}. `.repeat(40)}
--b--

`,
  ).join('');
}

const FILLED =
  'conversations messages raws threads attachments orphans search_external search_internal search_mirror blobs chunks';

/** Statements that give an archive the rows of another. Its key stays its own. */
function filledFrom(from, to) {
  return FILLED.split(' ')
    .map((name) => `INSERT INTO "${to}".${name} SELECT * FROM "${from}".${name};`)
    .join('\n');
}

/** Statements that take the last version from an archive. */
function madeOlder(name) {
  return `DROP INDEX "${name}".attachments_of_city_type_source;
    CREATE INDEX attachments_open_by_city_type_source ON "${name}".attachments (tier, origin_city, declared_type, source, n)
      WHERE (redacted = 0 AND origin_city IS NOT NULL) IS TRUE;
    DELETE FROM "${name}".migrations WHERE version = (SELECT MAX(version) FROM "${name}".migrations);`;
}
