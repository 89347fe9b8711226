// Start-up of the program as installed from the packed tarball, beside `node -e 0` of the same Node, gh and rclone.
// `npm run bench start [rounds]`: 5 rounds unless said otherwise; quick: 3. Under three minutes.
// ARX_BENCH_NODES names the other versions of Node, with spaces between their paths; unset, npm installs Node 22 and 24.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { stubs } from '../../bin/stubs.mjs';
import { median, scratchEnv, spent, table } from './timing.mjs';

const ROOT = join(import.meta.dirname, '..', '..');

/** Command → the goal by Node 20, and by later ones. */
const COMMANDS = {
  '--version': [1.05, 1.05],
  '--help': [1.2, 1.6],
  '__complete bash attachments': [1.25, 1.7],
  'attachments ls --json': [1.45, 2.2],
  'attachments ls -o table': [1.7, 2.5],
};
/** What the packages alone take for a list (packages-alone.mjs), bundled and from a code cache as the program. */
const ALONE = { 'packages alone, JSON': ['--json'], 'packages alone, table': ['-o', 'table'] };
const PEERS = {
  'gh --version': ['gh', '--version'],
  'gh --help': ['gh', '--help'],
  'gh __complete': ['gh', '__complete', 'issue', ''],
  'rclone version': ['rclone', 'version'],
  'rclone --help': ['rclone', '--help'],
  'rclone __complete': ['rclone', '__complete', 'ls', ''],
  'rclone lsjson FOLDER': ['rclone', 'lsjson', 'FOLDER'],
};

export async function bench({ quick, numbers }) {
  const [rounds = quick ? 3 : 5] = numbers;
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    // Node 20 reads the file of NODE_EXTRA_CA_CERTS at each start, and later Nodes when they need it.
    const env = {
      ...process.env,
      NODE_EXTRA_CA_CERTS: undefined,
      ...scratchEnv(dir),
      XDG_CACHE_HOME: '',
      ARX_CACHE_DIR: '',
      NO_COLOR: '1',
    };
    const files = join(dir, 'files');
    mkdirSync(files);
    for (let n = 0; n < 120; n++) writeFileSync(join(files, `note-${n}.txt`), `note ${n}\n`);
    const arx = install(dir);
    const alone = await packagesAlone(dir);
    for (const [at, node] of [process.execPath, ...otherNodes(dir)].entries()) {
      if (at === 0) spent([node, arx, 'import', files], env);
      // What these take does not depend on Node.
      measure(node, { arx, alone }, { files, env, rounds, peers: at === 0 ? PEERS : {} });
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Packs and installs the program as a user does. Returns its path. */
function install(dir) {
  execFileSync('npm', ['pack', '--pack-destination', dir], { cwd: ROOT, stdio: 'ignore' });
  const prefix = join(dir, 'prefix');
  execFileSync('bash', ['-c', 'npm install --silent --global --prefix "$0" "$1"/*.tgz', prefix, dir]);
  return join(prefix, 'bin/arx');
}

/** Bundles packages-alone.mjs as bin/build.mjs bundles the program. Returns the path of a file that runs it from a code cache. */
async function packagesAlone(dir) {
  const bundle = join(dir, 'packages-alone.cjs');
  symlinkSync(join(ROOT, 'dist/sqlite'), join(dir, 'sqlite'));
  await build({
    input: join(import.meta.dirname, 'packages-alone.mjs'),
    platform: 'node',
    plugins: [stubs],
    output: { file: bundle, format: 'cjs', codeSplitting: false, minify: { compress: true, mangle: false } },
  });
  const launcher = join(dir, 'packages-alone-start.cjs');
  writeFileSync(
    launcher,
    `const fs = require('node:fs');
    const { createRequire, wrap } = require('node:module');
    const { Script } = require('node:vm');
    const file = ${JSON.stringify(bundle)};
    const cache = \`\${file}.\${process.version}.\${process.argv.at(-1)}\`;
    const cachedData = fs.existsSync(cache) ? fs.readFileSync(cache) : undefined;
    const script = new Script(wrap(fs.readFileSync(file, 'utf8')), { filename: file, cachedData });
    script.runInThisContext()({}, createRequire(file), {}, file, ${JSON.stringify(dir)});
    if (cachedData === undefined) process.on('exit', () => fs.writeFileSync(cache, script.createCachedData()));`,
  );
  return launcher;
}

function otherNodes(dir) {
  const named = process.env['ARX_BENCH_NODES'];
  if (named !== undefined) return named.split(' ').filter((path) => path !== '');
  return ['22', '24'].flatMap((version) => {
    const prefix = join(dir, `node-${version}`);
    spawnSync('npm', ['install', '--silent', '--prefix', prefix, `node@${version}`], { stdio: 'ignore' });
    const node = join(prefix, 'node_modules/node/bin/node');
    if (!existsSync(node)) process.stdout.write(`Node ${version} cannot be installed here.\n`);
    return existsSync(node) ? [node] : [];
  });
}

/** One first run of each command, then runs in turn. */
function measure(node, { arx, alone }, { files, env, rounds, peers }) {
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  const column = version.startsWith('v20.') ? 0 : 1;
  const cases = { 'node -e 0': { line: [node, '-e', '0'] } };
  for (const [command, goals] of Object.entries(COMMANDS)) {
    const words = command.split(' ');
    if (words[0] === '__complete') words.push('--', '', 'arx attachments show ');
    cases[`arx ${command}`] = { line: [node, arx, ...words], goal: `≤ ${goals[column]}` };
  }
  for (const [name, words] of Object.entries(ALONE))
    cases[name] = { line: [node, alone, 'attachments', 'ls', ...words] };
  for (const [name, words] of Object.entries(peers)) {
    const line = words.map((word) => (word === 'FOLDER' ? files : word));
    if (spawnSync(line[0], line.slice(1), { env, stdio: 'ignore' }).status === 0) cases[name] = { line };
  }
  const seen = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, { line }] of Object.entries(cases)) {
      const figures = spent(line, env);
      if (round >= 0) seen[name].push(figures);
    }
  }
  const figuresOf = (name) => {
    const of = (key) => seen[name].map((each) => each[key]);
    return [Math.min(...of('cpu')), median(of('cpu')), Math.min(...of('ms')), median(of('ms'))];
  };
  const bare = figuresOf('node -e 0');
  table(
    `Start-up, Node ${version}, ${rounds} runs of each in turn, installed from the tarball, after a first run of each`,
    Object.entries(cases).map(([command, { goal = '' }]) => {
      const figures = figuresOf(command);
      const [cpuMin, cpuMedian, wallMin, wallMedian] = figures.map((ms, at) => (ms / bare[at]).toFixed(2));
      return {
        command,
        'CPU ms, least': figures[0].toFixed(0),
        'CPU ÷ node, least': cpuMin,
        'CPU ÷ node, median': cpuMedian,
        'wall ÷ node, least': wallMin,
        'wall ÷ node, median': wallMedian,
        goal,
      };
    }),
  );
}
