// Runs `arx serve` in this process, on free ports, until it is closed.
import { randomBytes } from 'node:crypto';
import { run } from '../../src/arx.ts';
import type { Listening } from '../../src/contract/reports/command.ts';
import { readOwnerSecret } from '../../src/config/owner-secret.ts';
import { OWNER_SECRET_HEADER } from '../../src/contract/routes.ts';
import { Fault } from '../../src/faults.ts';
import type { Sink } from '../../src/world.ts';
import { fakeWorld } from './fake-world.ts';

export type Served = Listening & {
  /** The header by which the user who runs the service gets the tier internal; empty where there is none. */
  owner: Record<string, string>;
  stderrText(): string;
  close(): Promise<number>;
};

/** Serves the archive in `<dir>/data`; `flags` follow `arx serve --port 0 --json`, with `--port` in its place. Closing gives the exit code. */
export async function serve(
  dir: string,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Served> {
  const interrupt = new AbortController();
  // The port of files is the one after a port that is named, which another test may have.
  const port = flags.includes('--port') ? ['--asset-port', '0'] : ['--port', '0'];
  const argv = ['serve', ...port, '--json', ...flags];
  const world = fakeWorld({ argv, dir, env, signal: interrupt.signal });
  let exit = Promise.resolve(1);
  const line = await new Promise<string>((resolve, reject) => {
    const stdout: Sink = { ...world.stdout, write: async (chunk) => resolve(Buffer.from(chunk).toString()) };
    exit = run({ ...world, stdout, randomBytes });
    exit.then((code) => reject(new Error(`arx serve ended with ${code}: ${world.stderrText()}`)), reject);
  });
  const listening = JSON.parse(line) as Listening;
  const own = readOwnerSecret(world.env['ARX_CONFIG_DIR'] ?? '', listening.base_url, {
    uid: world.uid,
    notice: () => {},
  });
  return {
    ...listening,
    owner: own === undefined ? {} : { [OWNER_SECRET_HEADER]: own.secret },
    stderrText: world.stderrText,
    close: () => {
      interrupt.abort(new Fault('interrupted', 'terminated', { signal: 'SIGTERM' }));
      return exit;
    },
  };
}

/** A token for the internal tier, asked for at the port. `owner` is that of {@link Served}. */
export async function tokenOf(baseUrl: string, owner: Record<string, string> = {}): Promise<string> {
  const asked = await fetch(`${baseUrl}/api/auth/token`, {
    method: 'POST',
    headers: { ...owner, 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' }),
  });
  return ((await asked.json()) as { access_token: string }).access_token;
}
