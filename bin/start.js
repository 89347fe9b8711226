// Runs the built program from V8's code cache, and keeps what V8 compiled in this run for the next ones.
'use strict';
const { existsSync, readFileSync, statSync } = require('node:fs');
const { createRequire } = require('node:module');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

/** The last line of the program is `//` and the hash of all scripts in hexadecimal, of this length. */
const HASH_LENGTH = 64;
/** Longer scripts are data, which is read as fast as its code cache. */
const MAX_CACHED_BYTES = 1024 * 1024;
/** Shorter scripts are compiled as fast as a code cache is read. */
const MIN_CACHED_BYTES = 4 * 1024;

/** Returns where the build puts the code cache of a script; see `warm` in build.mjs. */
exports.builtCachePath = (path) => `${path}.${process.version}-${process.arch}.cache`;

/**
 * Runs the program at `main` in this process. `scriptFor` makes a script of a path and its source. Without it, scripts come from the code
 * cache of the build, or from that of this user.
 */
exports.start = function start(main, scriptFor) {
  const source = read(main, 'latin1');
  if (source === undefined) {
    process.stderr.write('arx: not built yet: run npm ci (or npm run build) in its folder\n');
    process.exitCode = 1;
    return;
  }
  const makeScript = scriptFor ?? cachedScripts(main, source);
  // Modules that are no files of the program: those of Node, and the keyring.
  const requireModule = createRequire(main);
  const versionAtStart = versionOf(main);
  const modules = new Map();
  const load = (path, text) => {
    const loaded = { exports: {} };
    modules.set(path, loaded);
    const folder = dirname(path);
    // Each script is ASCII, so its length is its number of bytes. It is one function, as `wrap` of node:module makes it.
    const isCached = text.length >= MIN_CACHED_BYTES && text.length <= MAX_CACHED_BYTES;
    const script = isCached ? makeScript(path, text) : new Script(text, { filename: path });
    script.runInThisContext()(loaded.exports, (name) => requireFrom(folder, name), loaded, path, folder);
    return loaded.exports;
  };
  const requireFrom = (folder, name) => {
    if (!name.startsWith('.')) return LATE.has(name) ? lateModule(name, requireModule) : requireModule(name);
    const path = join(folder, name);
    return modules.get(path)?.exports ?? load(path, partAt(path, versionOf(main) === versionAtStart));
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

/** Returns the message for a part of the program that is missing. */
exports.missingText = (path) => `${path} is missing: this installation is incomplete; install it again`;

/** The code of the error for a part of the program that was not copied, or belongs to another version by now. */
const INCOMPLETE = 'ARX_INCOMPLETE';

/**
 * Returns the text of a part of the program. `isSame`: the installation was not replaced since the start, so that the part fits what is
 * loaded. Throws an error with the code INCOMPLETE where the part is missing or does not fit. Other errors of the file system have
 * `isOfProgram`.
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

/** Returns a text that is another one after the file was replaced. */
function versionOf(path) {
  const { ino, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${ino} ${mtimeMs}`;
}

/** Returns a function that makes a script with the code cache of the build, else with that of this user, else with none. */
function cachedScripts(main, source) {
  const isBuilt = existsSync(exports.builtCachePath(main));
  const ofUser = isBuilt ? undefined : withUserCache(main, source);
  return (
    ofUser ??
    ((path, text) => new Script(text, { filename: path, cachedData: read(exports.builtCachePath(path)) }))
  );
}

/**
 * Returns a function that makes a script with the code cache of this user; undefined where the user has no folder for it. When the
 * process ends, it writes each cache that is missing, that V8 rejected, or that lacks a use of this run (see `usesOf`).
 */
function withUserCache(main, source) {
  const { openCodeCache } = require('./code-cache.js');
  const cache = openCodeCache(source.slice(-HASH_LENGTH));
  if (cache === undefined) return undefined;
  const uses = usesOf(process.argv.slice(2), dirname(main));
  const scripts = [];
  process.on('exit', (code) => {
    // A run that is stopped must end at once. A mistyped command (exit code 2) compiled little.
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

/**
 * Returns what this run uses of the program: its command, and the command with each option, as in `attachments ls --json`. Each of them may
 * run functions that the others do not.
 */
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

/** Returns the content of a file; undefined where it cannot be read. */
function read(path, encoding) {
  try {
    return readFileSync(path, encoding);
  } catch {
    return undefined;
  }
}
