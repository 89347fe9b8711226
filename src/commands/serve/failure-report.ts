// Reports unexpected errors of requests: in the access log and on stderr. One that passes is reported when it begins and when it ends.
import type { App } from '../../app.ts';
import type { Service, ServiceRequest, ServiceResponse } from '../../contract/exchange.ts';
import { plural } from '../../format/numbers.ts';
import type { AccessLog } from '../../service/http/index.ts';

/** Reports the failures of a served archive, or of several. */
export type FailureReporter = {
  /** Reports the error of a request, of an archive where there are several. With `ARX_DEBUG=1` it adds where the error was thrown. */
  onFailure(requestId: string, error: unknown, archive?: string): void;
  /** Returns the same service. A response that it gives during an outage ends the outage. */
  watched(service: Service): Service;
};

/** A failure that passes, such as a database that restarts. */
type Outage = { sinceMs: number; requests: number };

/** What fails by itself: a database may be read while nothing can be written to it. */
type Part = 'database' | 'writes' | 'bucket';
const REQUESTS: Record<Part, string> = { database: 'requests', writes: 'events and logins', bucket: 'files' };

/** Failures of writes alone. */
const OF_WRITES: ReadonlySet<string> = new Set(['busy', 'standby', 'no_writable']);
/** Routes that write, and those that are answered without the database. */
const WRITING: ReadonlySet<string> = new Set(['ingest', 'token']);
const WITHOUT_DATABASE: ReadonlySet<string> = new Set(['live', 'openapi']);

function failedPart(kind: string): Part {
  if (kind.startsWith('bucket')) return 'bucket';
  return OF_WRITES.has(kind) ? 'writes' : 'database';
}

/** Returns the parts that a response shows to work. */
function workingParts({ method }: ServiceRequest, { status, logContext }: ServiceResponse): Part[] {
  const route = logContext?.route;
  const isGiven = (status >= 200 && status < 300 && method !== 'OPTIONS') || status === 307;
  if (!isGiven || route === undefined || WITHOUT_DATABASE.has(route)) return [];
  // A HEAD request reads no file.
  if (route === 'file' && method === 'GET') return ['database', 'bucket'];
  return WRITING.has(route) ? ['database', 'writes'] : ['database'];
}

/** Returns the reporter of a run. */
export async function failureReporter(accessLog: AccessLog | undefined, app: App): Promise<FailureReporter> {
  const { failureText, passingFailure } = await import('../../service/index.ts');
  const outages = new Map<string, Outage>();
  const keyOf = (part: Part, archive: string | undefined): string => `${part} ${archive ?? ''}`;
  const report = (requestId: string, error: unknown, event: string, text: string, archive?: string): void => {
    const of = archive === undefined ? {} : { archive };
    accessLog?.note('error', event, { request_id: requestId, failure: failureText(error), ...of });
    app.notice(`${requestId}${archive === undefined ? '' : ` (${archive})`} ${text}`);
    if (app.world.env['ARX_DEBUG'] !== '1') return;
    for (const frame of framesOf(error)) app.notice(`${requestId} ${frame}`);
  };
  const end = (key: string, archive: string | undefined): void => {
    const outage = outages.get(key);
    if (outage === undefined) return;
    outages.delete(key);
    const { sinceMs, requests } = outage;
    const ms = Math.round(app.world.monotonic() - sinceMs);
    const of = archive === undefined ? {} : { archive };
    accessLog?.note('error', 'outage ended', { ms, requests, ...of });
    const whose = archive === undefined ? '' : `${archive}: `;
    app.notice(
      `${whose}the outage is over after ${Math.round(ms / 1000)} s; ${plural(requests, 'request')} failed`,
    );
  };
  return {
    onFailure(requestId, error, archive) {
      const passing = passingFailure(error);
      if (passing === undefined)
        return report(requestId, error, 'failed', `failed: ${failureText(error)}`, archive);
      const part = failedPart(passing.kind);
      const key = keyOf(part, archive);
      const outage = outages.get(key);
      if (outage !== undefined) return void (outage.requests += 1);
      outages.set(key, { sinceMs: app.world.monotonic(), requests: 1 });
      const text = `outage: ${passing.message}; ${REQUESTS[part]} are answered 503 until it is over`;
      report(requestId, error, 'outage began', text, archive);
    },
    watched: (service) => async (request) => {
      // A response to a request that came before the outage says nothing of its end.
      if (outages.size === 0) return service(request);
      const begun = new Set(outages.keys());
      const response = await service(request);
      const archive = response.logContext?.archive;
      for (const part of workingParts(request, response)) {
        const key = keyOf(part, archive);
        if (begun.has(key)) end(key, archive);
      }
      return response;
    },
  };
}

/** Returns where an error was thrown, without its message, which could hold data. */
function framesOf(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '));
}
