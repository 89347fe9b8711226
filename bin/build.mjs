// Builds the bundled program into dist/, or into the folder that is named. --generate writes the generated files instead.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { stubs } from './stubs.mjs';

const root = join(import.meta.dirname, '..');

/** The program, what answers completion scripts, and the worker threads. */
const PROGRAM = {
  main: 'src/main.ts',
  complete: 'src/completion/complete.ts',
  'disk-worker': 'src/download/disk-worker.ts',
  'hash-worker': 'src/verify/hash-worker.ts',
  'jq-worker': 'src/format/jq-worker.ts',
  'picture-worker': 'src/format/picture/picture-worker.ts',
  'small-file-worker': 'src/download/small-file-worker.ts',
};

/** Packages that only some commands need: each becomes a file under vendor/, which is loaded when it is first used. */
const VENDORS = {
  chalk: `export * from 'chalk'`,
  'city-timezones': `module.exports = require('city-timezones')`,
  'cli-table3': `module.exports = require('cli-table3')`,
  conf: `export { default } from 'conf'`,
  exifreader: `module.exports = require('exifreader')`,
  'decode-picture.ts': `export * from './src/format/picture/decode-picture.ts'`,
  'explorer.ts': `export * from './src/explore/explorer.ts'`,
  'help-texts.ts': `export * from './src/help/help-texts.ts'`,
  // With jq.wasm inside, so that no second file has to be found.
  'jq-wasm': `module.exports = require('jq-wasm/inline')`,
  'openapi.json': `module.exports = require('./src/contract/openapi.json')`,
  mustache: `module.exports = require('mustache')`,
  pg: `module.exports = require('pg')`,
  'postal-mime': `export { default, addressParser, decodeWords } from 'postal-mime'`,
  'pg-copy-streams': `module.exports = require('pg-copy-streams')`,
  '@photostructure/sqlite': `module.exports = require('@photostructure/sqlite')`,
  'undici-parts.ts': `export * from './src/client/undici-parts.ts'`,
  'sixel.ts': `export * from './src/format/picture/sixel.ts'`,
  'tar-stream': `module.exports = require('tar-stream')`,
  yauzl: `module.exports = require('yauzl')`,
};

const escaped = (name) => name.replaceAll(/[./-]/g, '\\$&');
const vendors = {
  name: 'vendors',
  setup({ onResolve }) {
    const filter = new RegExp(`(^|/)(${Object.keys(VENDORS).map(escaped).join('|')})$`);
    onResolve({ filter }, ({ path }) => ({ path: `./vendor/${path.split('/').at(-1)}.js`, external: true }));
  },
};

const MODULE_URL = "const __moduleUrl = require('node:url').pathToFileURL(__filename).href;";

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  external: ['@napi-rs/keyring'],
  // A file is loaded through require, which the code cache covers; import() would bring in the ES module loader.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__moduleUrl' },
  // The blank before require lets publint see at the first line that the file is CommonJS.
  banner: { js: MODULE_URL },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  loader: { '.md': 'text' },
  logLevel: 'warning',
};

async function program(outdir) {
  await rm(outdir, { recursive: true, force: true });
  const program = { ...common, plugins: [stubs, vendors], entryPoints: PROGRAM, outdir, metafile: true };
  const bundles = [await build(program)];
  for (const [name, contents] of Object.entries(VENDORS)) {
    const stdin = { contents, resolveDir: root };
    const outfile = join(outdir, 'vendor', `${name.split('/').at(-1)}.js`);
    bundles.push(await build({ ...common, plugins: [stubs], stdin, outfile, metafile: true }));
  }
  await sqliteLibraries(outdir);
  await licences(
    outdir,
    bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs)),
  );
  await helpTexts(outdir);
  await manual(outdir);
  await identify(outdir);
  await warm(outdir);
}

/**
 * Makes the program a function, as `wrap` of node:module would at each start, where it copies two megabytes. Adds a line with
 * the hash of all bundles, by which code caches of users are named.
 */
async function identify(outdir) {
  const main = join(outdir, 'main.js');
  await writeFile(main, `${module.wrap(await readFile(main, 'utf8'))}\n`);
  const hash = createHash('sha256');
  const vendors = (await readdir(join(outdir, 'vendor'))).map((name) => join(outdir, 'vendor', name));
  for (const path of [main, ...vendors.toSorted()]) hash.update(await readFile(path));
  await appendFile(main, `//${hash.digest('hex')}`);
}

/** Copies the compiled SQLite of each system: nothing is compiled or downloaded when the program is installed. */
async function sqliteLibraries(outdir) {
  const from = join(root, 'node_modules/@photostructure/sqlite/prebuilds');
  for (const system of await readdir(from)) {
    await mkdir(join(outdir, 'sqlite', system), { recursive: true });
    for (const name of await readdir(join(from, system))) {
      const libc = name.split('.').at(-2);
      await copyFile(join(from, system, name), join(outdir, 'sqlite', system, `${libc}.node`));
    }
  }
}

/** Writes the licences of the packages that are in the bundles. */
async function licences(outdir, inputs) {
  const folders = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const texts = await Promise.all([...folders].toSorted((a, b) => (a < b ? -1 : 1)).map(licenceOf));
  await writeBelow(outdir, 'licences.txt', texts.join(`\n${'-'.repeat(80)}\n\n`));
}

