// What tests of stored settings and tokens share: a world that keeps notices, a folder, and an entry of the token store.
import { randomBytes } from 'node:crypto';
import { entry as entryOf, running } from './child-parts.ts';
import type { StoreWorld } from '../../src/config/private-file.ts';
import type { TokenEntry } from '../../src/config/token-store.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { tempFolder } from '../support/temp-folder.ts';

export const NOW = Date.parse('2026-03-04T05:06:07.000Z');

export const scratch = (): string => tempFolder('config');

/** Returns a world with real random bytes and real processes, whose sleeps only let others go on. */
export function storeWorld(changes: Partial<StoreWorld> = {}): StoreWorld & { notices: string[] } {
  const notices: string[] = [];
  const world = fakeWorld({
    now: () => NOW,
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
    randomBytes,
    running,
  });
  return { ...world, notice: (text) => notices.push(text), notices, ...changes };
}

export function entry(changes: Partial<TokenEntry> = {}): TokenEntry {
  return { ...entryOf('https://archive.example'), ...changes };
}

/** The same with real sleeps, for waits on other processes. */
export function patient(): StoreWorld {
  return storeWorld({ sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) });
}
