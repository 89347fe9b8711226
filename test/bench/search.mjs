// Search over a mailing list: making the index against mu and notmuch, and queries against theirs. CPU time, since the machine is shared.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, LIST, median, scratchEnv, spent, table } from './timing.mjs';

const RUNS = 7;

export async function bench() {
  const has = (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
  if (LIST === undefined || !['mu', 'notmuch', 'xz'].every(has)) {
    process.stdout.write('\nsearch: skipped, ../shared/data, mu or notmuch is not there\n');
    return;
  }
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    const mbox = join(dir, 'samba.mbox');
    copyFileSync(LIST, `${mbox}.xz`);
    spawnSync('xz', ['-d', `${mbox}.xz`]);
    const maildir = join(dir, 'Maildir');
    spawnSync('python3', ['-c', SPLIT, mbox, maildir], { stdio: 'inherit' });
    mkdirSync(join(dir, 'home'));
    const config = join(dir, 'notmuch-config');
    writeFileSync(config, `[database]\npath=${maildir}\n[new]\ntags=\n`);
    const env = { ...process.env, ...scratchEnv(join(dir, 'home')), NOTMUCH_CONFIG: config };
    building({ dir, mbox, maildir, env });
    querying({ env });
    await inProcess({ dir, env });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Medians by name, of rounds in which each line runs once. */
function medians(lines, env, runs, before = {}) {
  const all = Object.fromEntries(Object.keys(lines).map((name) => [name, []]));
  for (let round = -1; round < runs; round += 1) {
    for (const [name, line] of Object.entries(lines)) {
      before[name]?.();
      const figures = spent(line, env);
      if (round >= 0) all[name].push(figures);
    }
  }
  return Object.fromEntries(
    Object.entries(all).map(([name, figures]) => [
      name,
      { ms: median(figures.map(({ ms }) => ms)), cpu: median(figures.map(({ cpu }) => cpu)) },
    ]),
  );
}

function building({ dir, mbox, maildir, env }) {
  const mu = join(dir, 'mu');
  const lines = {
    'arx import, with its index': ['node', ARX, 'import', mbox],
    'mu index': ['mu', 'index', `--muhome=${mu}`, '--quiet'],
    'notmuch new': ['notmuch', 'new', '--quiet'],
  };
  let imports = 0;
  const before = {
    // Moved away: the file system looks long for names beside many that were just removed.
    'arx import, with its index': () => {
      const data = join(dir, 'home', 'data');
      if (existsSync(data)) renameSync(data, join(dir, `data-${(imports += 1)}`));
    },
    'mu index': () => {
      rmSync(mu, { recursive: true, force: true });
      spawnSync('mu', ['init', `--muhome=${mu}`, `--maildir=${maildir}`, '--quiet']);
    },
    'notmuch new': () => rmSync(join(maildir, '.notmuch'), { recursive: true, force: true }),
  };
  const found = medians(lines, env, 3, before);
  const peer = found['mu index'];
  table(
    `Import with the search index: samba-technical (${statSync(mbox).size} bytes, 4,061 messages), medians of 3 in turn`,
    Object.entries(found).map(([name, { ms, cpu }]) => ({
      command: name,
      ms: ms.toFixed(0),
      'CPU ms': cpu.toFixed(0),
      'wall ÷ mu index': (ms / peer.ms).toFixed(2),
      'CPU ÷ mu index': (cpu / peer.cpu).toFixed(2),
      goal: name.startsWith('arx') ? '≤ 0.45' : '',
    })),
  );
}

/** Queries of both languages. */
const QUERIES = [
  ['smbd', 'smbd'],
  ['samba', 'samba'],
  ['"use after free"', '"use after free"'],
  ['regress*', 'regress*'],
  ['from:jeremy', 'from:jeremy'],
];

function querying({ env }) {
  const rows = QUERIES.map(([ours, theirs]) => {
    const found = medians(
      {
        node: ['node', '-e', '0'],
        count: ['node', ARX, 'search', ours, '--count'],
        page: ['node', ARX, 'search', ours, '--sort', 'newest'],
        ranked: ['node', ARX, 'search', ours],
        all: ['node', ARX, 'search', ours, '--all', '--json'],
        'notmuch count': ['notmuch', 'count', theirs],
        'notmuch search': ['notmuch', 'search', theirs],
      },
      env,
      RUNS,
    );
    const total = String(
      spawnSync('node', [ARX, 'search', ours, '--count'], { env, encoding: 'utf8' }).stdout,
    ).trim();
    const ratio = (name, peer) => (found[name].cpu / found[peer].cpu).toFixed(2);
    return {
      query: ours,
      messages: total,
      'node -e 0, CPU ms': found.node.cpu.toFixed(0),
      'count ÷ node': ratio('count', 'node'),
      '20 newest ÷ node': ratio('page', 'node'),
      '20 ranked ÷ node': ratio('ranked', 'node'),
      goal: '≤ 1.9',
      'notmuch count, CPU ms': found['notmuch count'].cpu.toFixed(1),
      'notmuch search, CPU ms': found['notmuch search'].cpu.toFixed(1),
      'all rows ÷ notmuch search': ratio('all', 'notmuch search'),
    };
  });
  table(`Whole processes, CPU time, medians of ${RUNS} in turn`, rows);
}

async function inProcess({ dir, env }) {
  const rows = await withBundle('searches.ts', ({ measureQueries }) =>
    measureQueries(
      { dir: join(dir, 'home', 'data') },
      QUERIES.map(([ours]) => ours),
    ),
  );
  const peers = QUERIES.map(
    ([, theirs]) => medians({ count: ['notmuch', 'count', theirs] }, env, RUNS).count,
  );
  table(
    'In this process, ms of wall time (CPU), medians of 9',
    rows.map((row, at) => ({
      ...row,
      'notmuch count, ms of its process (CPU)': `${peers[at].ms.toFixed(1)} (${peers[at].cpu.toFixed(1)})`,
    })),
  );
}

const SPLIT = `
import mailbox, sys
source = mailbox.mbox(sys.argv[1])
target = mailbox.Maildir(sys.argv[2])
for key in source.iterkeys():
    target.add(source.get_bytes(key))
`;
