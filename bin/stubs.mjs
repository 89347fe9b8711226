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
  const folder = join(__dirname, '..', 'sqlite', process.platform + '-' + process.arch);
  const isMusl = process.platform === 'linux' && existsSync('/etc/alpine-release');
  const library = join(folder, (isMusl ? 'musl' : 'glibc') + '.node');
  if (!existsSync(library)) throw new Error('arx has no SQLite for this system: ' + library + ' is missing');
  return require(library);
};`,
  },
  atomically: {
    // conf loads it. It installs signal handlers when it is loaded, so that one Ctrl-C would be handled twice.
    'when-exit': 'export default () => () => {};',
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

const escaped = (name) => name.replaceAll(/[./-]/g, '\\$&');

/** The esbuild plugin that puts them in place. */
export const stubs = {
  name: 'stubs',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${Object.values(STUBS).flatMap(Object.keys).map(escaped).join('|')})$`);
    onResolve({ filter }, ({ path, importer }) => {
      const name =
        /[\\/]node_modules[\\/](@[\w-]+[\\/]\w+|\w+)[\\/]/.exec(importer)?.[1]?.replace('\\', '/') ?? '';
      const contents = STUBS[name]?.[path];
      if (contents === undefined) return undefined;
      return { path: `${name}/${path}`, namespace: 'stub', pluginData: contents };
    });
    onLoad({ filter: /./, namespace: 'stub' }, ({ pluginData: contents }) => ({ contents }));
  },
};
