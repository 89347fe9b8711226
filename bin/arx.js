#!/usr/bin/env node
// The launcher: loads the built program, from V8's cache of its code where there is one for this version of Node.
'use strict';
const { readFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { dirname, join } = require('node:path');

// Scripts ask for the version all the time: nothing is loaded for it.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.on('error', ({ code }) => {
    if (code !== 'EPIPE') process.stderr.write(`arx: cannot write the output (${code}) [disk, exit 14]\n`);
    process.exit(code === 'EPIPE' ? 141 : 14);
  });
  process.stdout.write(`${require('../package.json').version}\n`);
} else {
  start(join(__dirname, '..', 'dist', 'main.js'));
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
  const cachedData = read(`${main}.${process.version}-${process.arch}.cache`);
  const script = new Script(wrap(source), { filename: main, cachedData });
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, createRequire(main), loaded, main, dirname(main));
}

function read(path, encoding) {
  try {
    return readFileSync(path, encoding);
  } catch {
    return undefined;
  }
}
