// Recognizes a body that reports an error although its status is a success.
import { Fault } from '../../faults.ts';
import { safeText } from '../safe-text.ts';
import { isRecord, fieldNamed } from './json-path.ts';
import { flagOf } from './page-facts.ts';

/** Values of `status` that mean a failure. */
const FAILED = new Set(['error', 'fail', 'failed', 'failure']);

/** Throws Fault 'protocol' for a body that reports an error: it is no empty list. */
export function checkNoError(body: unknown, status: number): void {
  if (!isRecord(body)) return;
  const error = [fieldNamed(body, 'error'), fieldNamed(body, 'errors')].find(isReported);
  const said = fieldNamed(body, 'status');
  const isFailed = typeof said === 'string' && FAILED.has(said.toLowerCase());
  const isRefused = ['success', 'ok'].some((name) => flagOf(fieldNamed(body, name)) === false);
  if (error === undefined && !isFailed && !isRefused) return;
  const words = errorWords(error) ?? errorWords(fieldNamed(body, 'message')) ?? 'that the request failed';
  const code = fieldNamed(error, 'code');
  throw new Fault('protocol', `answer has status ${status} but says ${safeText(words, 120)}`, {
    status,
    ...(typeof code === 'string' && code !== '' ? { code: safeText(code, 80) } : {}),
  });
}

/** Returns whether a field reports an error; null, false, '' and empty lists do not. */
function isReported(field: unknown): boolean {
  if (Array.isArray(field)) return field.length > 0;
  return isRecord(field) ? Object.keys(field).length > 0 : Boolean(field);
}

function errorWords(error: unknown): string | undefined {
  if (typeof error === 'string' && error !== '') return `error ${error}`;
  const inner: unknown = Array.isArray(error) ? error[0] : error;
  for (const name of ['code', 'title', 'message', 'detail']) {
    const words = fieldNamed(inner, name);
    if (typeof words === 'string' && words !== '') return `error ${words}`;
  }
  return undefined;
}
