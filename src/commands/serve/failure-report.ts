// Reports unexpected errors of a request: in the access log and on stderr.
import type { App } from '../../app.ts';
import type { AccessLog } from '../../service/http/index.ts';

/** Returns a function that reports the error of a request, of an archive where there are several. With `ARX_DEBUG=1` it adds where the error was thrown. */
export async function failureReporter(
  accessLog: AccessLog | undefined,
  app: App,
): Promise<(requestId: string, error: unknown, archive?: string) => void> {
  const { failureText } = await import('../../service/index.ts');
  return (requestId, error, archive) => {
    const of = archive === undefined ? {} : { archive };
    accessLog?.note('error', 'failed', { request_id: requestId, failure: failureText(error), ...of });
    app.notice(`${requestId}${archive === undefined ? '' : ` (${archive})`} failed: ${failureText(error)}`);
    if (app.world.env['ARX_DEBUG'] !== '1') return;
    for (const frame of framesOf(error)) app.notice(`${requestId} ${frame}`);
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
