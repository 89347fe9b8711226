// Builds dist/ (the bundled program) or the folder named; with --generate writes what is derived from the code instead.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** Parts of packages that this program never wants, as modules that do nothing. */
const STUBS = {
  // Installs signal handlers when it is loaded (by conf), so that one Ctrl-C would be handled twice.
  'when-exit': 'export default () => () => {};',
  // HTTP/2 is never spoken, and is slow to load.
  './client-h2.js': 'module.exports = () => {};',
};

const UNDICI = [
  'api/api-connect.js',
  'api/api-request.js',
  'core/connect.js',
  'dispatcher/pool.js',
  'dispatcher/proxy-agent.js',
];

/** The program, and the threads that it starts. */
const PROGRAM = {
  main: 'src/main.ts',
  'disk-thread': 'src/disk-thread.ts',
  'hashing-thread': 'src/hashing-thread.ts',
  'swift-thread': 'src/swift-thread.ts',
};

/** What only some commands need, each in a file of its own under vendor/, loaded when it is first asked for. */
const VENDORS = {
  chalk: `export * from 'chalk'`,
  'city-timezones': `module.exports = require('city-timezones')`,
  'cli-table3': `module.exports = require('cli-table3')`,
  conf: `export { default } from 'conf'`,
  exifreader: `module.exports = require('exifreader')`,
  'openapi.json': `module.exports = require('./src/contract/openapi.json')`,
  pg: `module.exports = require('pg')`,
  'postal-mime': `export { default, addressParser, decodeWords } from 'postal-mime'`,
  // One bundle for all of its parts: they know each other by symbols.
  undici: `module.exports = {${UNDICI.map((path) => `'undici/lib/${path}': require('undici/lib/${path}')`).join()}}`,
  yauzl: `module.exports = require('yauzl')`,
};

const escaped = (name) => name.replaceAll(/[./-]/g, '\\$&');
const stubs = {
  name: 'stubs',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${Object.keys(STUBS).map(escaped).join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'stub' }));
    onLoad({ filter: /./, namespace: 'stub' }, ({ path }) => ({ contents: STUBS[path] }));
  },
};
const vendors = {
  name: 'vendors',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`(^|/)(${Object.keys(VENDORS).map(escaped).join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path: `./vendor/${path.split('/').at(-1)}.js`, external: true }));
    onResolve({ filter: /^undici\/lib\// }, ({ path }) => ({ path, namespace: 'undici' }));
    onLoad({ filter: /./, namespace: 'undici' }, ({ path }) => ({
      contents: `module.exports = require('undici')['${path}']`,
      resolveDir: root,
    }));
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  external: ['@photostructure/sqlite'],
  // A file is loaded through require, which the code cache covers; import() would bring in the ES module loader.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__moduleUrl' },
  banner: { js: "const __moduleUrl=require('node:url').pathToFileURL(__filename).href;" },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
};

async function program(outdir) {
  await rm(outdir, { recursive: true, force: true });
  await build({
    ...common,
    plugins: [stubs, vendors],
    entryPoints: PROGRAM,
    outdir,
  });
  for (const [name, contents] of Object.entries(VENDORS)) {
    const stdin = { contents, resolveDir: root };
    await build({ ...common, plugins: [stubs], stdin, outfile: join(outdir, 'vendor', `${name}.js`) });
  }
  await warm(outdir);
}

/**
 * Runs a listing once, so that V8 can keep what it compiled for it; the launcher uses that with this version of Node.
 * The code that runs is loaded as the launcher loads it.
 */
const WARM = `
const [main] = process.argv.splice(1, 1, 'arx');
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const script = new (require('node:vm').Script)(wrap(readFileSync(main, 'utf8')), { filename: main });
const cache = main + '.' + process.version + '-' + process.arch + '.cache';
process.on('exit', () => writeFileSync(cache, script.createCachedData()));
const loaded = { exports: {} };
script.runInThisContext()(loaded.exports, createRequire(main), loaded, main, require('node:path').dirname(main));
`;

async function warm(outdir) {
  const home = await mkdtemp(join(tmpdir(), 'arx-build-'));
  const env = { PATH: process.env['PATH'], HOME: home, ARX_DATA_DIR: home, ARX_CONFIG_DIR: home };
  const line = ['-e', WARM, join(outdir, 'main.js'), 'attachments', 'ls'];
  const { status, stderr } = spawnSync(process.execPath, line, { env });
  await rm(home, { recursive: true, force: true });
  if (status !== 0) throw new Error(`the built program does not run: ${stderr}`);
}

async function derived() {
  const scratch = await mkdtemp(join(tmpdir(), 'arx-build-'));
  const outfile = join(scratch, 'generate.cjs');
  await build({ ...common, entryPoints: ['src/generate.ts'], outfile });
  const { generate } = await import(pathToFileURL(outfile));
  for (const [path, text] of Object.entries(generate())) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await rm(scratch, { recursive: true });
}

const outdir = process.argv.slice(2).find((word) => !word.startsWith('--'));
if (process.argv.includes('--generate')) await derived();
else await program(resolve(outdir ?? join(root, 'dist')));
