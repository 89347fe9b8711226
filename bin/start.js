// Runs the built program from V8's code cache, and keeps what V8 compiled in this run for the next ones.
'use strict';
const { existsSync, readFileSync, statSync } = require('node:fs');
const { createRequire } = require('node:module');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

/** The last line of the program: `//` and the hash of all scripts in hexadecimal. */
const HASH_LENGTH = 64;
/** Scripts that are longer than this are data, which is read as fast as its code cache. */
const MAX_CACHED = 1024 * 1024;
/** Scripts that are shorter than this are compiled as fast as a code cache is read. */
const MIN_CACHED = 4 * 1024;
/** The code cache that the build made for a script; see `warm` in build.mjs. */
const builtCache = (path) => read(exports.builtCachePath(path));

/** Returns where the build puts the code cache of a script. */
exports.builtCachePath = (path) => `${path}.${process.version}-${process.arch}.cache`;

/**
 * Runs the program at `main` in this process. `scriptOf` makes a script of a path and its source; by default from the code cache
 * of the build, or from that of this user.
 */
exports.start = function start(main, scriptOf) {
  const source = read(main, 'latin1');
  if (source === undefined) {
    process.stderr.write('arx: not built yet: run npm ci (or npm run build) in its folder\n');
    process.exitCode = 1;
    return;
  }
  const scriptFor = scriptOf ?? cachedScripts(main, source);
  const own = createRequire(main);
  const begun = versionOf(main);
  const modules = new Map();
  const load = (path, text) => {
    const loaded = { exports: {} };
    modules.set(path, loaded);
    const folder = dirname(path);
    const isCached = text.length >= MIN_CACHED && text.length <= MAX_CACHED;
    // Each script is ASCII, and a function as those of `wrap` of node:module.
    const script = isCached ? scriptFor(path, text) : new Script(text, { filename: path });
    script.runInThisContext()(loaded.exports, (name) => requireFrom(folder, name), loaded, path, folder);
    return loaded.exports;
  };
  const requireFrom = (folder, name) => {
    if (!name.startsWith('.')) return LATE.has(name) ? lateModule(name, own) : own(name);
    const path = join(folder, name);
    return modules.get(path)?.exports ?? load(path, partAt(path, versionOf(main) === begun));
  };
  try {
    load(main, source);
  } catch (error) {
    if (error.code !== INCOMPLETE) throw error;
    process.stderr.write(`arx: ${error.message}\n`);
    // What was loaded before may have begun to run.
    process.exit(1);
  }
};

/** Modules of Node that many scripts of the program name and few runs use: loading each takes a start about 1 ms. */
const LATE = new Set(['node:fs/promises', 'node:timers/promises', 'node:tty', 'node:v8']);

/** Returns a stand-in that loads the module when a member of it is first used. */
function lateModule(name, load) {
  return new Proxy(
    {},
    {
      get: (_, member) => load(name)[member],
      // For `import()` and default imports, for which the bundler copies all members.
      ownKeys: () => Reflect.ownKeys(load(name)),
      getOwnPropertyDescriptor: (_, member) => ({
        value: load(name)[member],
        enumerable: true,
        configurable: true,
      }),
    },
  );
}

/** Returns what is said where a part of the program is missing. */
exports.missingText = (path) => `${path} is missing: this installation is incomplete; install it again`;

/** The code of the error for a part of the program that was not copied, or belongs to another version by now. */
const INCOMPLETE = 'ARX_INCOMPLETE';

/**
 * Returns the text of a part; an error of the file system is marked as one of the program. `isSame`: the installation is that of
 * the start, so that the part fits what is loaded.
 */
function partAt(path, isSame) {
  try {
    if (isSame) return readFileSync(path, 'latin1');
  } catch (error) {
    if (error.code !== 'ENOENT') throw Object.assign(error, { isOfProgram: true });
  }
  const message = isSame
    ? exports.missingText(path)
    : 'this installation was replaced while arx ran; start it again';
  throw Object.assign(new Error(message), { code: INCOMPLETE });
}

/** Returns what changes when the file is replaced. */
function versionOf(path) {
  const { ino, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${ino} ${mtimeMs}`;
}

/** Returns a function that makes a script with the best code cache that there is. */
function cachedScripts(main, source) {
  const isBuilt = existsSync(exports.builtCachePath(main));
  const ofUser = isBuilt ? undefined : withUserCache(main, source);
  return ofUser ?? ((path, text) => new Script(text, { filename: path, cachedData: builtCache(path) }));
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
  return (path, text) => {
    const name = basename(path, '.js');
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
  const command = ([words, words.slice(0, 1)].find(isCommand) ?? []).join(' ');
  const options = argv.flatMap((word, at) => {
    const [name] = /^-[a-z-]+/.exec(word) ?? [];
    if (name === undefined) return [];
    const form =
      /^(?:-o|--output=)([a-z]+)$/.exec(word)?.[1] ?? (/^(-o|--output)$/.test(word) ? argv[at + 1] : '');
    return [`${name.slice(0, 40)}${/^[a-z]{1,10}$/.test(form) ? ` ${form}` : ''}`];
  });
  return [command, ...options, ...(process.stdout.isTTY ? ['terminal'] : [])].map((use, at) =>
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
