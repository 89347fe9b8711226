// The ports of `arx serve`: each is opened with its observer, and all are closed together.
import type { Service } from '../../contract/exchange.ts';
import { Fault } from '../../faults.ts';
import type { AccessLog, Listener, Metrics, PortOptions } from '../../service/http/index.ts';
import { observerOf } from './observability.ts';

/** The open ports of a service. */
export type Ports = {
  /**
   * Opens a port; `name` is its name in the log and the metrics. Throws Fault 'usage' where it cannot be opened; where it is in use,
   * that also names those of the `later` ports, by their names, that are.
   */
  open(
    name: string,
    service: Service,
    options: PortOptions,
    later?: Readonly<Record<string, number>>,
  ): Promise<Listener>;
  /** Closes all ports. Running requests have `graceMs` milliseconds to finish. */
  close(graceMs: number): Promise<void>;
};

/** Returns an empty set of ports. A port that cannot be opened closes those that are open. */
export function createPorts(accessLog: AccessLog | undefined, metrics: Metrics | undefined): Ports {
  const listeners: Listener[] = [];
  const close = async (graceMs: number): Promise<void> => {
    await Promise.all(listeners.map((listener) => listener.close(graceMs)));
  };
  return {
    close,
    open: async (name, service, options, later = {}) => {
      const { listen } = await import('../../service/http/index.ts');
      const observer = observerOf(name, accessLog, metrics);
      const listener = await listen(
        service,
        observer === undefined ? options : { ...options, observer },
      ).catch(async (error: unknown) => {
        await close(0);
        if (codeOf(error) !== 'EADDRINUSE') return throwPortFault(error, name, options);
        const taken = [{ name, port: options.port }];
        for (const [other, port] of Object.entries(later))
          if (await isTaken(service, { ...options, port })) taken.push({ name: other, port });
        throw portsInUse(taken);
      });
      listeners.push(listener);
      return listener;
    },
  };
}

/** What a port serves and its flag, by the name of the port. */
const PORT_USES: Record<string, [use: string, flag: string]> = {
  api: ['API', '--port'],
  assets: ['files', '--asset-port'],
  metrics: ['metrics', '--metrics-port'],
};

/** Throws Fault 'usage' where two ports of one host, by their names, have the same number. 0 is any free port. */
export function refuseSamePorts(ports: Readonly<Record<string, number>>): void {
  const names = Object.keys(ports);
  for (const [index, name] of names.entries()) {
    const port = ports[name];
    const other = names.slice(index + 1).find((each) => port !== 0 && ports[each] === port);
    if (other !== undefined)
      throw new Fault('usage', `${flagOf(name)} and ${flagOf(other)} are the same port, ${port}`, {
        hint: 'name another one, or 0 for a free one; without --asset-port it is the one after --port',
      });
  }
}

/** Returns whether a port is in use, by opening and closing it. */
async function isTaken(service: Service, options: PortOptions): Promise<boolean> {
  const { listen } = await import('../../service/http/index.ts');
  try {
    await (await listen(service, options)).close(0);
    return false;
  } catch (error) {
    return codeOf(error) === 'EADDRINUSE';
  }
}

type NamedPort = { name: string; port: number | undefined };

/** Returns the Fault of ports that are in use, of which there is one at least. */
function portsInUse(taken: readonly NamedPort[]): Fault {
  const flags = taken.map(({ name }) => flagOf(name)).join(' and ');
  const are = taken.length === 1 ? 'is' : 'are';
  return new Fault('usage', `${taken.map(portName).join(' and ')} ${are} in use`, {
    hint: `name another ${flags}; ${flags} 0 ${taken.length === 1 ? 'takes a free one' : 'take free ones'}`,
  });
}

function portName({ name, port }: NamedPort): string {
  return `port ${port} (${PORT_USES[name]?.[0] ?? name}, ${flagOf(name)})`;
}

function flagOf(name: string): string {
  return PORT_USES[name]?.[1] ?? '--port';
}

/** Throws the Fault of a port that could not be opened. */
function throwPortFault(error: unknown, name: string, { host, port }: PortOptions): never {
  const code = codeOf(error);
  if (code === 'EACCES')
    throw new Fault('usage', `${portName({ name, port })} needs more rights than this user has`);
  if (code === undefined || !HOST_REFUSED.test(code)) throw error;
  const option = name === 'metrics' ? '--metrics-host' : '--host';
  throw new Fault('usage', `${option}: ${host} is no address of this machine, and no known name of one`, {
    hint: `${option} 127.0.0.1 is this machine alone, ${option} 0.0.0.0 all its addresses`,
    cause: error,
  });
}

/** Codes of a host that cannot be bound: a name that cannot be resolved, or an address that this machine does not have. */
const HOST_REFUSED = /^(?:ENOTFOUND|EAI_[A-Z]+|EADDRNOTAVAIL|EINVAL|EAFNOSUPPORT)$/;

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
