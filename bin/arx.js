#!/usr/bin/env node
// The launcher: answers what is asked all the time itself, and starts the program for everything else.
'use strict';
const { existsSync, fstatSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const DIST = join(__dirname, '..', 'dist');
const words = process.argv.slice(2);

// Scripts ask for the version all the time, and shells for completions at each key: the program is not loaded for them.
if (words.length === 1 && words[0] === '--version') print(`${require('../package.json').version}\n`);
else if (words[0] === '__complete') complete();
else {
  const help = writtenHelp();
  if (help === undefined) require('./start.js').start(join(DIST, 'main.js'));
  else print(help);
}

/** Writes to standard output and ends the process. `process.stdout` is made only for a full pipe: its modules take 3 ms to load. */
function print(text) {
  let bytes = Buffer.from(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(1, bytes));
    // Without this Node would free its memory piece by piece, which takes 1 ms.
    process.exit();
  } catch (error) {
    if (error.code !== 'EAGAIN') fail(error);
    process.stdout.on('error', fail);
    process.stdout.write(bytes);
  }
}

function fail({ code }) {
  const reason = code === 'ENOSPC' ? 'no space left on the device' : code;
  const hint = 'what was written is incomplete: make room, and run the same command again';
  if (code !== 'EPIPE')
    process.stderr.write(`arx: cannot write the output: ${reason} [disk, exit 14]\n  hint: ${hint}\n`);
  process.exit(code === 'EPIPE' ? 141 : 14);
}

function complete() {
  const script = join(DIST, 'complete.js');
  if (!existsSync(script)) {
    process.stderr.write(`arx: ${require('./start.js').missingText(script)}\n`);
    process.exitCode = 1;
    return;
  }
  const { complete: linesOf } = require(script);
  const { env, platform } = process;
  const home = require('node:os').homedir();
  const outside = { env, platform, home, cwd: currentFolder(), uid: process.getuid?.() };
  void linesOf(words.slice(1), outside).then((lines) => print(`${lines}\n`));
}

/** Returns '' where the current folder was deleted. */
function currentFolder() {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

/**
 * Returns the text that the build wrote for `arx [WORDS] --help`. Undefined for everything else, and on a terminal of less than
 * 80 columns or with too few rows: the program wraps the text, and shows it in a pager.
 */
function writtenHelp() {
  const named = words.slice(0, -1);
  if (named.length > 2 || !['-h', '--help'].includes(words.at(-1))) return undefined;
  if (!named.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  let text;
  try {
    text = readFileSync(join(DIST, 'help', `${['arx', ...named].join('.')}.txt`), 'utf8');
  } catch {
    return undefined;
  }
  if (!fstatSync(1).isCharacterDevice()) return text;
  const { columns, rows } = process.stdout;
  return columns < 80 || text.split('\n').length > rows ? undefined : text;
}
