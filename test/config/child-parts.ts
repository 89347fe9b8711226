// What a test process and its children both need: token entries, and who is alive.
import type { TokenEntry } from '../../src/config/token-store.ts';

export function running(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function entry(origin: string): TokenEntry {
  return {
    origin,
    profile: 'default',
    access_token: 'secret-token-1',
    expires_at: '2026-03-04T06:06:07.000Z',
    scope: ['read:messages'],
    access_tier: 'internal',
    issued_by: 'mirror',
    timeline_offset_ms: 0,
    session_drift_ms: 0,
    source_integrity: 0.9,
    client_id: 'arx',
    observer_tier: 'internal',
    requested_tier: 'internal',
    obtained_at: '2026-03-04T05:06:07.000Z',
    clock_offset_ms: 0,
  };
}
