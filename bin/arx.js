#!/usr/bin/env node
// The launcher: loads the built program, from V8's cache of its code where there is one for this version of Node.
'use strict';
const { join } = require('node:path');

const DIST = join(__dirname, '..', 'dist');

// Scripts ask for the version all the time, and shells for completions at each key: the program is not loaded for them.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.on('error', ({ code }) => {
    if (code !== 'EPIPE') process.stderr.write(`arx: cannot write the output (${code}) [disk, exit 14]\n`);
    process.exit(code === 'EPIPE' ? 141 : 14);
  });
  process.stdout.write(`${require('../package.json').version}\n`);
} else if (process.argv[2] === '__complete') {
  const { complete } = require(join(DIST, 'complete.js'));
  const { env, platform } = process;
  const home = require('node:os').homedir();
  const outside = { env, platform, home, cwd: currentFolder(), uid: process.getuid?.() };
  void complete(process.argv.slice(3), outside).then((lines) => process.stdout.write(`${lines}\n`));
} else {
  start(join(DIST, 'main.js'));
}

/** Returns '' where the current folder was deleted. */
function currentFolder() {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

function start(main) {
  // The build sees to it that it is ASCII, which is read several times faster so.
  const source = read(main, 'latin1');
  if (source === undefined) {
    process.stderr.write('arx: not built yet: run npm ci (or npm run build) in its folder\n');
    process.exitCode = 1;
    return;
  }
  const { Script } = require('node:vm');
  const { createRequire, wrap } = require('node:module');
  const cachedData = read(`${main}.${process.version}-${process.arch}.cache`);
  const script = new Script(wrap(source), { filename: main, cachedData });
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, createRequire(main), loaded, main, DIST);
}

function read(path, encoding) {
  try {
    return require('node:fs').readFileSync(path, encoding);
  } catch {
    return undefined;
  }
}
