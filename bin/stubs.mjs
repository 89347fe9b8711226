// Modules that the build replaces inside packages, because they are slow to load or do what this program must not do.

/**
 * By the package that loads it, the module and the code in its place. test/bin/build.stubs.test.ts checks that a package uses
 * no more of a replaced module than is here.
 */
export const STUBS = {
  '@photostructure/sqlite': {
    // Looks for the compiled SQLite in the package. The build copies it to `sqlite/` beside the folder of the bundle.
    'node-gyp-build': `
const { existsSync } = require('node:fs');
const { join } = require('node:path');
module.exports = () => {
  const folder = join(__dirname, 'sqlite', process.platform + '-' + process.arch);
  const isMusl = process.platform === 'linux' && existsSync('/etc/alpine-release');
  const library = join(folder, (isMusl ? 'musl' : 'glibc') + '.node');
  const failure = (what) => Object.assign(new Error(what), { code: 'ARX_INCOMPLETE' });
  if (!existsSync(library)) throw failure('no SQLite for this system: ' + library + ' is missing');
  try {
    return require(library);
  } catch (error) {
    throw failure('SQLite cannot be loaded: ' + error.message);
  }
};`,
  },
  atomically: {
    // conf loads it. It installs signal handlers when it is loaded, so that one Ctrl-C would be handled twice.
    'when-exit': 'export default () => () => {};',
  },
  'cli-table3': {
    // Cells are stand-ins of one column a character (src/format/terminal/table.ts), and its regular expression takes long to compile.
    'string-width': 'module.exports = (text) => text.length;',
  },
  commander: {
    // Starts commands that are executables of their own. There are none.
    'node:child_process': `module.exports = { spawn: () => { throw new Error('no command is an executable'); } };`,
  },
  undici: {
    // HTTP/2 is never used: allowH2 is false.
    './client-h2.js': `module.exports = () => { throw new Error('HTTP/2 is not used'); };`,
    // Loading these two takes longer than loading undici.
    'node:assert': 'module.exports = (isTrue, what) => { if (!isTrue) throw new Error(what); };',
    'node:http': 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} };',
  },
};

/** Where the ids of replaced modules begin, before the name of the package, a colon and the module. */
export const PREFIX = '\0stub:';
const IN_PACKAGE = /[\\/]node_modules[\\/](@[\w-]+[\\/][\w-]+|[\w-]+)[\\/]/;

/** The plugin of the bundler that puts them in place. */
export const stubs = {
  name: 'stubs',
  resolveId(path, importer = '') {
    const name = IN_PACKAGE.exec(importer)?.[1]?.replace('\\', '/');
    return STUBS[name]?.[path] === undefined ? undefined : `${PREFIX}${name}:${path}`;
  },
  load(id) {
    if (!id.startsWith(PREFIX)) return undefined;
    const [name, path] = splitOnce(id.slice(PREFIX.length));
    return { code: STUBS[name][path], moduleType: 'js' };
  },
};

function splitOnce(text) {
  const at = text.indexOf(':');
  return [text.slice(0, at), text.slice(at + 1)];
}
