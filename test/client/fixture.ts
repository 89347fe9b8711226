// What the client tests share: a world without waiting, a client on a scripted server, and how a Fault must look.
import { expect } from 'vitest';
import { createClient, type Client } from '../../src/client/index.ts';
import { createNetwork } from '../../src/client/network.ts';
import type { SenderOptions } from '../../src/client/api-call.ts';
import { Fault, type FaultKind } from '../../src/faults.ts';
import { fakeWorld, type FakeWorld, type FakeWorldOptions } from '../support/fake-world.ts';
import { misbehave, type Misbehaving, type Script } from '../support/misbehaving-server.ts';

export const TOKEN = 'arx_s3cr3t-0123456789-abcdefghijklmnop';
export const NOW = Date.parse('2026-01-02T03:04:05.000Z');

/** Returns a world whose clock for durations is real. */
export const clientWorld = (overrides: FakeWorldOptions = {}): FakeWorld =>
  fakeWorld({
    now: () => NOW,
    monotonic: () => performance.now(),
    randomBytes: (count) => new Uint8Array(count),
    ...overrides,
  });

export type Bench = { client: Client; server: Misbehaving; world: FakeWorld; lines: string[] };

/**
 * Runs `work` with a real client over a real socket to a server that follows `script`. `waitMs`: how long the client waits for a server
 * that is silent.
 */
export async function against(
  script: Script,
  work: (bench: Bench) => Promise<void>,
  options: Partial<SenderOptions> = {},
  tls?: { key: string; cert: string },
  waitMs = 1000,
): Promise<void> {
  const server = await misbehave(script, tls);
  const network = await createNetwork({ connectTimeoutMs: waitMs, idleTimeoutMs: waitMs });
  const world = clientWorld();
  const lines: string[] = [];
  const client = createClient({
    baseUrl: server.url,
    transport: network.transport,
    bearer: async () => TOKEN,
    timeoutMs: 2 * waitMs,
    world,
    log: (line) => lines.push(line),
    ...options,
  });
  try {
    await work({ client, server, world, lines });
    expect(lines.join('\n')).not.toContain(TOKEN);
  } finally {
    await network.close();
    await server.close();
  }
}

/** The fault a promise ends with; fails the test where it resolves, throws something else, or shows the token. */
export async function faultFrom(promise: Promise<unknown>, kind: FaultKind): Promise<Fault> {
  const error = await promise.then(
    (value) => {
      throw new Error(`no fault, but ${JSON.stringify(value)}`);
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof Fault)) throw error;
  expect({ kind: error.kind, message: error.message }).toMatchObject({ kind });
  const shown = `${error.message} ${JSON.stringify({ ...error.detail, cause: undefined })}`;
  expect(shown).not.toContain(TOKEN.slice(0, 12));
  expect(shown).not.toContain(TOKEN.slice(-12));
  expect(error.message).toMatch(/^\P{Cc}+[^.]$/u);
  return error;
}
