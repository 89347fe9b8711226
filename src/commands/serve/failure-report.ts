// Reports unexpected errors of requests: in the access log and on stderr. One that passes is reported when it begins and when it ends.
import type { App } from '../../app.ts';
import type { Service } from '../../contract/exchange.ts';
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

/** Routes that read files: only they show that a bucket is back. Other routes are answered without the archive. */
const OF_FILES: ReadonlySet<string> = new Set(['file', 'stored_message']);
const WITHOUT_ARCHIVE: ReadonlySet<string> = new Set(['live', 'openapi', 'metrics']);

/** Returns the reporter of a run. */
export async function failureReporter(accessLog: AccessLog | undefined, app: App): Promise<FailureReporter> {
  const { failureText, passingFailure } = await import('../../service/index.ts');
  const outages = new Map<string, Outage>();
  const keyOf = (archive: string | undefined, isOfBucket: boolean): string =>
    `${isOfBucket ? 'bucket' : 'database'} ${archive ?? ''}`;
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
    const ms = Math.max(0, app.world.now() - sinceMs);
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
      const key = keyOf(archive, passing.kind.startsWith('bucket'));
      const outage = outages.get(key);
      if (outage !== undefined) return void (outage.requests += 1);
      outages.set(key, { sinceMs: app.world.now(), requests: 1 });
      const text = `outage: ${passing.message}; requests are answered 503 until it is over`;
      report(requestId, error, 'outage began', text, archive);
    },
    watched: (service) => async (request) => {
      // A response to a request that came before the outage says nothing of its end.
      const begun = new Set(outages.keys());
      const response = await service(request);
      if (begun.size === 0) return response;
      const { route, archive } = response.logContext ?? {};
      const key = keyOf(archive, route !== undefined && OF_FILES.has(route));
      const isAnswer = response.status < 400 && route !== undefined && !WITHOUT_ARCHIVE.has(route);
      if (isAnswer && begun.has(key)) end(key, archive);
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
