// The ports of `arx serve`: each is opened with its observer, and all are closed together.
import type { Service } from '../../contract/exchange.ts';
import { Fault } from '../../faults.ts';
import type { AccessLog, Listener, Metrics, PortOptions } from '../../service/http/index.ts';
import { observerOf } from './observability.ts';

/** The open ports of a service. */
export type Ports = {
  /** Opens a port; `name` is its name in the log and the metrics. Throws Fault 'usage' where it cannot be opened. */
  open(name: string, service: Service, options: PortOptions): Promise<Listener>;
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
    open: async (name, service, options) => {
      const { listen } = await import('../../service/http/index.ts');
      const observer = observerOf(name, accessLog, metrics);
      const listener = await listen(
        service,
        observer === undefined ? options : { ...options, observer },
      ).catch(async (error: unknown) => {
        await close(0);
        return throwPortFault(error, name, options);
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

/** Throws the Fault of a port that could not be opened. */
function throwPortFault(error: unknown, name: string, { host, port }: PortOptions): never {
  const [use, flag] = PORT_USES[name] ?? [name, '--port'];
  const which = `port ${port} (${use}, ${flag})`;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE')
    throw new Fault('usage', `${which} is in use`, {
      hint: `name another ${flag}; ${flag} 0 takes a free one`,
    });
  if (code === 'EACCES') throw new Fault('usage', `${which} needs more rights than this user has`);
  if (code === 'EADDRNOTAVAIL') throw new Fault('usage', `this machine has no address ${host}`);
  throw error;
}
