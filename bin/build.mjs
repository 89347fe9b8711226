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
import { build } from 'rolldown';
import { stubs } from './stubs.mjs';

const root = join(import.meta.dirname, '..');

/** Programs of one file each: what answers completion scripts, the processes of the keyring, of fsck and of long reads, and the worker threads. */
const SINGLE_FILES = {
  complete: 'src/completion/complete.ts',
  'disk-worker': 'src/download/disk-worker.ts',
  'hash-worker': 'src/verify/hash-worker.ts',
  'jq-worker': 'src/format/jq-worker.ts',
  'keyring-process': 'src/config/keyring-process.ts',
  'reads-input-worker': 'src/service/store/engines/reads-input-worker.ts',
  'reads-process': 'src/service/store/engines/reads-process.ts',
  'pages-process': 'src/service/fsck/pages-process.ts',
  'picture-worker': 'src/format/picture/picture-worker.ts',
  'small-file-worker': 'src/download/small-file-worker.ts',
};

/**
 * Modules that a short list loads, and the report of a fault, for which no file can be opened where descriptors are used up:
 * they are in main.js, with all that they import. Everything else that is loaded by `import()`
 * becomes a file below parts/, which is loaded when it is first used.
 */
const OF_LISTS =
  /rolldown\/runtime\.js$|src\/(main|arx|program|wiring\/(create-app|standard-streams|input)|config\/(session|token-store)|commands\/(index|attachments\/ls)|client\/index|service\/(index|handlers\/(attachments|conversations|health|messages)|store\/engines\/sqlite)|format\/fault-report)\.ts$/;

const input = {
  cwd: root,
  platform: 'node',
  external: ['@napi-rs/keyring'],
  plugins: [stubs],
  moduleTypes: { '.md': 'text' },
  transform: { target: 'node20.19' },
  // No module does anything but what others call, so what nobody uses of it is left out.
  treeshake: { moduleSideEffects: [{ test: /\/src\//, sideEffects: false }] },
  checks: { ineffectiveDynamicImport: false },
};
const output = {
  format: 'cjs',
  // import() would bring in the loader of ES modules.
  dynamicImportInCjs: false,
  entryFileNames: '[name].js',
  comments: false,
  // By this publint sees that the file is CommonJS, whatever its texts look like.
  banner: 'module.exports;',
  minify: {
    compress: { keepNames: { function: true, class: true } },
    mangle: false,
    codegen: { removeWhitespace: true },
  },
};

/** Writes the files of a bundle and returns them. */
async function bundle(dir, entries, codeSplitting) {
  const chunkFileNames = 'parts/[name].js';
  const written = await build({
    ...input,
    input: entries,
    output: { ...output, dir, chunkFileNames, codeSplitting },
  });
  return written.output.filter(({ type }) => type === 'chunk');
}

async function program(outdir) {
  await rm(outdir, { recursive: true, force: true });
  const ofLists = { name: 'main', test: OF_LISTS };
  const chunks = await bundle(outdir, { main: 'src/main.ts' }, { groups: [ofLists] });
  await Promise.all(chunks.map(({ fileName }) => asFunction(join(outdir, fileName))));
  for (const [name, path] of Object.entries(SINGLE_FILES))
    chunks.push(...(await bundle(outdir, { [name]: path }, false)));
  await sqliteLibraries(outdir);
  await licences(
    outdir,
    chunks.flatMap(({ moduleIds }) => moduleIds),
  );
  await helpTexts(outdir);
  await manual(outdir);
  await identify(outdir);
  await warm(outdir);
}

/**
 * Makes a script a function, as `wrap` of node:module would at each start, where it copies the text. Writes other characters than
 * ASCII as escapes: V8 uses such a text as it is, and one of two bytes a character is slower.
 */
async function asFunction(path) {
  const ascii = (text) =>
    text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  await writeFile(path, `${module.wrap(ascii(await readFile(path, 'utf8')))}\n`);
}

/** Adds a line with the hash of all scripts to the program, by which code caches of users are named. */
async function identify(outdir) {
  const main = join(outdir, 'main.js');
  const hash = createHash('sha256');
  const parts = (await readdir(join(outdir, 'parts'))).map((name) => join(outdir, 'parts', name));
  for (const path of [main, ...parts.toSorted()]) hash.update(await readFile(path));
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
    inputs.flatMap((path) => /^\/.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const texts = await Promise.all([...folders].toSorted((a, b) => (a < b ? -1 : 1)).map(licenceOf));
  await writeBelow(outdir, 'licences.txt', texts.join(`\n${'-'.repeat(80)}\n\n`));
}

async function licenceOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
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
    await bundle(scratch, { module: path }, false);
    return await import(pathToFileURL(join(scratch, 'module.js')));
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
