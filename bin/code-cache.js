// The code cache of a user: what V8 compiled of the program for the Node in use, in the folder `code` of the cache folder.
//
// A code cache is code: V8 runs what it says, and checks no more than its own version, flags and the length of the source.
// What protects is the owner: a file is used only where it is a regular file of this user, with mode 0600 and a single name, in a
// folder of this user with mode 0700 that is no link. A hash in the file finds damage, which would end the process.
'use strict';
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { homedir, userInfo } = require('node:os');
const { dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;
const MAX_BYTES = 32 * 1024 * 1024;
/** A file for each script of more than 4 KiB (about 90), program, version of Node and set of V8 flags. */
const MAX_FILES = 512;
/** A cache that was written again for so many commands and options has nearly everything. */
const MAX_USES = 200;
/** A temporary file of this age was left by a run that was killed. */
const ABANDONED_MS = 60_000;
/** Where V8 keeps the hashes of its version and of its flags in a code cache. */
const VERSION_AT = 4;
const FLAGS_AT = 12;

/**
 * Returns the code cache for the program with this hash, undefined where this user has no folder for it or the system knows no
 * owners of files. `read` and `keep` never throw and print nothing.
 */
exports.openCodeCache = function openCodeCache(programHash) {
  const user = process.geteuid?.();
  const folder = cacheFolder();
  if (user === undefined || folder === undefined) return undefined;
  // The version and flags of V8. `cachedDataVersionTag` would load node:v8, which takes a start about 1 ms.
  const [version, flags] = hashes();
  const tag = [version, flags].map((hash) => hash.toString(16)).join('-');
  const begin = [programHash.slice(0, 16), process.version, process.arch, tag].join('-');
  const pathOf = (name) => join(folder, `${begin}-${name}.code`);
  const isSafe = isOwnFolder(folder, user);
  return {
    /** Returns the code and the uses of a file; undefined where it is missing, damaged, or could be of somebody else. */
    read(name) {
      return isSafe ? readFile(pathOf(name), user) : undefined;
    },
    /** Writes what V8 compiled of the scripts until now. `known`: the uses that the file has. */
    keep(scripts, uses) {
      if (scripts.length === 0) return;
      try {
        makeFolder(folder, user);
        for (const { name, script, known } of scripts) {
          const all = [...new Set([...known, ...uses])];
          if (known.length > MAX_USES) continue;
          const code = script.createCachedData();
          // Some commands set flags of V8 that change nothing about the code; V8 would reject it in other runs.
          if (!restoreFlags(code, flags)) return;
          writeFile(pathOf(name), { code, uses: all });
        }
        removeOld(folder);
      } catch {
        // The next run tries again.
      }
    },
  };
};

/** Returns the folder, undefined where nobody can know whose it is. As directoriesOf of src/config, but absolute paths only. */
function cacheFolder() {
  const { ARX_CACHE_DIR: chosen, XDG_CACHE_HOME: shared } = process.env;
  if (chosen) return isAbsolute(chosen) ? join(chosen, 'code') : undefined;
  if (shared && isAbsolute(shared)) return join(shared, 'arx', 'code');
  try {
    const home = isAbsolute(homedir()) ? homedir() : userInfo().homedir;
    return isAbsolute(home) ? join(home, '.cache', 'arx', 'code') : undefined;
  } catch {
    return undefined;
  }
}

function isOwnFolder(path, user) {
  try {
    const stat = fs.lstatSync(path);
    return stat.isDirectory() && stat.uid === user && (stat.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** Makes the folder and the two above it where they are missing, but none in a folder of another user, such as root in a home. */
function makeFolder(folder, user) {
  for (const path of [dirname(dirname(folder)), dirname(folder), folder]) {
    if (fs.existsSync(path)) continue;
    if (fs.statSync(dirname(path)).uid !== user) throw new Error('a folder of another user');
    fs.mkdirSync(path, { mode: 0o700 });
  }
  if (!isOwnFolder(folder, user)) throw new Error('not a folder of this user alone');
}

function readFile(path, user) {
  let descriptor;
  try {
    // Without O_NONBLOCK, opening a FIFO that has no writer would block for ever.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const { size, uid, mode, nlink } = fs.fstatSync(descriptor);
    if (uid !== user || (mode & 0o177777) !== 0o100600 || nlink !== 1 || size > MAX_BYTES) return undefined;
    return unpack(fs.readFileSync(descriptor));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

/** A file: the code (first, because V8 wants it aligned), the uses as JSON, the length of the JSON, SHA-256 of all that. */
function pack({ code, uses }) {
  const json = Buffer.from(JSON.stringify(uses));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  const body = Buffer.concat([code, json, length]);
  return Buffer.concat([body, sha256(body)]);
}

function unpack(bytes) {
  const body = bytes.subarray(0, -DIGEST_BYTES);
  if (bytes.length < DIGEST_BYTES || !sha256(body).equals(bytes.subarray(-DIGEST_BYTES))) return undefined;
  const lengthAt = body.length - LENGTH_BYTES;
  const jsonAt = lengthAt - body.readUInt32LE(lengthAt);
  return { code: body.subarray(0, jsonAt), uses: JSON.parse(body.toString('utf8', jsonAt, lengthAt)) };
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest();
}

/** Replaces the file in one step. Another run that writes it now goes first; this one leaves it alone. */
function writeFile(path, entry) {
  const temporary = `${path}.tmp`;
  const stat = fs.lstatSync(temporary, { throwIfNoEntry: false });
  if (stat !== undefined && Date.now() - stat.mtimeMs > ABANDONED_MS) fs.unlinkSync(temporary);
  const descriptor = fs.openSync(temporary, 'wx', 0o600);
  try {
    fs.writeFileSync(descriptor, pack(entry));
    fs.closeSync(descriptor);
    fs.renameSync(temporary, path);
  } catch {
    fs.unlinkSync(temporary);
  }
}

/** Removes the oldest files, which belong to versions that are no longer used. */
function removeOld(folder) {
  const names = fs.readdirSync(folder);
  if (names.length <= MAX_FILES) return;
  const files = names.map((name) => ({
    path: join(folder, name),
    time: fs.lstatSync(join(folder, name)).mtimeMs,
  }));
  for (const { path } of files.sort((a, b) => b.time - a.time).slice(MAX_FILES)) fs.unlinkSync(path);
}

/** Returns the hashes of the version and of the flags of V8. */
function hashes() {
  const code = new Script('0').createCachedData();
  return [VERSION_AT, FLAGS_AT].map((at) => code.readUInt32LE(at));
}

/** Puts the hash of the flags at the start of the run into the code. Returns false where it is not known to stand there. */
function restoreFlags(code, flags) {
  if (hashes()[1] !== code.readUInt32LE(FLAGS_AT)) return false;
  code.writeUInt32LE(flags, FLAGS_AT);
  return true;
}