async function licenceOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  const file = (await readdir(join(root, folder))).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? '' : await readFile(join(root, folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

/** Runs the program as the launcher does. */
const RUN = `
const [main] = process.argv.splice(1, 1, 'arx');
const { builtCachePath, start } = require(${JSON.stringify(join(root, 'bin/start.js'))});
`;

/**
 * Runs the program, and adds what V8 compiled in this run to the code caches of its scripts. It ignores V8 flags that a command
 * sets, since a cache made under them is rejected by all other commands.
 */
const WARM = `${RUN}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
require('node:v8').setFlagsFromString = () => {};
start(main, (path, source) => {
  const cache = builtCachePath(path);
  const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
  const script = new (require('node:vm').Script)(source, { filename: path, cachedData });
  process.on('exit', () => writeFileSync(cache, script.createCachedData()));
  return script;
});
`;

/** Runs a search, a listing, a pull from a service and a verification once, so that the code cache has what most commands need. */
async function warm(outdir) {
  const main = join(outdir, 'main.js');
  if (/[^\0-\x7f]/.test(await readFile(main, 'utf8'))) throw new Error('the program is not ASCII');
  const home = await mkdtemp(join(tmpdir(), 'arx-build-'));
  const service = createServer(answer).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const remote = { ARX_BASE_URL: `http://127.0.0.1:${service.address().port}`, ARX_TOKEN: 'arx_warm.token' };
  const env = { PATH: process.env['PATH'], HOME: home, ARX_DATA_DIR: home, ARX_CONFIG_DIR: home };
  try {
    const mails = join(home, 'mails.mbox');
    await writeFile(mails, MAILS);
    await promisify(execFile)(process.execPath, ['-e', `${RUN}start(main);`, main, 'import', mails], { env });
    await keepCompiled(main, ['attachments', 'ls'], env);
    await keepCompiled(main, ['attachments', 'pull', '--all', '--to', join(home, 'files')], {
      ...env,
      ...remote,
    });
    await keepCompiled(main, ['attachments', 'verify', join(home, 'files')], env);
    await keepCompiled(main, ['search', 'word'], env);
  } finally {
    service.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** A mail as it is usual, with a file. */
const MAILS = `From a@b Thu Jan  1 00:00:00 2026
Message-ID: <1@b>
From: "A B" <a@b>
Subject: =?utf-8?q?w=C3=B6rd?=
Date: Thu, 1 Jan 2026 00:00:00 +0000
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain; charset="utf-8"
Content-Transfer-Encoding: quoted-printable

a word=3D1
> quoted word
--b
Content-Type: text/x-diff; name="a.txt"
Content-Disposition: attachment; filename="a.txt"
Content-Transfer-Encoding: base64

d29yZAo=
--b--
`;

const ROWS = 100;

/** Answers as a small archive: a list with cursors, and files that contain their own path. */
function answer({ url, headers }, response) {
  const { pathname, searchParams } = new URL(url, `http://${headers.host}`);
  if (pathname.startsWith('/files/')) {
    response.end(pathname);
    return;
  }
  const [after, before] = ['starting_after', 'ending_before'].map((name) => Number(searchParams.get(name)));
  const all = Array.from({ length: ROWS }, (_, at) => at + 1);
  const inside = all.filter((id) => id > after && (before === 0 || id < before));
  const limit = Number(searchParams.get('limit'));
  const page = after === 0 && before > 0 ? inside.slice(-limit) : inside.slice(0, limit);
  const data = page.map((id) => ({
    id: String(id),
    filename: `${id}.txt`,
    file_url: `http://${headers.host}/files/${id}`,
    sha256: createHash('sha256').update(`/files/${id}`).digest('hex'),
    redacted: false,
    decorative_layer: false,
    first_visible: true,
  }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ status: 'ok', data, has_more: page.length < inside.length }));
}

/** Runs a command of the built program and adds what V8 compiled to the code cache. */
async function keepCompiled(main, words, env) {
  const child = spawn(process.execPath, ['-e', WARM, main, ...words], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (status !== 0) throw new Error(`the built program does not run: ${said}`);
}

/** Writes what is derived from the code and committed. */
async function derived() {
  const { generate } = await sourceModule('src/generate.ts');
  for (const [path, contents] of Object.entries(generate())) await writeBelow(root, path, contents);
}

/** Writes the help of each command: the launcher prints these files without loading the program. */
async function helpTexts(outdir) {
  const { helpByWords } = await sourceModule('src/program.ts');
  for (const [words, text] of Object.entries(await helpByWords(''))) {
    await writeBelow(outdir, `help/${['arx', ...words.split(' ')].filter(Boolean).join('.')}.txt`, text);
  }
}

/** Writes the manual page: package.json names it, so that npm links it beside the program. */
async function manual(outdir) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { manPage } = await sourceModule('src/help/man-page.ts');
  await writeBelow(outdir, 'man/arx.1', manPage(version));
}

/** Bundles a module of the source and loads it. */
async function sourceModule(path) {
  const scratch = await mkdtemp(join(tmpdir(), 'arx-build-'));
  try {
    const outfile = join(scratch, 'module.cjs');
    await build({ ...common, entryPoints: [path], outfile });
    return await import(pathToFileURL(outfile));
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function writeBelow(dir, path, contents) {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), contents);
}

const outdir = process.argv.slice(2).find((word) => !word.startsWith('--'));
if (process.argv.includes('--generate')) await derived();
else await program(resolve(outdir ?? join(root, 'dist')));
