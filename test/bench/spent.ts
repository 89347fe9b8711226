// Processor time that events cost each of those who share the machine: the load, the server and PostgreSQL; by Linux.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnCluster } from '../support/own-cluster.ts';

/** Milliseconds, and the events they went into. */
export type Spent = { load: number; server: number; engine: number; events: number };

/** Begins to count. This process makes the load, the processes `servers` get it. Call the returned function with the number of events. */
export function spending(
  servers: readonly number[],
  cluster: OwnCluster | undefined,
): (events: number) => Spent {
  const now = () => {
    const { user, system } = process.cpuUsage();
    const engine = cluster === undefined ? 0 : childrenOf(postmasterOf(cluster));
    return {
      load: (user + system) / 1000,
      server: servers.reduce((sum, pid) => sum + statOf(pid).ms, 0),
      engine,
    };
  };
  const from = now();
  return (events) => {
    const { load, server: served, engine } = now();
    return { load: load - from.load, server: served - from.server, engine: engine - from.engine, events };
  };
}

/** Microseconds an event of each. */
export function shares(all: readonly Spent[]): string {
  const sum = (of: keyof Spent) => all.reduce((total, spent) => total + spent[of], 0);
  return (['load', 'server', 'engine'] as const)
    .map((of) => `${of} ${Math.round((sum(of) * 1000) / sum('events'))}`)
    .join(', ');
}

function postmasterOf({ dir }: OwnCluster): number {
  return Number(readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** The time of its processes, also of those that have ended. */
function childrenOf(postmaster: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter(({ parent }) => parent === postmaster)
    .reduce((sum, { ms }) => sum + ms, statOf(postmaster).endedMs);
}

/** Its parent, its time and that of its children that have ended, in ticks of ten milliseconds; nothing of a process that is gone. */
function statOf(pid: number): { parent: number; ms: number; endedMs: number } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
    return {
      parent: Number(fields[1]),
      ms: (user! + system!) * 10,
      endedMs: (endedUser! + endedSystem!) * 10,
    };
  } catch {
    return { parent: 0, ms: 0, endedMs: 0 };
  }
}
