// Tokens in a real Secret Service: gnome-keyring on a session bus of its own.
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../support/installed.ts';
import { buildProgram, startProcess, type Ended } from '../support/program.ts';
import { quoted } from '../support/shell.ts';
import { emptyData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

const missing = ['dbus-run-session', 'gnome-keyring-daemon', 'secret-tool'].filter(
  (command) => !isInstalled(command),
);
if (missing.length > 0) console.warn(`SKIPPED: the keyring of the system: no ${missing.join(', ')} here`);

let launcher: string;
beforeAll(() => {
  ({ launcher } = buildProgram());
});

const UNLOCKED = `printf pass | gnome-keyring-daemon --unlock --components=secrets >/dev/null`;
const ITEMS = 'secret-tool search --all service arx 2>/dev/null | grep -c ^secret';

/** Runs lines of a shell in a session of their own. `arx` is the program; each line is followed by its exit code. */
async function session(dir: string, lines: readonly string[]): Promise<Ended> {
  const run = join(dir, 'run');
  mkdirSync(run, { recursive: true, mode: 0o700 });
  const script = [
    `arx() { ${quoted(process.execPath)} ${quoted(launcher)} "$@" 2>&1; }`,
    ...lines.flatMap((line) => [line, 'echo "= $?"']),
  ].join('\n');
  return startProcess('dbus-run-session', ['--', 'bash', '-c', script], {
    dir,
    env: { XDG_RUNTIME_DIR: run, XDG_DATA_HOME: join(dir, 'share') },
  }).ended;
}

test.skipIf(process.platform !== 'linux')(
  'Ctrl-C ends the wait for a keyring that does not answer',
  async () => {
    const dir = tempFolder('silent-keyring');
    const bus = createServer();
    const asked = once(bus, 'connection');
    await once(bus.listen(join(dir, 'bus')), 'listening');
    const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(dir, 'bus')}` };
    const args = [launcher, 'config', 'set', 'token_store', 'keyring'];
    const running = startProcess(process.execPath, args, { dir, env });
    const [socket] = (await asked) as [Socket];
    // The process of the call ends with the run: its connection is closed.
    const closed = once(socket.resume(), 'close');
    running.child.kill('SIGINT');
    const { exit, stderr } = await running.ended;
    expect({ exit, stderr }).toMatchObject({ exit: 130, stderr: expect.stringContaining('interrupted') });
    await closed;
    bus.close();
    expect(existsSync(join(dir, 'config/config.json'))).toBe(false);
  },
);

describe.skipIf(missing.length > 0)('a Secret Service', () => {
  test('login, whoami, the way back to the file, and logout', async () => {
    const dir = tempFolder('keyring');
    await emptyData(join(dir, 'data'));
    const file = join(dir, 'config/tokens.json');
    const { stdout } = await session(dir, [
      UNLOCKED,
      'arx config set token_store keyring',
      'arx login',
      'arx whoami',
      `test -e ${file}`,
      ITEMS,
      'arx config unset token_store',
      ITEMS,
      `grep -c access_token ${file}`,
      'arx config set token_store keyring',
      `grep -c access_token ${file}`,
      'arx logout',
      ITEMS,
    ]);
    const parts = stdout.split(/= (\d+)\n/);
    const exits = parts.filter((_, index) => index % 2 === 1).map(Number);
    const said = parts.filter((_, index) => index % 2 === 0).map((text) => text.trim());
    expect(exits).toEqual([0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1]);
    expect(said[2]).toContain('arx: tokens are stored in the keyring of the system (service arx)\n');
    expect(said[3]).toContain('stored_in\tthe keyring of the system (service arx)');
    expect(said.slice(5, -1)).toEqual([
      '1',
      'arx: 1 token moved to the file\ntoken_store is unset',
      '0',
      '1',
      'arx: 1 token moved to the keyring of the system\ntoken_store = keyring',
      '0',
      expect.stringContaining('deleted the token for local:'),
      '0',
    ]);
    expect(stdout).not.toMatch(/arx_[\w-]{20}/);
  });

  test('none, or a locked one: exit 15, and nothing lies in a file', async () => {
    const dir = tempFolder('keyring');
    await emptyData(join(dir, 'data'));
    const file = join(dir, 'config/tokens.json');
    const none = await session(dir, ['unset DBUS_SESSION_BUS_ADDRESS', 'arx config set token_store keyring']);
    expect(none.stdout).toMatch(/the keyring of the system cannot be used: .*\[store, exit 15\]/);
    expect(existsSync(join(dir, 'config/config.json'))).toBe(false);
    await session(dir, [UNLOCKED, 'arx config set token_store keyring', 'arx login']);
    const locked = await session(dir, [
      'gnome-keyring-daemon --start --components=secrets >/dev/null',
      'arx login',
      'arx attachments ls',
      'arx config set token_store file',
      'arx login',
    ]);
    expect(locked.stdout.match(/= \d+/g)).toEqual(['= 0', '= 15', '= 15', '= 0', '= 0']);
    expect(locked.stdout).toContain(
      'hint: unlock it, or start it in this session; to use a file: arx config',
    );
    expect(locked.stdout).toContain('arx: tokens of the keyring were not moved: ');
    expect(readFileSync(file, 'utf8')).toContain('access_token');
  });
});
