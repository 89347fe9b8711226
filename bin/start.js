// Runs the built program from V8's code cache, and keeps what V8 compiled in this run for the next ones.
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

/** The last line of the program: `//` and the hash of all bundles in hexadecimal. */
const HASH_LENGTH = 64;
/** Sources that are longer than this are data, which is read as fast as its code cache. */
const MAX_CACHED_VENDOR = 512 * 1024;
/** The code cache that the build made for a script; see `warm` in build.mjs. */
const builtCache = (path) => read(exports.builtCachePath(path));

/** Returns where the build puts the code cache of a script. */
exports.builtCachePath = (path) => `${path}.${process.version}-${process.arch}.cache`;

/**
 * Runs the program at `main` in this process. `scriptOf` makes a script of a path, its source and a name for its code cache; by
 * default from the code cache of the build, or from that of this user.
 */
exports.start = function start(main, scriptOf) {
  // The build sees to it that it is ASCII, and a function as those of `wrap`: then V8 uses the text without a copy.
  const source = read(main, 'latin1');
  if (source === undefined) {
    process.stderr.write('arx: not built yet: run npm ci (or npm run build) in its folder\n');
    process.exitCode = 1;
    return;
  }
  const scriptFor = scriptOf ?? cachedScripts(main, source);
  runModule(scriptFor(main, source, 'main'), main, vendorLoader(createRequire(main), main, scriptFor));
};

/** Returns a function that makes a script with the best code cache that there is. */
function cachedScripts(main, source) {
  const isBuilt = existsSync(exports.builtCachePath(main));
  const ofUser = isBuilt ? undefined : withUserCache(main, source);
  return ofUser ?? ((path, text) => new Script(text, { filename: path, cachedData: builtCache(path) }));
}

/** Runs a script that `wrap` made and returns what it exports. */
function runModule(script, path, requireOther) {
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, requireOther, loaded, path, dirname(path));
  return loaded.exports;
}

/** Returns a require function that loads the files of vendor/ from the code cache, and everything else as `own` does. */
function vendorLoader(own, main, scriptOf) {
  const loaded = new Map();
  return (name) => {
    if (!name.startsWith('./vendor/')) return own(name);
    const path = join(dirname(main), name);
    if (own.cache[path] !== undefined) return own(name);
    if (!loaded.has(name)) {
      const source = read(path, 'utf8');
      if (source === undefined || source.length > MAX_CACHED_VENDOR) return own(name);
      loaded.set(name, runModule(scriptOf(path, wrap(source), name.slice('./vendor/'.length)), path, own));
    }
    return loaded.get(name);
  };
}

/**
 * Returns a function that makes a script with the code cache of this user. When the process ends, it writes the caches that
 * are missing, rejected by V8, or were made by runs that did something else. Undefined where the user has no folder for them.
 */
function withUserCache(main, source) {
  const { openCodeCache } = require('./code-cache.js');
  const cache = openCodeCache(source.slice(-HASH_LENGTH));
  if (cache === undefined) return undefined;
  const uses = usesOf(process.argv.slice(2), dirname(main));
  const scripts = [];
  process.on('exit', (code) => {
    // Whoever stops a run wants it to end at once, and a mistyped command compiled little.
    if (code < 128 && code !== 2)
      cache.keep(
        scripts.filter(({ isComplete }) => !isComplete),
        uses,
      );
  });
  return (path, text, name) => {
    const entry = cache.read(name);
    const script = new Script(text, { filename: path, cachedData: entry?.code });
    const isAccepted = entry !== undefined && script.cachedDataRejected === false;
    const known = isAccepted ? entry.uses : [];
    scripts.push({ name, script, known, isComplete: isAccepted && uses.every((use) => known.includes(use)) });
    return script;
  };
}

/** Returns the command and each of its options, of which other functions of the program are used: `attachments ls --json`. */
function usesOf(argv, dist) {
  const words = argv.filter((word) => /^[a-z][a-z-]*$/.test(word)).slice(0, 2);
  const isCommand = (named) => existsSync(join(dist, 'help', `${['arx', ...named].join('.')}.txt`));
  const command = [words, words.slice(0, 1), []].find(isCommand).join(' ');
  const options = argv.flatMap((word, at) => {
    const [name] = /^-[a-z-]+/.exec(word) ?? [];
    if (name === undefined) return [];
    const form =
      /^(?:-o|--output=)([a-z]+)$/.exec(word)?.[1] ?? (/^(-o|--output)$/.test(word) ? argv[at + 1] : '');
    return [`${name.slice(0, 40)}${/^[a-z]{1,10}$/.test(form) ? ` ${form}` : ''}`];
  });
  const isTerminal = require('node:tty').isatty(1);
  return [command, ...options, ...(isTerminal ? ['terminal'] : [])].map((use, at) =>
    at === 0 ? use : `${command} ${use}`,
  );
}

function read(path, encoding) {
  try {
    return readFileSync(path, encoding);
  } catch {
    return undefined;
  }
}
